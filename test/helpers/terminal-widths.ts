// How wide characters are in the emulator: as in terminals that take a grapheme for one character. Emoji are two cells,
// also those joined of several, and flags; marks sit on what is before them.
import type xterm from "@xterm/headless";
import stringWidth from "string-width";

type Provider = Parameters<xterm.Terminal["unicode"]["register"]>[0];

/** What the next character has to know of the one before it. */
const NOTHING = 0;
const JOINER = 1;
const HALF_FLAG = 2;

const joiner = 0x200d;
const emojiSign = 0xfe0f;

export function useGraphemeWidths(emulator: xterm.Terminal): void {
  const widths = new Map<number, 0 | 1 | 2>();
  const wcwidth = (code: number): 0 | 1 | 2 => {
    if (code >= 0x20 && code < 0x7f) return 1;
    const known = widths.get(code) ?? (Math.min(2, stringWidth(String.fromCodePoint(code))) as 0 | 1 | 2);
    widths.set(code, known);
    return known;
  };
  const provider: Provider = {
    version: "graphemes",
    wcwidth,
    charProperties: (code, before) => propertiesOf(code, before, isHalfFlag(code) ? 1 : wcwidth(code)),
  };
  emulator.unicode.register(provider);
  emulator.unicode.activeVersion = provider.version;
}

/** Packed as the emulator wants it: state, width, whether it belongs to the character before it. */
function propertiesOf(code: number, before: number, width: number): number {
  const [state, widthBefore] = [before >> 3, (before >> 1) & 3];
  const pack = (next: number, cells: number, joins: boolean) => (next << 3) | (cells << 1) | (joins ? 1 : 0);
  if (before === 0 || widthBefore === 0) return pack(isHalfFlag(code) ? HALF_FLAG : NOTHING, width, false);
  if (code === joiner) return pack(JOINER, widthBefore, true);
  if (code === emojiSign) return pack(NOTHING, 2, true);
  if (state === HALF_FLAG && isHalfFlag(code)) return pack(NOTHING, 2, true);
  if (width === 0 || isSkin(code) || state === JOINER) return pack(NOTHING, Math.max(widthBefore, width), true);
  return pack(isHalfFlag(code) ? HALF_FLAG : NOTHING, width, false);
}

function isHalfFlag(code: number): boolean {
  return code >= 0x1f1e6 && code <= 0x1f1ff;
}

function isSkin(code: number): boolean {
  return code >= 0x1f3fb && code <= 0x1f3ff;
}
