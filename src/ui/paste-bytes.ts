// What a paste is, where a terminal does not say so or says it in its own way. Pure.
//
// Line ends of a paste: with a LF anywhere in it, it is kept exactly as it came, CR LF and lone CR too. With CRs alone
// they become LFs: most terminals (xterm, VTE, iTerm2, tmux) send CR for each line end of what is pasted, and of those
// none ever sends LF; the others (kitty, Alacritty) leave all as it is.

/** Beyond either, a read came from no hand; what a person types in one is shorter, on a slow line too. */
const paste = { withLines: 24, characters: 400 };
/** Bytes below which no read is looked at. */
export const leastBurst = paste.withLines;

/** Sequences of keys that were held down are not text: they may fill a read. */
const sequence = /\x1b(?:\[[\x20-\x3f]*[\x40-\x7e]|O.|.)?/gs;
const lineWithin = /[\r\n](?=[\s\S]*[^\s\x00-\x1f\x7f])/;
const notShown = /[\x00-\x1f\x7f]/g;
/** Line ends and tabs are text where there are lines: short code is made of them. */
const notText = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

export function pastedText(text: string): string {
  return text.includes("\n") ? text : text.replaceAll("\r", "\n");
}

/** A read that has to be a paste, though nothing marks it as one. `isAhead`: typed while nobody read it. */
export function isBurst(text: string, isAhead = false): boolean {
  const plain = text.replace(sequence, "");
  if (plain.replace(notShown, "").length >= paste.characters) return true;
  return !isAhead && plain.replace(notText, "").length >= paste.withLines && lineWithin.test(plain);
}

/** `3.1 MB` */
export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
