// Decodes what a terminal sends into keys, text and pastes. Pure: bytes in, events out, no clock.
// Promise: the events (adjacent texts joined) do not depend on how the bytes were cut into reads; no byte sequence
// throws; a sequence that is not understood is swallowed whole and never becomes text.
// The owner calls flush() about 50 ms after a read that left `pendingEscape` (a lone ESC is then the key), and after
// a second or more of silence while `pendingPaste` (the end marker was lost). Late bytes of a split sequence still
// complete it: nobody types `ESC [ 1 ;`. What comes in one read with a late end marker, before it, is paste too.
import { type KeyEvent, key } from "./key-event.ts";
import { decodeCsi, decodeSs3 } from "./key-sequences.ts";
import { pastedText } from "./paste-bytes.ts";

export interface KeyDecoder {
  push(bytes: Uint8Array): readonly KeyEvent[];
  flush(): readonly KeyEvent[];
  readonly pendingEscape: boolean;
  readonly pendingPaste: boolean;
  /** A paste was closed by flush, and its end marker may still come. */
  readonly pendingEnd: boolean;
}

const pasteStart = "\x1b[200~";
const pasteEnd = "\x1b[201~";
const textRun = /[^\x00-\x1f\x7f-\x9f]+/y;
const csi = /\x1b\[(?:\[[\x20-\x7e]|(?!\[)([\x30-\x3f]*)([\x20-\x2f][\x20-\x3f]*)?([\x40-\x7e]))/y;
const ss3 = /\x1bO([0-9;]*)([\x40-\x7e])/y;
/** All that either may be before its last character. */
const csiBody = /\x1b\[(?:\[|[\x20-\x3f]*)/y;
const ss3Body = /\x1bO[0-9;]*/y;
/** What a control string (an answer of the terminal) may hold before its end. */
const stringRun = /[^\x00-\x1f\x9c]+/y;

export function createKeyDecoder(): KeyDecoder {
  const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  let buffer = "";
  let inString = false;
  let paste: string[] | undefined;
  /** A paste was closed without its end marker: what had come of that one. */
  let lateEnd: string | undefined;

  function push(bytes: Uint8Array): readonly KeyEvent[] {
    const text = utf8.decode(bytes, { stream: true });
    const late = lateEnd === undefined ? undefined : readLate(lateEnd, buffer + text);
    if (late === undefined) buffer += text;
    else buffer = late.rest;
    return late === undefined || late.text === "" ? read() : [pasteEvent(late.text), ...read()];
  }

  /** What is paste still, and what is not. Half a marker that nothing completes was text. */
  function readLate(begun: string, text: string): { text: string; rest: string } {
    const all = begun + text;
    const end = all.indexOf(pasteEnd);
    const start = all.indexOf(pasteStart);
    if (end !== -1 && (start === -1 || end < start)) {
      lateEnd = undefined;
      return { text: all.slice(0, end), rest: all.slice(end + pasteEnd.length) };
    }
    if (begun !== "" && pasteEnd.startsWith(all)) {
      lateEnd = all;
      return { text: "", rest: "" };
    }
    lateEnd = start === -1 ? "" : undefined;
    return { text: begun, rest: text };
  }

  function read(): readonly KeyEvent[] {
    const events: KeyEvent[] = [];
    let index = 0;
    while (index < buffer.length) {
      const step =
        paste !== undefined ? readPaste(index, paste) : inString ? readString(index) : readOne(buffer, index);
      if (step === undefined) break;
      index += step.length;
      if (step.event !== undefined) events.push(step.event);
      if (step.opens === "paste") paste = [];
      if (step.opens === "string") inString = true;
    }
    buffer = buffer.slice(index);
    return events;
  }

  function readPaste(index: number, pieces: string[]): Step | undefined {
    const end = buffer.indexOf(pasteEnd, index);
    if (end === -1) {
      const keep = pasteEndTail(buffer);
      const piece = buffer.slice(index, buffer.length - keep);
      if (piece === "") return undefined;
      pieces.push(piece);
      return { length: piece.length };
    }
    pieces.push(buffer.slice(index, end));
    return { length: end - index + pasteEnd.length, event: closePaste(pieces) };
  }

  function closePaste(pieces: readonly string[]): KeyEvent {
    paste = undefined;
    return pasteEvent(pieces.join(""));
  }

  /** Its end marker is lost, or late. */
  function breakPaste(pieces: readonly string[]): KeyEvent {
    const cut = utf8.decode();
    lateEnd = cut === "" ? buffer : "";
    const text = cut === "" ? "" : buffer + cut;
    buffer = "";
    return closePaste([...pieces, text]);
  }

  /** Skips an answer of the terminal up to its end; a key that cannot be a part of it ends it too. */
  function readString(index: number): Step | undefined {
    const run = matchAt(stringRun, buffer, index)?.[0].length ?? 0;
    if (run > 0) return { length: run };
    const unit = buffer.charAt(index);
    if (unit === "\x1b" && index + 1 === buffer.length) return undefined;
    inString = false;
    if (unit === "\x1b") return { length: buffer.charAt(index + 1) === "\\" ? 2 : 0 };
    return { length: unit === "\x07" || unit === "\x9c" ? 1 : 0 };
  }

  function flush(): readonly KeyEvent[] {
    if (paste !== undefined) return [breakPaste(paste)];
    if (inString && buffer === "\x1b") inString = false;
    const typed = /^(\x1b?)\x1b([[\]OPX^_]?)$/.exec(buffer);
    if (typed === null) return [];
    buffer = "";
    const [, first, character] = typed;
    const last = character === "" || character === undefined ? key("escape") : altKey(character);
    return first === "" ? [last] : [key("escape"), last];
  }

  return {
    push,
    flush,
    get pendingEscape() {
      return paste === undefined && buffer !== "";
    },
    get pendingPaste() {
      return paste !== undefined;
    },
    get pendingEnd() {
      return lateEnd !== undefined;
    },
  };
}

function pasteEvent(text: string): KeyEvent {
  return { kind: "paste", text: pastedText(text) };
}

interface Step {
  /** Consumed UTF-16 units; 0 only when a mode was left and the same place is read again. */
  readonly length: number;
  readonly event?: KeyEvent | undefined;
  readonly opens?: "paste" | "string";
}

/** One text run, key or sequence at `index`; undefined when its end has not arrived. */
function readOne(buffer: string, index: number): Step | undefined {
  const run = matchAt(textRun, buffer, index)?.[0];
  if (run !== undefined) return { length: run.length, event: { kind: "text", text: run } };
  if (buffer.charAt(index) !== "\x1b") return { length: 1, event: controlKey(buffer.charAt(index)) };
  return readEscape(buffer, index);
}

function readEscape(buffer: string, index: number): Step | undefined {
  const next = buffer.charAt(index + 1);
  if (next === "") return undefined;
  if (next === "[") return readCsi(buffer, index);
  if (next === "O") return readSs3(buffer, index);
  if ("]PX^_".includes(next)) return index + 2 < buffer.length ? { length: 2, opens: "string" } : undefined;
  if (next === "\x1b") return readDoubleEscape(buffer, index);
  const character = String.fromCodePoint(buffer.codePointAt(index + 1) ?? 0);
  const control = controlKey(character);
  const event =
    control?.kind === "key" ? { ...control, alt: true } : isControl(character) ? undefined : altKey(character);
  return { length: 1 + character.length, event };
}

/** ESC ESC [ A is how some terminals send alt+up; any other second ESC makes the first one a key of its own. */
function readDoubleEscape(buffer: string, index: number): Step | undefined {
  const third = buffer.charAt(index + 2);
  if (third === "") return undefined;
  if (third !== "[" && third !== "O") return { length: 1, event: key("escape") };
  const step = readEscape(buffer, index + 1);
  if (step === undefined) return undefined;
  if (step.opens !== undefined) return { length: 1, event: key("escape") };
  const event = step.event?.kind === "key" ? { ...step.event, alt: true } : step.event;
  return { length: step.length + 1, event };
}

function readCsi(buffer: string, index: number): Step | undefined {
  const match = matchAt(csi, buffer, index);
  if (match === undefined) return unfinished(buffer, index, csiBody);
  const [whole, parameters = "", intermediates = "", final = ""] = match;
  if (whole === pasteStart) return { length: whole.length, opens: "paste" };
  // X10 mouse reports carry three raw characters behind their final one.
  if (whole === "\x1b[M") return index + 6 <= buffer.length ? { length: 6 } : undefined;
  // rxvt ends shifted keys with "$", which the grammar counts as an intermediate: leave the next key alone.
  if (intermediates === "$" && /^\d+$/.test(parameters)) {
    return { length: parameters.length + 3, event: decodeCsi(parameters, "$") };
  }
  return { length: whole.length, event: intermediates === "" ? decodeCsi(parameters, final) : undefined };
}

function readSs3(buffer: string, index: number): Step | undefined {
  const match = matchAt(ss3, buffer, index);
  if (match === undefined) return unfinished(buffer, index, ss3Body);
  return { length: match[0].length, event: decodeSs3(match[1] ?? "", match[2] ?? "") };
}

/** Waits if the rest may still come; otherwise drops the fragment and reads on at what broke it. */
function unfinished(buffer: string, index: number, body: RegExp): Step | undefined {
  const length = matchAt(body, buffer, index)?.[0].length ?? 1;
  return index + length === buffer.length ? undefined : { length };
}

const controlNames: Readonly<Record<string, string>> = {
  "\r": "enter",
  "\t": "tab",
  "\x7f": "backspace",
  "\x1b": "escape",
};

function controlKey(unit: string): KeyEvent | undefined {
  const name = controlNames[unit];
  if (name !== undefined) return key(name);
  if (unit === "\0") return key("space", { ctrl: true });
  if (unit.length !== 1 || unit > "\x1f") return undefined;
  return key(String.fromCharCode(unit.charCodeAt(0) + 0x40).toLowerCase(), { ctrl: true });
}

function isControl(character: string): boolean {
  return /^[\x00-\x1f\x7f-\x9f]/.test(character);
}

function altKey(character: string): KeyEvent {
  const name = character === " " ? "space" : character.toLowerCase();
  return key(name, { alt: true, shift: name !== character && name !== "space" });
}

/** How much of the end of `text` may be the beginning of the end marker. */
function pasteEndTail(text: string): number {
  for (let length = Math.min(pasteEnd.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(pasteEnd.slice(0, length))) return length;
  }
  return 0;
}

function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | undefined {
  pattern.lastIndex = index;
  return pattern.exec(text) ?? undefined;
}
