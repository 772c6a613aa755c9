// Splits a shell command into its parts and words, for approval rules only; nothing is ever run from the result.
// It understands a small part of the shell and says `doubts` about all the rest: a command with doubts may do more than
// its words show. Wrong doubts cost a question; a missing one would let something through, so when unsure: doubt.

export interface SplitCommand {
  /** Separated by && || ; | |& & and line ends outside quotes; empty ones left out. */
  readonly parts: readonly CommandPart[];
  /** Why the words are not the whole truth; empty when they are. */
  readonly doubts: readonly string[];
}
export interface CommandPart {
  /** As it was written. */
  readonly text: string;
  /** Quotes and backslashes removed as the shell does; variables stand as they are written. */
  readonly words: readonly string[];
}

interface Scan {
  readonly command: string;
  at: number;
  partStart: number;
  /** Absent between words; "" is an empty quoted word. */
  word: string | undefined;
  words: string[];
  readonly parts: CommandPart[];
  readonly doubts: Set<string>;
}

export function splitCommand(command: string): SplitCommand {
  const scan: Scan = { command, at: 0, partStart: 0, word: undefined, words: [], parts: [], doubts: new Set() };
  while (scan.at < command.length) step(scan, command.charAt(scan.at));
  endPart(scan, 0);
  for (const { words } of scan.parts) doubtWords(scan, words);
  return { parts: scan.parts, doubts: [...scan.doubts] };
}

function step(scan: Scan, char: string): void {
  const next = scan.command.charAt(scan.at + 1);
  if (char === "\\") return takeEscaped(scan, next);
  if (char === "'") return takeSingleQuoted(scan);
  if (char === '"') return takeDoubleQuoted(scan);
  if (char === " " || char === "\t") return endWord(scan, 1);
  if (char === "\n" || char === ";") return endPart(scan, 1);
  if (char === "|") return endPart(scan, next === "|" || next === "&" ? 2 : 1);
  if (char === "&") return takeAmpersand(scan, next);
  if (char === ">" || char === "<") return takeRedirection(scan);
  if (char === "#" && scan.word === undefined) scan.doubts.add("a comment");
  if (char === "(" || char === ")") scan.doubts.add("parentheses");
  doubtExpansion(scan, char, next);
  take(scan, char, 1);
}

function take(scan: Scan, text: string, length: number): void {
  scan.word = (scan.word ?? "") + text;
  scan.at += length;
}

function endWord(scan: Scan, length: number): void {
  if (scan.word !== undefined) scan.words.push(scan.word);
  scan.word = undefined;
  scan.at += length;
}

function endPart(scan: Scan, length: number): void {
  endWord(scan, 0);
  const text = scan.command.slice(scan.partStart, scan.at).trim();
  if (scan.words.length > 0) scan.parts.push({ text, words: scan.words });
  scan.words = [];
  scan.at += length;
  scan.partStart = scan.at;
}

function takeEscaped(scan: Scan, next: string): void {
  if (next === "") scan.doubts.add("a backslash at the end");
  if (next === "\n")
    scan.at += 2; // a joined line: both characters vanish
  else take(scan, next, 2);
}

function takeSingleQuoted(scan: Scan): void {
  const end = scan.command.indexOf("'", scan.at + 1);
  if (end < 0) return takeUnclosed(scan);
  take(scan, scan.command.slice(scan.at + 1, end), end + 1 - scan.at);
}

function takeDoubleQuoted(scan: Scan): void {
  let text = "";
  for (let at = scan.at + 1; at < scan.command.length; at++) {
    const char = scan.command.charAt(at);
    const next = scan.command.charAt(at + 1);
    if (char === '"') return take(scan, text, at + 1 - scan.at);
    if (char === "\\" && next !== "" && '$`"\\\n'.includes(next)) {
      text += next === "\n" ? "" : next;
      at++;
      continue;
    }
    doubtExpansion(scan, char, next);
    text += char;
  }
  takeUnclosed(scan);
}

function takeUnclosed(scan: Scan): void {
  scan.doubts.add("a quote that is not closed");
  take(scan, scan.command.slice(scan.at + 1), scan.command.length - scan.at);
}

function takeAmpersand(scan: Scan, next: string): void {
  if (next === ">") scan.doubts.add("a redirection");
  endPart(scan, next === "&" ? 2 : 1);
}

/** Between descriptors and to /dev/null nothing is lost; any other redirection touches a file. */
function takeRedirection(scan: Scan): void {
  const harmless = /^(?:>&[12]|>>?[ \t]*\/dev\/null)(?=[\s;|&]|$)/.exec(scan.command.slice(scan.at));
  // Stuck to a word it is read one way or the other, depending on how that word was written: only a bare 1 or 2 is clear.
  const before = scan.command.slice(Math.max(scan.partStart, scan.at - 2), scan.at);
  const isDescriptor = scan.word !== undefined && /^\s?[12]$/.test(before) && before.trim() === scan.word;
  if (!harmless || (scan.word !== undefined && !isDescriptor)) {
    scan.doubts.add("a redirection");
    return endWord(scan, 1);
  }
  scan.word = undefined; // the descriptor before it is no word
  scan.at += harmless[0].length;
}

/** Plain variables can only add arguments; everything else after a `$`, and backticks, can run commands. */
function doubtExpansion(scan: Scan, char: string, next: string): void {
  if (char === "`") scan.doubts.add("a command substitution");
  if (char === "$" && next === "(") scan.doubts.add("a command substitution");
  else if (char === "$" && /[^A-Za-z0-9_?#@*!$\s/.:,-]/.test(next)) scan.doubts.add("an expansion");
  if (/\p{Cc}/u.test(char) && char !== "\n" && char !== "\t") scan.doubts.add("a control character");
}

const NEVER_PLAIN = new Set([
  "eval",
  "exec",
  "source",
  ".",
  "trap",
  "alias",
  "coproc",
  "function",
  "{",
  "!",
  "time",
  "case",
  "if",
  "for",
  "while",
  "until",
  "select",
  "do",
  "then",
  "else",
]);

function doubtWords(scan: Scan, words: readonly string[]): void {
  const [first = ""] = words;
  if (/^[A-Za-z_][A-Za-z0-9_]*(\[.*\])?\+?=/.test(first)) scan.doubts.add("an environment assignment");
  if (NEVER_PLAIN.has(first)) scan.doubts.add(`\`${first}\``);
}
