// An image inside of a text that a person writes: `[image shot.png 640×480 sha256-…]`. Text alone holds it, so that a
// draft, an earlier prompt and a prompt that an undo gives back have their images; whose bytes they are the hash says.
// What is shown, and what a model reads, leaves the hash out. Pure.
import { withoutInvisible } from "./invisible.ts";
import type { FilePart, Hash, Part } from "./types.ts";

export interface ImageRef {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly hash: Hash;
}
export interface ImageToken extends ImageRef {
  readonly token: string;
  /** `[image shot.png 640×480]` */
  readonly label: string;
}

const pattern = /\[image ([^[\]\n]{1,80}) (\d{1,6})\xd7(\d{1,6}) sha256-([0-9a-f]{64})\]/g;
/** The hash of one, or its beginning where a text was cut. */
const hashPart = /(\[image [^[\]\n]{1,80} \d{1,6}\xd7\d{1,6}) sha256-(?:[0-9a-f]{64}(?=\])|[0-9a-f]{0,63}$)/g;
const maxName = 60;

export function imageToken({ name, width, height, hash }: ImageRef): ImageToken {
  const label = `[image ${name} ${width}×${height}]`;
  return { name, width, height, hash, label, token: `${label.slice(0, -1)} sha256-${hash}]` };
}

/** The last part of a path, without what would end the token. */
export function imageName(path: string): string {
  const last = path.replace(/[/\\]+$/, "").replace(/^.*[/\\]/s, "");
  const plain = withoutInvisible(last.toWellFormed()).replace(/[\p{Cc}\p{Zl}\p{Zp}[\]]/gu, " ");
  const characters = [...plain.replace(/\s+/g, " ").trim()];
  const short = characters.length <= maxName ? characters : [...characters.slice(0, 40), "…", ...characters.slice(-15)];
  return short.join("").trim() || "image";
}

/** Texts and images in their order. */
export function splitImages(text: string): readonly (string | ImageToken)[] {
  if (!mayHold(text)) return [text];
  const pieces: (string | ImageToken)[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const [token, name = "", width, height, hash = ""] = match;
    if (match.index > end) pieces.push(text.slice(end, match.index));
    pieces.push(imageToken({ name, width: Number(width), height: Number(height), hash: hash as Hash }));
    end = match.index + token.length;
  }
  if (end < text.length) pieces.push(text.slice(end));
  return pieces;
}

export function imagesIn(text: string): readonly ImageToken[] {
  return splitImages(text).filter((piece) => typeof piece !== "string");
}

/** A text beside it says where it belongs. */
export function isNamedIn({ blob }: Pick<FilePart, "blob">, parts: readonly Part[]): boolean {
  return parts.some((part) => part.kind === "text" && part.text.includes(` sha256-${blob}]`));
}

/** As it is read by a person or a model. */
export function shownImages(text: string): string {
  return mayHold(text) ? text.replace(hashPart, "$1") : text;
}

/** By the letter that few texts have: looking for a blank would stop at every word. */
function mayHold(text: string): boolean {
  return text.includes("[image ");
}
