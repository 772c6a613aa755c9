// Where a word ends at a picture. The word index takes a picture that is younger than its tables for a letter, so in what
// is indexed and in what is looked for alike a blank parts a picture from the word or the picture that touches it.

const PART = "\\p{Extended_Pictographic}\\p{Emoji_Modifier}?\\ufe0f?[\\u{e0020}-\\u{e007f}]*";
/** One picture, with what holds its sequence together: a skin, a flag, a family. The source of a `u` expression. */
export const PICTURE = `(?:[\\u{1f1e6}-\\u{1f1ff}]{1,2}|${PART}(?:\\u200d${PART})*)`;
/** A part of a picture that is one by itself. */
export const PICTURE_UNIT = "\\p{Extended_Pictographic}\\u{1f1e6}-\\u{1f1ff}";

const pictures = new RegExp(PICTURE, "gu");
const touchesBefore = new RegExp(`[\\p{L}\\p{M}\\p{N}\\p{Co}\\p{Emoji_Modifier}\\u{e007f}${PICTURE_UNIT}]$`, "u");
const touchesAfter = /^[\p{L}\p{N}\p{Co}]/u;
const anyPicture = new RegExp(`[${PICTURE_UNIT}]`, "u");

export function partedWords(text: string): string {
  if (!hasPicture(text)) return text;
  return text.replace(pictures, (picture, at: number) => {
    const end = at + picture.length;
    const before = touchesBefore.test(text.slice(Math.max(0, at - 2), at)) ? " " : "";
    return `${before}${picture}${touchesAfter.test(text.slice(end, end + 2)) ? " " : ""}`;
  });
}

export function hasPicture(text: string): boolean {
  return anyPicture.test(text);
}
