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
  const told: (number | undefined)[] = [];
  const input = openKeyInput({
    stdin: stdin as unknown as Parameters<typeof openKeyInput>[0]["stdin"],
    stdout: { write: (text) => written.push(text) },
    onKeys: (events) => reads.push(events),
    onPasting: (bytes) => told.push(bytes),
    ...more,
  });
  return { stdin, written, reads, told, input, send: (text: string) => stdin.emit("data", Buffer.from(text)) };
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

  describe("a terminal that does not mark pastes", () => {
    const lines = "git status\rgit add .\rgit commit\r";

    it("gives what no hand types in one read, and what follows at once, as one paste", () => {
      const { reads, send } = start();
      send(lines);
      vi.advanceTimersByTime(100);
      send("rm -rf x\r");
      vi.advanceTimersByTime(100);
      send("\x03");
      expect(reads).toEqual([]);
      vi.advanceTimersByTime(160);
      expect(reads).toEqual([[{ kind: "paste", text: `${lines}rm -rf x\r\x03`.replaceAll("\r", "\n") }]]);
      send("\r");
      expect(reads[1]).toEqual([key("enter")]);
    });

    it.each([
      ["one line of typing with its enter key", "fix the test that fails on Tuesdays\r"],
      ["two short lines", "say one\rsay two\r"],
      ["an enter or a tab that is held down", "\r".repeat(60) + "\t".repeat(60)],
      ["keys that repeat", "\x1b[A".repeat(200)],
    ])("is not seen in %s", (_title, typed) => {
      const { reads, send } = start();
      send(typed);
      vi.advanceTimersByTime(10);
      expect(reads.flat().some(({ kind }) => kind === "paste")).toBe(false);
      expect(reads.flat().some((event) => event.kind === "key")).toBe(true);
    });

    it.each(["\tif x:\n\t\treturn 1\n\tpass it on\n", "\ta\n\t\tb\n\t\t\tc\n\t\t\t\td\n\t\te\n\tf\n"])(
      "is known by its line ends and tabs as by its letters, and keeps them: %j",
      (code) => {
        const { reads, send } = start();
        send(code);
        vi.advanceTimersByTime(300);
        expect(reads).toEqual([[{ kind: "paste", text: code }]]);
      },
    );

    it("is known by many characters without any line end too", () => {
      const { reads, send } = start();
      send("x".repeat(500));
      send("\r");
      vi.advanceTimersByTime(200);
      expect(reads).toEqual([[{ kind: "paste", text: `${"x".repeat(500)}\n` }]]);
    });

    it("gives characters that reads have cut whole, and all bytes when it is closed", () => {
      const { reads, input, stdin } = start();
      const all = Buffer.from("日本語のテキスト\n".repeat(9));
      stdin.emit("data", all.subarray(0, 100));
      stdin.emit("data", all.subarray(100));
      input.close();
      expect(reads).toEqual([[{ kind: "paste", text: all.toString() }]]);
    });

    it("was typed ahead, where it may be what a hand wrote at leisure", () => {
      const { reads, send } = start({ hasTypedAhead: true });
      send(lines.replaceAll("\r", "\n"));
      vi.advanceTimersByTime(10);
      expect(reads.flat().filter((event) => event.kind === "key")).toEqual([key("enter"), key("enter"), key("enter")]);
    });
  });

  it("goes on with a paste that had paused for too long, also where it comes in pieces", () => {
    const { reads, send } = start();
    send("\x1b[200~one\n");
    vi.advanceTimersByTime(2_001);
    send("two\r");
    send("three\r\x1b[201~");
    vi.advanceTimersByTime(200);
    expect(reads.flat()).toEqual(["one\n", "two\nthree\n"].map((text) => ({ kind: "paste", text })));
    send("\r");
    expect(reads.flat().at(-1)).toEqual(key("enter"));
  });

  it("tells how far a long paste has come, and when it is over", () => {
    const { told, send } = start();
    send("\x1b[200~short\x1b[201~");
    expect(told).toEqual([]);
    send("\x1b[200~");
    send("x".repeat(300_000));
    send("x".repeat(300_000));
    expect(told).toEqual([300_006, 600_006]);
    send("\x1b[201~");
    expect(told.at(-1)).toBe(undefined);
  });
});
