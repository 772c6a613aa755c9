import { EventEmitter } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type KeyEvent, key } from "../../../src/ui/key-event.ts";
import { openKeyInput } from "../../../src/ui/key-input.ts";

/** A terminal's two ends that write down what was done to them. */
class Stdin extends EventEmitter {
  readonly raw: boolean[] = [];
  setRawMode(on: boolean): this {
    this.raw.push(on);
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  resume(): this {
    return this;
  }
  pause(): this {
    return this;
  }
}

function start(more: { hasTypedAhead?: boolean } = {}) {
  const stdin = new Stdin();
  const written: string[] = [];
  const reads: (readonly KeyEvent[])[] = [];
  const input = openKeyInput({
    stdin: stdin as unknown as Parameters<typeof openKeyInput>[0]["stdin"],
    stdout: { write: (text) => written.push(text) },
    onKeys: (events) => reads.push(events),
    ...more,
  });
  return { stdin, written, reads, input, send: (text: string) => stdin.emit("data", Buffer.from(text)) };
}

describe("openKeyInput", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("tells all keys of a read at once", () => {
    const { reads, send } = start();
    send("ab\r");
    expect(reads).toEqual([[{ kind: "text", text: "ab" }, key("enter")]]);
  });

  it("makes a lone escape a key after a quiet time, but not when its sequence goes on", () => {
    const { reads, send } = start();
    send("\x1b");
    vi.advanceTimersByTime(49);
    send("[A");
    vi.advanceTimersByTime(1_000);
    send("\x1b");
    vi.advanceTimersByTime(51);
    expect(reads).toEqual([[key("up")], [key("escape")]]);
  });

  it("takes the line feeds of what was typed before raw mode for enter, and later ones for themselves", () => {
    const { reads, send } = start({ hasTypedAhead: true });
    send("one\ntwo\n");
    vi.advanceTimersByTime(200);
    send("\n");
    expect(reads).toEqual([
      [{ kind: "text", text: "one" }, key("enter"), { kind: "text", text: "two" }, key("enter")],
      [key("j", { ctrl: true })],
    ]);
    const later = start();
    later.send("\n");
    expect(later.reads).toEqual([[key("j", { ctrl: true })]]);
  });

  it("closes a paste without an end only after a long quiet time", () => {
    const { reads, send } = start();
    send("\x1b[200~a");
    vi.advanceTimersByTime(1_900);
    send("b\r");
    vi.advanceTimersByTime(1_900);
    expect(reads).toEqual([]);
    vi.advanceTimersByTime(200);
    expect(reads).toEqual([[{ kind: "paste", text: "ab\n" }]]);
  });

  it("gives the terminal back once, and hears nothing afterwards", () => {
    const { stdin, written, reads, input, send } = start();
    send("\x1b");
    input.close();
    input.close();
    send("x");
    vi.advanceTimersByTime(5_000);
    expect(reads).toEqual([]);
    expect(stdin.raw).toEqual([true, false]);
    expect(written).toEqual(["\x1b[?2004h", "\x1b[?2004l"]);
  });
});
