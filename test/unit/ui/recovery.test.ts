import { describe, expect, it } from "vitest";
import { type KeyEvent, key } from "../../../src/ui/key-event.ts";
import { type DecideState, decideReducer, openDecision, ownTurns, renewDecision } from "../../../src/ui/recovery.ts";
import { call, halfAnswer, openTurnOf as turn } from "./view-samples.ts";

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

  it("offers to wait for a call that still runs, to stop it or to leave it, and to resume only after that", () => {
    const state = openDecision(turn([call(3, { state: "running" })]));
    expect(labels(state)).not.toContain("Resume the turn");
    const asked = press(state, "enter");
    expect(labels(asked)).toEqual(["Wait for it", "Stop it", "Leave it", "Back"]);
    expect(press(asked, "enter").chosen).toMatchObject({ command: "/recover call 3 --wait" });
    expect(press(asked, "down", "enter").chosen).toMatchObject({ command: "/recover call 3 --stop" });
    expect(press(asked, "down", "down", "enter").chosen).toEqual({ kind: "later" });
  });

  it("is about the turn as it is now: what has ended is not asked about, and nothing is chosen then", () => {
    const running = call(3, { state: "running", evidence: "still running: process group 7" });
    const ended = call(3, { state: "succeeded", evidence: "finished after the crash", result: 9 as never });
    for (const state of [openDecision(turn([running])), press(openDecision(turn([running])), "enter")]) {
      const renewed = renewDecision(state, turn([ended]));
      expect(labels(renewed)[0]).toBe("Resume the turn");
      expect(renewed.turn.calls).toEqual([ended]);
      expect(press(renewed, "enter").chosen).toBeUndefined();
    }
    const lost = renewDecision(press(openDecision(turn([running])), "enter"), turn([unknown]));
    expect(labels(lost)[0]).toBe("It happened");
    expect(press(lost, "enter").chosen).toBeUndefined();
    const chosen = press(openDecision(turn([running, call(4, { state: "running" })])), "enter", "down");
    const other = renewDecision(chosen, turn([running, { ...ended, id: 4 as never }]));
    expect([other.selected, other.call]).toEqual([1, running]);
  });

  it("names each of several open calls", () => {
    const state = openDecision(turn([unknown, call(4, { state: "running" })]));
    expect(labels(state).slice(0, 2)).toEqual([
      "Decide about shell (call 3)",
      "Decide about shell (call 4), still running",
    ]);
  });

  it("offers to keep a half answer, after settling without it", () => {
    const state = openDecision(turn([], { draft: halfAnswer }));
    expect(labels(state).slice(0, 3)).toEqual([
      "Resume the turn",
      "Settle as interrupted",
      "Settle and keep the half answer",
    ]);
    expect(press(state, "down", "down", "enter").chosen).toMatchObject({ command: "/recover settle 7 --keep" });
  });

  it("offers to give up first when a turn was tried three times", () => {
    const state = openDecision(turn([], { attempts: 3 }));
    expect(labels(state).slice(0, 2)).toEqual(["Settle as interrupted", "Resume the turn"]);
    expect(press(state, "enter").chosen).toMatchObject({ command: "/recover settle 7" });
  });

  it("does not offer to give up before a call is decided about", () => {
    const state = openDecision(turn([unknown], { attempts: 3 }));
    expect(labels(state).slice(0, 2)).toEqual(["Decide about the open call", "Settle as interrupted"]);
    expect(press(state, "enter").chosen).toBeUndefined();
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
