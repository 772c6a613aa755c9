import { describe, expect, it } from "vitest";
import type { OpenTurn } from "../../../src/ledger/recovery.ts";
import { type KeyEvent, key } from "../../../src/ui/key-event.ts";
import {
  agoWords,
  type DecideState,
  decideLines,
  decideReducer,
  openDecision,
  ownTurns,
} from "../../../src/ui/recovery.ts";
import { lineText } from "../../../src/ui/styled-line.ts";
import { call, plainTheme, session, turnId } from "./view-samples.ts";

const turn = (calls: OpenTurn["calls"]): OpenTurn => ({
  admission: { id: turnId, summary: "fix it", startedAt: 0, payload: { prompt: [], cwd: "/" } } as never,
  session,
  calls,
});
const unknown = call(3, { state: "unknown", evidence: "started, no end recorded" });

const press = (state: DecideState, ...keys: readonly (string | KeyEvent)[]): DecideState =>
  keys.reduce<DecideState>(
    (current, each) => decideReducer(current, typeof each === "string" ? key(each) : each),
    state,
  );
const labels = (state: DecideState): readonly string[] => state.options.map(({ label }) => label);

describe("deciding about an interrupted turn", () => {
  it("offers to resume only when no call is undecided", () => {
    expect(labels(openDecision(turn([unknown])))).toEqual([
      "Decide about the open call",
      "Settle as interrupted",
      "Look first",
      "Later",
    ]);
    expect(labels(openDecision(turn([call(1, { state: "approved" })])))).toEqual([
      "Resume the turn",
      "Settle as interrupted",
      "Look first",
      "Later",
    ]);
  });

  it("asks about the call with nothing preselected, so that one enter too many decides nothing", () => {
    const asked = press(openDecision(turn([unknown])), "enter");
    expect(labels(asked)).toEqual(["It happened", "It did not happen", "Run it again", "Back"]);
    expect(asked.selected).toBeUndefined();
    expect(press(asked, "enter", "enter").chosen).toBeUndefined();
  });

  it.each([
    [1, "--happened"],
    [2, "--not-happened"],
    [3, "--again"],
  ])("turns the answer %d into the words of its command", (downs, flag) => {
    const asked = press(openDecision(turn([unknown])), "enter");
    const chosen = press(asked, ...Array.from({ length: downs }, () => "down"), "enter").chosen;
    expect(chosen).toEqual({ kind: "run", command: `/recover call 3 ${flag}`, resumes: false });
  });

  it("resumes and settles by command", () => {
    const state = openDecision(turn([]));
    expect(press(state, "enter").chosen).toEqual({ kind: "run", command: "/recover resume 7", resumes: true });
    expect(press(state, "down", "enter").chosen).toMatchObject({ command: "/recover settle 7" });
  });

  it("takes escape for back, and then for later", () => {
    const asked = press(openDecision(turn([unknown])), "enter");
    expect(labels(press(asked, "escape"))[0]).toBe("Decide about the open call");
    expect(press(asked, "escape", "escape").chosen).toEqual({ kind: "later" });
  });

  it("does not take an enter that ends words meant for the composer", () => {
    const typed = press(openDecision(turn([])), { kind: "text", text: "go on" }, "enter");
    expect(typed.chosen).toBeUndefined();
    expect(press(typed, "down", "enter").chosen).toMatchObject({ command: "/recover resume 7" });
  });

  it("leaves out turns that somebody else is at", () => {
    const holder = { pid: 1, host: "h", program: "stele" };
    expect(ownTurns([turn([]), { ...turn([]), holder }])).toHaveLength(1);
  });
});

describe("how it looks", () => {
  const look = { width: 80, theme: plainTheme };

  it("tells what was interrupted, when, and what is known of each call", () => {
    const lines = decideLines(openDecision(turn([unknown])), look, { rows: 20, now: 12 * 60_000 }).map(lineText);
    expect(lines[0]).toBe('! A turn was interrupted: "fix it", 12 minutes ago');
    expect(lines[1]).toMatch(/⎿ shell npm test +\? started, no end recorded$/);
    expect(lines[2]).toBe("❯ Decide about the open call");
  });

  it("tells the keys, and what to press first where nothing is chosen", () => {
    const last = (state: DecideState): string | undefined =>
      decideLines(state, look, { rows: 20, now: 0 }).map(lineText).at(-1);
    const open = openDecision(turn([unknown]));
    expect(last(open)).toBe("arrows and enter choose · esc: later");
    expect(last(press(open, { kind: "text", text: "x" }))).toBe("press an arrow first, then enter · esc: later");
    expect(last(press(open, "enter"))).toBe("press an arrow first, then enter · esc goes back");
  });

  it("keeps the chosen option in sight in a window of few rows", () => {
    const state = press(openDecision(turn([unknown])), "down", "down", "down");
    for (const rows of [1, 2, 3]) {
      const lines = decideLines(state, look, { rows, now: 0 }).map(lineText);
      expect(lines).toHaveLength(rows);
      expect(lines).toContain("❯ Later");
    }
  });

  it("says how long ago in the unit that fits", () => {
    expect([5_000, 60_000 * 5, 3_600_000 * 5, 86_400_000 * 5].map(agoWords)).toEqual([
      "5 s ago",
      "5 minutes ago",
      "5 hours ago",
      "5 days ago",
    ]);
  });
});
