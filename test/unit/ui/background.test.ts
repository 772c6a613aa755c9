import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BackgroundQuestion, mayAsk, readBackground } from "../../../src/ui/background.ts";
import { createKeyDecoder } from "../../../src/ui/keys.ts";

const light = "\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\";
const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");

describe("the terminal's word about its background", () => {
  it.each([
    ["\x1b]11;rgb:0000/0000/0000\x1b\\", "dark"],
    ["\x1b]11;rgb:ffff/ffff/ffff\x07", "light"],
    ["\x1b]11;rgb:28/2c/34\x07", "dark"],
    ["\x1b]11;rgba:f/f/f/f\x07", "light"],
    ["\x1b]11;#ffffff\x07", "light"],
    ["\x1b]10;rgb:ffff/ffff/ffff\x07", undefined],
    ["\x1b]11;?\x07", undefined],
    ["typed text", undefined],
  ])("%j is %s", (text, expected) => expect(readBackground(text)).toBe(expected));

  it.each([
    [{ TERM: "xterm-256color" }, true],
    [{ TERM: "tmux-256color" }, true],
    [{ TERM: "linux" }, false],
    [{ TERM: "screen.xterm" }, false],
    [{ TERM: "dumb" }, false],
    [{}, false],
  ])("%j may be asked: %s", (env, expected) => expect(mayAsk(env)).toBe(expected));
});

describe("the question", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function asked(): { question: BackgroundQuestion; heard: string[]; written: string[] } {
    const heard: string[] = [];
    const written: string[] = [];
    const question = new BackgroundQuestion((background) => heard.push(background));
    question.ask({ write: (text: string) => written.push(text) });
    return { question, heard, written };
  }

  it("is asked once and hears its answer among keys, however it was cut into reads", () => {
    for (let cut = 1; cut < light.length; cut += 1) {
      const { question, heard, written } = asked();
      for (const piece of [`ab${light.slice(0, cut)}`, `${light.slice(cut)}cd`, light]) question.see(bytes(piece));
      expect(heard).toEqual(["light"]);
      expect(written).toEqual(["\x1b]11;?\x1b\\"]);
    }
  });

  it("hears nothing after its time, and then nobody who leaves waits for it", async () => {
    const { question, heard } = asked();
    vi.advanceTimersByTime(1_500);
    await question.settled();
    question.see(bytes(light));
    expect(heard).toEqual([]);
  });

  it("keeps who leaves waiting while its answer may be on its way", async () => {
    const { question } = asked();
    let isSettled = false;
    const settled = question.settled().then(() => {
      isSettled = true;
    });
    await Promise.resolve();
    expect(isSettled).toBe(false);
    question.see(bytes(light));
    await settled;
  });

  it("has an answer that is never text, at any time and in any pieces", () => {
    for (let cut = 1; cut < light.length; cut += 1) {
      const decoder = createKeyDecoder();
      const events = [
        ...decoder.push(bytes(`a${light.slice(0, cut)}`)),
        ...decoder.push(bytes(`${light.slice(cut)}b`)),
      ];
      expect(events.map((event) => (event.kind === "text" ? event.text : event.kind)).join("")).toBe("ab");
    }
  });
});
