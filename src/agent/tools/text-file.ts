// Bytes of a file as text, and back: what is text at all, which line ends it has. Nothing is lost on the way:
// a byte order mark stays in the text, and what is not UTF-8 is not called text that may be edited.

export type DecodedFile =
  /** `lossless`: encoding the text again gives the same bytes. */
  | { readonly kind: "text"; readonly text: string; readonly lossless: boolean }
  | { readonly kind: "binary"; readonly what: string };

/** A NUL this near the start means binary, as git and grep have it. */
const SNIFFED_BYTES = 8192;

const MAGIC: readonly (readonly [string, string])[] = [
  ["89504e47", "a PNG image"],
  ["ffd8ff", "a JPEG image"],
  ["47494638", "a GIF image"],
  ["25504446", "a PDF document"],
  ["504b0304", "a ZIP archive"],
  ["1f8b", "gzip data"],
  ["7f454c46", "an ELF program"],
  ["53514c69746520666f726d61742033", "an SQLite database"],
  ["fffe", "UTF-16 text"],
  ["feff", "UTF-16 text"],
];

export function decodeFile(bytes: Uint8Array): DecodedFile {
  if (bytes.subarray(0, SNIFFED_BYTES).includes(0) || startsWithPdf(bytes)) {
    return { kind: "binary", what: nameBinary(bytes) };
  }
  try {
    return {
      kind: "text",
      text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
      lossless: true,
    };
  } catch {
    // Not UTF-8: readable with replacement characters, but writing it back would change bytes nobody touched.
    return { kind: "text", text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), lossless: false };
  }
}

/** True when lines end in CRLF more often than in a bare LF. */
export function hasWindowsLineEnds(text: string): boolean {
  const all = text.split("\n").length - 1;
  return (text.split("\r\n").length - 1) * 2 > all;
}

export function toWindowsLineEnds(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}

/** Lines without their ends; a final line end opens no further line. */
export function splitLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Cut by code points' start, and said. */
export function cutLine(line: string, max: number): string {
  if (line.length <= max) return line;
  const end = /[\uD800-\uDBFF]/.test(line.charAt(max - 1)) ? max - 1 : max;
  return `${line.slice(0, end)}… [${line.length - end} more characters]`;
}

function startsWithPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 5)).toString("latin1") === "%PDF-";
}

function nameBinary(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 16)).toString("hex");
  return MAGIC.find(([magic]) => start.startsWith(magic))?.[1] ?? "binary data";
}
