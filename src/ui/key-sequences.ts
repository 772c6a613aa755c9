// The meaning of complete key sequences: xterm and VT functional keys, xterm's modifyOtherKeys, kitty's `CSI … u`.
// Sources: xterm ctlseqs ("PC-Style Function Keys", "modifyOtherKeys"), the kitty keyboard protocol.
// Undefined means: a sequence that is no key press (an answer, a mouse or focus report, a key release).
import type { KeyEvent } from "./key-event.ts";

const finalNames: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
  P: "f1",
  Q: "f2",
  S: "f4",
  M: "enter",
};

const tildeNames: Readonly<Record<number, string>> = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
  11: "f1",
  12: "f2",
  13: "f3",
  14: "f4",
  15: "f5",
  17: "f6",
  18: "f7",
  19: "f8",
  20: "f9",
  21: "f10",
  23: "f11",
  24: "f12",
};

const codeNames: Readonly<Record<number, string>> = {
  8: "backspace",
  9: "tab",
  13: "enter",
  27: "escape",
  32: "space",
  127: "backspace",
  57414: "enter",
  57417: "left",
  57418: "right",
  57419: "up",
  57420: "down",
  57421: "pageup",
  57422: "pagedown",
  57423: "home",
  57424: "end",
  57425: "insert",
  57426: "delete",
};

/** Characters of kitty's keypad codes from 57399 on. */
const keypad = "0123456789./*-+";
const ss3Keypad = "*+,-./0123456789";

export function decodeCsi(parameters: string, final: string): KeyEvent | undefined {
  if (/^[<-?]/.test(parameters)) return undefined;
  const fields = parameters.split(";").map((field) => field.split(":").map(Number));
  const number = fields[0]?.[0] ?? 0;
  if (final === "u") return decodeCode(fields);
  if (final === "~" && number === 27) return decodeCode([fields[2] ?? [], fields[1] ?? []]);
  if (final === "Z") return press("tab", { ctrl: false, alt: false, ...modifiersOf(fields[1]), shift: true });
  if (final === "~") return press(tildeNames[number], modifiersOf(fields[1]));
  if (final === "$") return press(tildeNames[number], { ctrl: false, alt: false, shift: true });
  if (final === "^") return press(tildeNames[number], { ctrl: true, alt: false, shift: false });
  if (final === "@") return press(tildeNames[number], { ctrl: true, alt: false, shift: true });
  if ("abcd".includes(final)) return press(finalNames[final.toUpperCase()], { ctrl: false, alt: false, shift: true });
  // M is enter only in SS3; P, Q and S with a first number other than 1 are other reports.
  if (final === "M" || (number > 1 && "PQS".includes(final))) return undefined;
  return press(finalNames[final], modifiersOf(fields[1]));
}

export function decodeSs3(parameters: string, final: string): KeyEvent | undefined {
  const modifiers = modifiersOf([Number(parameters.split(";").at(-1) ?? "1")]);
  if ("abcd".includes(final)) return press(finalNames[final.toUpperCase()], { ctrl: true, alt: false, shift: false });
  if (final === "R") return press("f3", modifiers);
  const digit = ss3Keypad.charAt(final.charCodeAt(0) - "j".charCodeAt(0));
  if (final >= "j" && final <= "y" && digit !== "") return { kind: "text", text: digit };
  return press(finalNames[final], modifiers);
}

interface Modifiers {
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

/** Undefined for a release, or with super, hyper or meta held: those belong to the window manager. */
function modifiersOf(field: readonly number[] | undefined): Modifiers | undefined {
  const [encoded = 1, eventType = 1] = field ?? [];
  const bits = Math.max(0, (encoded || 1) - 1);
  if (eventType === 3 || (bits & 0b111000) !== 0) return undefined;
  return { shift: (bits & 1) !== 0, alt: (bits & 2) !== 0, ctrl: (bits & 4) !== 0 };
}

function press(name: string | undefined, modifiers: Modifiers | undefined): KeyEvent | undefined {
  return name === undefined || modifiers === undefined ? undefined : { kind: "key", name, ...modifiers };
}

/** `fields`: code, shifted code and code on a US layout; then modifiers and event type; then the text's codes. */
function decodeCode(fields: readonly (readonly number[])[]): KeyEvent | undefined {
  const [code = 0, shifted = 0, base = 0] = fields[0] ?? [];
  const modifiers = modifiersOf(fields[1]);
  if (modifiers === undefined) return undefined;
  const command = modifiers.ctrl || modifiers.alt;
  const name = codeNames[code];
  if (name !== undefined && !(code === 32 && !command)) return press(name, modifiers);
  if (code >= 57399 && code < 57399 + keypad.length) return { kind: "text", text: keypad.charAt(code - 57399) };
  const character = characterOf(command && code > 127 && base > 0 ? base : code);
  if (character === undefined) return undefined;
  if (command) return press(character === " " ? "space" : character.toLowerCase(), modifiers);
  const text = (fields[2] ?? []).map((each) => characterOf(each) ?? "").join("");
  return {
    kind: "text",
    text: text || characterOf(modifiers.shift ? shifted : 0) || shiftedText(character, modifiers),
  };
}

function shiftedText(character: string, modifiers: Modifiers): string {
  return modifiers.shift ? character.toUpperCase() : character;
}

/** Undefined for controls, surrogates, what is no code point, and kitty's codes for keys that are not characters. */
function characterOf(code: number): string | undefined {
  const isCharacter = code >= 32 && !(code >= 127 && code <= 159) && code <= 0x10ffff && Number.isInteger(code);
  if (!isCharacter || (code >= 0xd800 && code <= 0xf8ff)) return undefined;
  return String.fromCodePoint(code);
}
