import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AdmissionId } from "../../../src/ledger/types.ts";
import { Attention, desktopMessage } from "../../../src/ui/attention.ts";
import type { Modal } from "../../../src/ui/live-screen.ts";
import { openTurn } from "../../../src/ui/live-turn.ts";
import { showsTitle, TerminalExtras } from "../../../src/ui/terminal-extras.ts";
import { initialView, type ViewState } from "../../../src/ui/view-state.ts";
import { plainTheme, session } from "./view-samples.ts";

const { glyphs } = plainTheme;
const question: Modal = { view: { kind: "confirm", question: "?" }, onKey: () => {} };
const list = { view: { kind: "picker" }, onKey: () => {} } as unknown as Modal;
const titled = { ...session, title: "fix \x1b]0;evil\x07 it" };
const idle: ViewState = { ...initialView(80), phase: "open", session: titled };

function running(since = Date.now(), id = 7): ViewState {
  return { ...idle, turn: openTurn(id as AdmissionId, since) };
}

function opened(more: { notify?: "off" | "bell" | "desktop"; title?: boolean; env?: Record<string, string> } = {}) {
  const written: string[] = [];
  const write = (text: string): void => void written.push(text);
  const extras = new TerminalExtras(write);
  const { notify = "bell", title = false, env = { TERM: "xterm-256color" } } = more;
  const attention = new Attention({ extras, write, env, folder: "~/code", title, notify });
  const look = (view: ViewState, modal?: Modal): void => attention.look(view, modal, glyphs);
  return { attention, extras, written, look };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a call for attention", () => {
  it("comes once when a turn of more than ten seconds ends, and not for a shorter one", () => {
    const { written, look } = opened();
    look(running());
    vi.advanceTimersByTime(9_000);
    look(idle);
    expect(written).toEqual([]);
    look(running(Date.now(), 8));
    vi.advanceTimersByTime(11_000);
    look(idle);
    look(idle);
    expect(written).toEqual(["\x07"]);
  });

  it("comes when it asks, not for a list that a person opened, and not while somebody types", () => {
    const { attention, written, look } = opened();
    const turn = running();
    look(turn);
    vi.advanceTimersByTime(20_000);
    look(turn, list);
    attention.touched();
    look(turn, question);
    expect(written).toEqual([]);
    look(turn);
    vi.advanceTimersByTime(11_000);
    look(turn, question);
    look(turn, question);
    expect(written).toEqual(["\x07"]);
  });

  it("does not come to a window that is looked at, as far as the terminal says so", () => {
    const { extras, written, look } = opened();
    extras.watchFocus();
    written.length = 0;
    for (const [report, calls] of [
      ["\x1b[I", 0],
      ["\x1b[O", 1],
    ] as const) {
      extras.see(Buffer.from(report.slice(0, 2)));
      extras.see(Buffer.from(report.slice(2)));
      look(running());
      vi.advanceTimersByTime(20_000);
      look(idle);
      expect(written).toHaveLength(calls);
    }
  });

  it("does not come when it is off, or when the program is closing", () => {
    for (const { written, look, end } of [
      { ...opened({ notify: "off" }), end: idle },
      { ...opened(), end: { ...idle, phase: "closing" } as const },
    ]) {
      look(running());
      vi.advanceTimersByTime(20_000);
      look(end);
      expect(written).toEqual([]);
    }
  });

  it.each([
    [{ TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" }, "\x1b]9;stele done: a, b\x07"],
    [{ TERM: "xterm-kitty" }, "\x1b]9;stele done: a, b\x07"],
    [{ TERM: "foot" }, "\x1b]777;notify;stele;done: a, b\x07"],
    [{ TERM: "xterm-256color", VTE_VERSION: "7000" }, "\x1b]777;notify;stele;done: a, b\x07"],
    [{ TERM: "tmux-256color", TMUX: "x", TERM_PROGRAM: "iTerm.app" }, "\x07"],
    [{ TERM: "xterm-256color" }, "\x07"],
  ])("is on the desktop of %j: %j", (env, expected) => {
    expect(desktopMessage("done: a; b\x1b]0;x\x07", env)).toBe(expected);
  });
});

describe("the title", () => {
  it("says which conversation is open, whether it runs and whether it asks, each once and clean", () => {
    const { written, look } = opened({ title: true });
    for (const view of [idle, idle, running()]) look(view);
    look(running(), question);
    look(idle);
    const text = "stele · fix  it · ~/code";
    expect(written).toEqual([
      `\x1b[22;0t\x1b]2;${text}\x07`,
      `\x1b]2;↻ ${text}\x07`,
      `\x1b]2;? ${text}\x07`,
      `\x1b]2;${text}\x07`,
    ]);
  });

  it("is given back and taken again, once each, and not touched meanwhile", () => {
    const { extras, written, look } = opened({ title: true });
    expect(extras.off()).toBe("");
    expect(extras.on()).toBe("");
    look(idle);
    expect(extras.off()).toBe("\x1b]2;\x07\x1b[23;0t");
    expect(extras.off()).toBe("");
    written.length = 0;
    look(running());
    expect(written).toEqual([]);
    expect(extras.on()).toBe("\x1b[22;0t\x1b]2;↻ stele · fix  it · ~/code\x07");
    // Stopped and gone on with, nobody has taken it off the stack.
    expect(extras.on()).toBe("\x1b]2;↻ stele · fix  it · ~/code\x07");
  });

  it.each([
    [{ TERM: "xterm-256color" }, true],
    [{ TERM: "linux" }, false],
    [{ TERM: "dumb" }, false],
    [{}, false],
  ])("of %j is set: %s", (env, expected) => expect(showsTitle(env)).toBe(expected));
});
