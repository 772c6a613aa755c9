// What the screen makes of a request that failed and is made again.
import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../../src/agent/events.ts";
import { liveLines } from "../../../src/ui/live-lines.ts";
import { savingOf } from "../../../src/ui/saving.ts";
import { lineText } from "../../../src/ui/styled-line.ts";
import { after, answer, delta, openView, plainTheme, printed, settled, started, turnId } from "./view-samples.ts";

const wait: SessionEvent = {
  type: "retry-wait",
  admission: turnId,
  retry: 1,
  of: 8,
  waitMs: 7_000,
  at: 7_000,
  error: { code: "model_cut", message: "cut" },
};
const shown = (state: ReturnType<typeof openView>) =>
  liveLines(state, { width: 80, theme: plainTheme }).map((line) => lineText(line).trim());

describe("a wait for a retry", () => {
  it("marks what had streamed as not kept, and is saved: nothing of it is part of the conversation", () => {
    const state = after(openView(), started, delta("half an answer"), wait);
    expect(printed(state)).toEqual(["● half an answer", "  not kept: the answer broke off, asked again"]);
    expect(savingOf(state).kind).toBe("saved");
    expect(shown(state)).toEqual(["the answer broke off · again in 7 s · esc stops"]);
  });

  it("is over with the first of the next answer, which is shown whole", () => {
    const state = after(openView(), started, delta("half"), wait, delta("whole"), answer(3, "whole"), settled());
    expect(shown(after(openView(), started, wait, delta("w")))).toEqual(["● w"]);
    expect(printed(state)).toEqual(["● half", "  not kept: the answer broke off, asked again", "● whole"]);
  });

  it("gives way to a stop that is under way", () => {
    expect(shown(after(openView(), started, wait, { type: "stop-asked" }))).toEqual(["stopping…"]);
  });
});
