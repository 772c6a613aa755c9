// When a text becomes one cell: pastes that are long, texts set from outside that nobody would edit by hand, and images.
import { type ImageToken, splitImages } from "../agent/images/image-text.ts";
import { type Buffer, emptyBuffer, insertCells, insertText, type PasteCell } from "./composer-buffer.ts";

/** Pastes beyond either are one cell with a placeholder. */
const inlinePaste = { lines: 3, characters: 400 };
/** A text set from outside is kept editable up to here; a longer one is a paste. */
const inlineSet = 10_000;

export function insertPaste(buffer: Buffer, text: string): Buffer {
  const lines = countLines(text);
  const isShort = lines <= inlinePaste.lines && text.length <= inlinePaste.characters;
  // Line ends of CR LF cannot be seen, nor be edited: such a text stays one piece.
  if (isShort && !text.includes("\r")) return insertWithImages(buffer, text);
  return insertCells(buffer, [[{ paste: text, label: pasteLabel(text) }]]);
}

export function wholeText(text: string): Buffer {
  if (text.length <= inlineSet) return insertWithImages(emptyBuffer, text);
  return insertCells(emptyBuffer, [[{ paste: text, label: pasteLabel(text) }]]);
}

export function imageCell({ token, label }: ImageToken): PasteCell {
  return { paste: token, label };
}

function insertWithImages(buffer: Buffer, text: string): Buffer {
  return splitImages(text).reduce(
    (result, piece) =>
      typeof piece === "string" ? insertText(result, piece) : insertCells(result, [[imageCell(piece)]]),
    buffer,
  );
}

/** `[42 lines]` */
export function pasteLabel(text: string): string {
  const lines = countLines(text);
  return lines > 1 ? `[${lines} lines]` : `[${text.length} characters]`;
}

function countLines(text: string): number {
  const ended = text.endsWith("\n") ? text.length - 1 : text.length;
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < ended; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
