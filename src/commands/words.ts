// Text to words and back, for what is typed behind a slash. Quotes group only where a word, or the value of
// a flag, begins: an apostrophe inside of one is a letter. Never throws; `splitWords(quoteWord(x))` is x.

export type SplitWords =
  | { readonly ok: true; readonly words: readonly string[] }
  | { readonly ok: false; readonly problem: string };

/** `'…'` is literal; in `"…"` a backslash takes `"` and `\`; outside of quotes it takes any character. */
export function splitWords(text: string): SplitWords {
  const words: string[] = [];
  let at = 0;
  for (;;) {
    while (at < text.length && isBlank(text.charAt(at))) at += 1;
    if (at >= text.length) return { ok: true, words };
    const read = readWord(text, at);
    if (!read.ok) return read;
    words.push(read.word);
    at = read.end;
  }
}

/** The shortest form that `splitWords` reads as this one word. */
export function quoteWord(word: string): string {
  if (word !== "" && !/[\s\\'"]/u.test(word)) return word;
  if (!word.includes("'")) return `'${word}'`;
  return `"${word.replace(/["\\]/g, "\\$&")}"`;
}

type ReadWord =
  | { readonly ok: true; readonly word: string; readonly end: number }
  | { readonly ok: false; readonly problem: string };

function readWord(text: string, start: number): ReadWord {
  let word = "";
  let at = start;
  while (at < text.length && !isBlank(text.charAt(at))) {
    const letter = text.charAt(at);
    if ((letter === "'" || letter === '"') && opensQuote(text, start, at)) {
      const quoted = readQuoted(text, at);
      if (!quoted.ok) return quoted;
      word += quoted.word;
      at = quoted.end;
    } else if (letter === "\\" && at + 1 < text.length) {
      word += text.charAt(at + 1);
      at += 2;
    } else {
      word += letter;
      at += 1;
    }
  }
  return { ok: true, word, end: at };
}

function opensQuote(text: string, start: number, at: number): boolean {
  return at === start || /^--[\w-]+=$/.test(text.slice(start, at));
}

function readQuoted(text: string, open: number): ReadWord {
  const quote = text.charAt(open);
  let word = "";
  for (let at = open + 1; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter === quote) return { ok: true, word, end: at + 1 };
    const next = text.charAt(at + 1);
    if (letter === "\\" && quote === '"' && (next === '"' || next === "\\")) {
      word += next;
      at += 1;
    } else word += letter;
  }
  return { ok: false, problem: `A quote ${quote} is not closed; write \\${quote} for the character itself.` };
}

function isBlank(letter: string): boolean {
  return /\s/u.test(letter);
}
