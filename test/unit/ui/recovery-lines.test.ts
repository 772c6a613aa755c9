import { describe, expect, it } from "vitest";
import type { MessageId } from "../../../src/ledger/types.ts";
import { key } from "../../../src/ui/key-event.ts";
import { type DecideState, decideReducer, openDecision } from "../../../src/ui/recovery.ts";
import { agoWords, decideLines, turnDetails, waitLines } from "../../../src/ui/recovery-lines.ts";
import { lineText } from "../../../src/ui/styled-line.ts";
import { expectFits } from "../../helpers/screen.ts";
import { call, halfAnswer, openTurnOf, plainTheme } from "./view-samples.ts";

const wide = { width: 80, theme: plainTheme };
const unknown = call(3, { state: "unknown", evidence: "started, no exit recorded, process gone" });
const applied = call(1, {
  tool: "edit_file",
  input: { path: "src/clock.ts" },
  state: "succeeded",
  result: 9 as MessageId,
  evidence: "read back: applied",
});
const finished = call(2, {
  state: "failed",
  result: 10 as MessageId,
  evidence: "finished after the crash: exit 1, 212 lines",
});

function shown(state: DecideState, { rows = 20, now = 0, look = wide } = {}): readonly string[] {
  return decideLines(state, look, { rows, now }).map(lineText);
}
const press = (state: DecideState, ...keys: readonly string[]): DecideState =>
  keys.reduce<DecideState>((current, each) => decideReducer(current, key(each)), state);

describe("an interrupted turn", () => {
  it("tells what was interrupted, when, and the evidence of each call with the sign of what it proves", () => {
    const lines = shown(openDecision(openTurnOf([applied, finished, unknown])), { now: 12 * 60_000 });
    expect(lines[0]).toBe('! A turn was interrupted: "fix it", 12 minutes ago');
    expect(lines[1]).toMatch(/^ {2}✓ edit_file src\/clock\.ts +read back: applied$/);
    expect(lines[2]).toMatch(/^ {2}✓ shell npm test +finished after the crash: exit 1, 212 lines$/);
    expect(lines[3]).toMatch(/^ {2}\? shell npm test +unknown: started, no exit recorded, process gone$/);
    expect(lines[4]).toBe("❯ Decide about the open call");
  });

  it("marks a call that still runs, and one that was never started", () => {
    const running = call(3, { state: "running", evidence: "still running: process group 7" });
    const lines = shown(openDecision(openTurnOf([running, call(4, { state: "approved" })])));
    expect(lines[1]).toMatch(/^ {2}↻ shell npm test +still running: process group 7$/);
    expect(lines[2]).toMatch(/^ {2}… shell npm test +not started$/);
  });

  it("puts the evidence below its call where a row has no room for both", () => {
    const lines = shown(openDecision(openTurnOf([unknown])), { look: { ...wide, width: 40 } });
    expect(lines.slice(2, 5)).toEqual([
      "  ? shell npm test",
      "      unknown: started, no exit",
      "      recorded, process gone",
    ]);
  });

  it("says how often it was tried from the third time on", () => {
    expect(shown(openDecision(openTurnOf([], { attempts: 2 })))[0]).not.toContain("tried");
    expect(shown(openDecision(openTurnOf([], { attempts: 3 })))[0]).toContain(", tried 3 times");
  });

  it("shows the end of a half answer as no part of the conversation, and all of it on request", () => {
    const draft = { ...halfAnswer, text: "first\nsecond\nthird\nfourth\nfif" };
    const turn = openTurnOf([], { draft });
    expect(shown(openDecision(turn)).slice(1, 5)).toEqual([
      "  half answer: cut off, not part of the conversation",
      "    third",
      "    fourth",
      "    fif",
    ]);
    expect(turnDetails(turn).at(-1)).toBe(draft.text);
  });

  it("keeps every choice and the open call in sight when there are more calls than rows", () => {
    const many = Array.from({ length: 30 }, (_, index) => ({ ...applied, id: (index + 10) as typeof applied.id }));
    const lines = shown(openDecision(openTurnOf([unknown, ...many], { draft: halfAnswer })), { rows: 12 });
    expect(lines).toHaveLength(12);
    expect(lines.join("\n")).toContain("unknown: started");
    expect(lines.join("\n")).toMatch(/\+29 more calls/);
    expect(lines.filter((line) => /Decide|Settle|Look first|Later/.test(line))).toHaveLength(5);
  });

  it.each([1, 5, 11, 23, 40, 80])("fits %d columns at every height", (width) => {
    const state = openDecision(openTurnOf([applied, unknown], { draft: halfAnswer, attempts: 4 }));
    for (let rows = 1; rows < 20; rows += 1)
      expectFits(shown(state, { rows, look: { ...wide, width } }), { cols: width, rows });
  });

  it("lets nothing of a call or a half answer act on the terminal", () => {
    const draft = { ...halfAnswer, text: "red \x1b[31m\x9b2J end" };
    const evil = call(3, { state: "unknown", evidence: "\x1b]0;x\x07gone", input: { command: "a\x1b[2Jb" } });
    expect(shown(openDecision(openTurnOf([evil], { draft }))).join("")).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
  });
});

describe("the choices", () => {
  it("tell the keys, and what to press first where nothing is chosen", () => {
    const open = openDecision(openTurnOf([unknown]));
    expect(shown(open).at(-1)).toBe("arrows and enter choose · esc: later");
    const typed = decideReducer(open, { kind: "text", text: "x" });
    expect(shown(typed).at(-1)).toBe("press an arrow first, then enter · esc: later");
    expect(shown(press(open, "enter")).at(-1)).toBe("press an arrow first, then enter · esc goes back");
  });

  it("keep the chosen one in sight in a window of few rows", () => {
    const state = press(openDecision(openTurnOf([unknown])), "down", "down", "down");
    for (const rows of [1, 2, 3]) {
      const lines = shown(state, { rows });
      expect(lines).toHaveLength(rows);
      expect(lines).toContain("❯ Later");
    }
  });
});

describe("waiting for a command", () => {
  it("shows how long, what is waited for, its last words, and how to stop waiting", () => {
    const wait = { title: "shell npm test", since: 0, line: "12 of 40 passed" };
    expect(waitLines(wait, wide, { rows: 10, now: 65_000 }).map(lineText)).toEqual([
      "↻ 1 min 5 s shell npm test",
      "    12 of 40 passed",
      "esc stops waiting, not the command",
    ]);
    expect(waitLines(wait, wide, { rows: 1, now: 0 })).toHaveLength(1);
  });
});

describe("how long ago", () => {
  it("is said in the unit that fits", () => {
    expect([5_000, 60_000, 60_000 * 5, 3_600_000 * 5, 86_400_000 * 5].map(agoWords)).toEqual([
      "5 s ago",
      "1 minute ago",
      "5 minutes ago",
      "5 hours ago",
      "5 days ago",
    ]);
  });
});
