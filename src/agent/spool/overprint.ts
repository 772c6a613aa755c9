// What is left of text that writes over itself: progress bars and spinners, told by what a terminal would show at their
// end. A carriage return goes back to the start of the line and a backspace one character; what follows is written
// over what stood there, and the rest of a longer old text stays, as on a terminal. Widths are not looked at: a
// character is a column, and an escape sequence is none, with all that a title or a link holds. Linear in the length of
// the text.

/** `\r\n` is a line end; a line that neither goes back nor erases is not changed. */
export function overprinted(text: string): string {
  if (!goesBack.test(text)) return text;
  return text.split("\n").map(lineOf).join("\n");
}

/**
 * For text that comes in pieces: `before` is an earlier answer. Like `overprinted`, but that the last line ends where
 * the writing goes on: `\r` or a `\b` for each character that stands behind it, until `overprinted` takes them out.
 */
export function overprint(before: string, chunk: string): string {
  const text = before + chunk;
  if (!goesBack.test(text)) return text;
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  return [...lines.map(lineOf), unended(last)].join("\n");
}

const goesBack = /[\r\b]|(?:\x1b\[|\x9b)[0-2]?K/;
/** A line that goes back is taken apart only where it must be: of this, a unit is a character. */
const simple = /^[\r\t\x20-\x7e\xa1-\xac\xae-\u02ff\u2500-\u259f]*$/;

const csi = String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*`;
/** OSC, DCS, SOS, PM and APC. One that nothing ends goes as far as its line does. */
const controlString = String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\n\r\x07\x18\x1a\x1b\x9c\u2028\u2029]*`;
const token = new RegExp(
  [
    String.raw`[\r\b]`,
    String.raw`(?:\x1b\[|\x9b)(?<erase>[0-2]?)K`,
    String.raw`(?<whole>${csi}[@-~]|${controlString}(?:[\x07\x18\x1a\x9c]|\x1b\\)|\x1b(?:[ -/]+[0-~]|[0-OQ-WYZ\\\x60-~]))`,
    String.raw`(?<begun>${csi}|${controlString}(?:\x1b$)?|\x1b[ -/]*)`,
    String.raw`(?<control>[\x00-\x08\x0b-\x1f\x7f-\x9f])`,
    String.raw`[^]\p{M}*`,
  ].join("|"),
  "gu",
);
/** How a control string begins and, at its end, the half of what may end it: what is between is of no use. */
const withinString = /^(\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^]*?(\x1b?)$/;

interface WrittenLine {
  readonly text: string;
  /** Characters before and behind the place where the writing goes on. */
  readonly at: number;
  readonly behind: number;
  /** A sequence that has no end yet, at the end of the line. */
  readonly open: string;
}

/** Blanks at its end are what older text was wiped with. */
function lineOf(line: string): string {
  const text = line.endsWith("\r") && !line.includes("\x1b") ? line.slice(0, -1) : line;
  return goesBack.test(text) ? written(text).text.trimEnd() : text;
}

function unended(line: string): string {
  if (!goesBack.test(line)) return line;
  const { text, at, behind, open } = written(line);
  const back = at === 0 && behind > 0 ? "\r" : "\b".repeat(behind);
  return `${text}${back}${open}`;
}

function written(line: string): WrittenLine {
  return simple.test(line) ? laidOver(line.split("\r")) : writtenByCharacter(line);
}

/** From the last one back: of each earlier one only what is longer can be seen. */
function laidOver(layers: readonly string[]): WrittenLine {
  const seen: string[] = [];
  let length = 0;
  for (const layer of layers.toReversed()) {
    if (layer.length <= length) continue;
    seen.push(layer.slice(length));
    length = layer.length;
  }
  const at = layers.at(-1)?.length ?? 0;
  return { text: seen.join(""), at, behind: length - at, open: "" };
}

/** Sequences are left out: one that was written over in part would be none. */
function writtenByCharacter(line: string): WrittenLine {
  const cells: string[] = [];
  let at = 0;
  let open = "";
  for (const { 0: piece, index, groups } of line.matchAll(token)) {
    const { erase, whole, begun, control } = groups ?? {};
    if (piece === "\r") at = 0;
    else if (piece === "\b") at = Math.max(0, at - 1);
    else if (erase !== undefined) eraseIn(cells, at, erase);
    else if (begun !== undefined && index + begun.length === line.length) open = begun.replace(withinString, "$1$2");
    else if ((whole ?? begun ?? control) === undefined) cells[at++] = piece;
  }
  return { text: cells.join(""), at, behind: cells.length - at, open };
}

/** To the end of the line, from its start, or all of it. */
function eraseIn(cells: string[], at: number, what: string): void {
  if (what !== "1") cells.length = at;
  if (what === "1" || what === "2") cells.fill(" ", 0, at);
}
