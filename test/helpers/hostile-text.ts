// Text that wants more of a terminal than to be read, seeded; and the question what of it came through. A sequence that
// the program writes itself is known by its exact form: none of the hostile ones has one of these forms.

/** The same `count` strings for the same seed. */
export function hostileTexts(count: number, seed = 4): readonly string[] {
  const next = randomOf(seed);
  return Array.from({ length: count }, (_, at) => (at % 4 === 3 ? randomBytes(next) : randomPieces(next)));
}

/** Each does something to a terminal, or to how a text is read. */
export const hostilePieces: readonly string[] = [
  "\x1b[2J\x1b[3J",
  "\x1b[777A",
  "\x1b[777;777H",
  "\x1b[?1000h",
  "\x1b[5;31m",
  "\x1b[6n",
  "\x1b]0;title\x07",
  "\x1b]2;title\x1b\\",
  "\x1b]52;c;YQ==\x1b\\",
  "\x1b]8;;https://evil.example\x1b\\",
  "\x1bP q\x1b\\",
  "\x1b_G\x1b\\",
  "\x1b^x",
  "\x1bc",
  "\x1b(0",
  "\x1b",
  "\x1b[",
  "\x9b31m",
  "\x9d8;;x\x9c",
  "\x90q",
  "\x85",
  "\x07",
  "\b",
  "\t",
  "\n",
  "\r",
  "\r\n",
  "\v",
  "\f",
  "\0",
  "\x7f",
  "\u2028",
  "\u202e",
  "\u2066",
  "\u200b",
  "\ufeff",
  "\u{e0041}",
  "\ud83d",
  "\udc69",
];
const harmlessPieces = [
  "a",
  "word ",
  "é",
  "日本",
  "👩\u200d💻",
  "/",
  ".ts",
  "**",
  "`",
  "| ",
  "# ",
  '"',
  "'",
  "$(x)",
  "@",
];

function randomPieces(next: (below: number) => number): string {
  const pieces = [...hostilePieces, ...hostilePieces, ...harmlessPieces, ...harmlessPieces, ...harmlessPieces];
  return `x${Array.from({ length: 1 + next(12) }, () => pieces[next(pieces.length)] ?? "").join("")}`;
}

/** As they are decoded from a file or a pipe: once as UTF-8, once a byte a character. */
function randomBytes(next: (below: number) => number): string {
  const bytes = Buffer.from(Array.from({ length: 1 + next(40) }, () => next(256)));
  return bytes.toString(next(2) === 0 ? "utf8" : "latin1");
}

/** A linear congruential generator: enough to mix pieces, the same everywhere. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** What the program says to a terminal by itself, beside text, `\r` and `\n`; below 500 rows and columns. */
const ownSequences = {
  cursor: /\x1b\[(?:[1-4]?\d{0,2}[AG]|[1-4]?\d{0,2};[1-4]?\d{0,2}H|H)/,
  erase: /\x1b\[[02]?[JK]/,
  rows: /\x1b\[\d{0,2}[LM]/,
  modes: /\x1b\[\?(?:7|25|1004|1049|2004|2026)[hl]|\x1b\[\?(?:1000|1002|1003|1006)l|\x1b7/,
  keys: /\x1b\[>1u|\x1b\[<u|\x1b\[>4;[02]m/,
  questions: /\x1b\]11;\?(?:\x1b\\|\x07)|\x1b\[c/,
  weights: /\x1b\[(?:0|2[2347]|(?:0;)?[12347](?:;[12347])*)?m/,
  colours:
    /\x1b\[(?:(?:[0-4]|7|2[2347]|[34][0-79]|9[0-7]|10[0-7]|[34]8;5;\d{1,3}|[34]8;2;\d{1,3};\d{1,3};\d{1,3})(?:;|(?=m)))*m/,
  title: /\x1b\[2[23];0t|\x1b\]2;[^\x00-\x1f\x7f-\x9f]*\x07/,
  message: /\x1b\](?:9;stele |777;notify;stele;)[^\x00-\x1f\x7f-\x9f;]*\x07/,
  bell: /\x07/,
} as const;
export type OwnSequence = keyof typeof ownSequences;

const unwanted =
  /[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e001f}\ud800-\udfff]/u;

/** What no terminal may get, with its surroundings; undefined: nothing but text and what is `own`. */
export function foreignControl(written: string, own: readonly OwnSequence[]): string | undefined {
  const known = own.map((name) => ownSequences[name].source).join("|");
  const text = known === "" ? written : written.replace(new RegExp(known, "g"), "");
  const at = text.search(unwanted);
  return at === -1 ? undefined : JSON.stringify(text.slice(Math.max(0, at - 40), at + 40));
}
