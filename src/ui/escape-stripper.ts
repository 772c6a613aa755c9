// First half of the sanitiser: takes terminal control out of a stream of text, after the grammar of ECMA-48.
// What comes out holds newline and tab as its only controls, and well-formed UTF-16. Sequences vanish whole, as a
// terminal would have swallowed them. A control string that is not terminated ends with its line, so that a
// program cannot hide everything after it. The result does not depend on how the input was cut.

export interface EscapeStripper {
  push(chunk: string): string;
  end(): string;
}

/** Outside sequences; after ESC; in a control sequence (ESC [); in a control string (OSC, DCS, SOS, PM, APC). */
type Mode = "text" | "escape" | "csi" | "string";

const plainRun = /[^\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]+/y;
const stringRun = /[^\n\r\x07\x18\x1a\x1b\x9c\u2028\u2029]+/y;

export function createEscapeStripper(): EscapeStripper {
  let mode: Mode = "text";
  let high = "";
  let afterReturn = false;

  /** One UTF-16 unit outside sequences; returns what a screen may see of it. */
  function textUnit(unit: string): string {
    const wasReturn = afterReturn;
    afterReturn = unit === "\r";
    if (unit === "\n") return wasReturn ? "" : "\n";
    if (unit === "\r" || unit === "\u2028" || unit === "\u2029") return "\n";
    if (unit === "\t") return "\t";
    if (unit === "\x1b") mode = "escape";
    else if (unit === "\x9b") mode = "csi";
    else if (isStringOpener(unit)) mode = "string";
    else if (unit >= "\ud800" && unit <= "\udbff") high = unit;
    else if (unit >= "\udc00" && unit <= "\udfff") return "\ufffd";
    return "";
  }

  /** One unit inside a sequence: true when it belongs to it, false when it has to be read as text. */
  function sequenceUnit(unit: string): boolean {
    const opened = mode;
    if (unit === "\x1b") return enter("escape");
    if (opened === "string") {
      mode = "text";
      return unit !== "\n" && unit !== "\r" && unit !== "\u2028" && unit !== "\u2029";
    }
    if (unit === "\x18" || unit === "\x1a") return enter("text");
    if (opened === "escape" && unit === "[") return enter("csi");
    if (opened === "escape" && "]PX^_".includes(unit)) return enter("string");
    const final = opened === "csi" ? unit >= "\x40" && unit <= "\x7e" : unit >= "\x30" && unit <= "\x7e";
    if (final) return enter("text");
    if (unit >= "\x20" && unit <= (opened === "csi" ? "\x3f" : "\x2f")) return true;
    // Terminals carry out a control inside a sequence and go on with it; only a new line ends it here.
    if ((unit < "\x20" && unit !== "\n" && unit !== "\r") || unit === "\x7f") return true;
    mode = "text";
    return false;
  }

  function enter(next: Mode): true {
    mode = next;
    return true;
  }

  /** A high surrogate waits for its other half, over a chunk's end too. */
  function closePair(unit: string): string {
    const first = high;
    high = "";
    return unit >= "\udc00" && unit <= "\udfff" ? first + unit : "\ufffd";
  }

  function push(chunk: string): string {
    let out = "";
    let index = 0;
    while (index < chunk.length) {
      if (high !== "") {
        const pair = closePair(chunk.charAt(index));
        out += pair;
        if (pair.length === 2) index += 1;
        continue;
      }
      const run =
        mode === "text" ? matchAt(plainRun, chunk, index) : mode === "string" ? matchAt(stringRun, chunk, index) : "";
      if (run !== "") {
        if (mode === "text") [out, afterReturn] = [out + run.slice(afterReturn && run.startsWith("\n") ? 1 : 0), false];
        index += run.length;
        continue;
      }
      const unit = chunk.charAt(index);
      if (mode !== "text" && sequenceUnit(unit)) index += 1;
      else if (mode === "text") [out, index] = [out + textUnit(unit), index + 1];
    }
    return out;
  }

  return { push, end: () => (high === "" ? "" : closePair("")) };
}

function isStringOpener(unit: string): boolean {
  return unit === "\x90" || unit === "\x98" || (unit >= "\x9d" && unit <= "\x9f");
}

function matchAt(pattern: RegExp, text: string, index: number): string {
  pattern.lastIndex = index;
  return pattern.exec(text)?.[0] ?? "";
}
