// How full the context is and what was spent, as the status line says it.
import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../../src/agent/events.ts";
import type { Session, Usage } from "../../../src/ledger/types.ts";
import { statusLine } from "../../../src/ui/status-line.ts";
import { lineText } from "../../../src/ui/styled-line.ts";
import type { UiAction, ViewState } from "../../../src/ui/view-state.ts";
import { after, answer, message, openView, plainTheme, session, settled, started } from "./view-samples.ts";

const usage = (inputTokens: number): Usage => ({ inputTokens, outputTokens: 0 });
const paid: Session = { ...session, route: { provider: "anthropic", model: "claude-sonnet-4-5" } };
const open: ViewState = { ...openView(), session: paid };
const shown = (state: ViewState, width = 100): string =>
  lineText(statusLine(state, { width, theme: plainTheme })).trim();
const counted = (tokens: number): SessionEvent => answer(3, "x", { usage: usage(tokens) });
const spending = (more: Partial<Extract<UiAction, { type: "spending" }>>): UiAction => ({
  type: "spending",
  messages: [],
  models: {},
  ...more,
});

describe("the status line of a counted conversation", () => {
  it("says nothing of context and cost before anything is known", () => {
    expect(shown(open)).toMatch(/^saved · claude-sonnet-4-5 {2,}/);
  });

  it("says how full the window is as soon as an answer was counted, and grows with what comes after it", () => {
    const state = after(open, started, counted(68_000));
    expect(shown(state)).toContain("· claude-sonnet-4-5 · 34 % context");
    const result = message(4, "tool", {
      parts: [{ kind: "tool-result", call: "c", outcome: { kind: "ok", output: "x".repeat(40_000) } }],
    });
    expect(shown(after(state, { type: "message-added", message: result }))).toContain("40 % context");
  });

  it("says nothing where the window is not known, and the config's where it is given", () => {
    const here = { ...open, session };
    expect(shown(after(here, started, counted(500)))).not.toContain("context");
    const models = { "here/m": { contextWindow: 1_000 } };
    const told = after(here, spending({ messages: [message(3, "assistant", { usage: usage(500) })], models }));
    expect(shown(told)).toContain("m · 50 % context");
  });

  it("says what was spent, and forgets both with another conversation", () => {
    const cost = { usd: 0.123, isLeast: false };
    const state = after(open, started, counted(68_000), settled(), spending({ cost }));
    expect(shown(state)).toContain("claude-sonnet-4-5 · $0.12");
    const moved = after(state, { type: "session", session: paid, resumed: true });
    expect(shown(moved)).not.toMatch(/context|\$/);
  });

  it("gives way from the right: never the saving, the model before the cost", () => {
    const messages = [message(3, "assistant", { usage: usage(68_000) })];
    const state = after(open, spending({ messages, cost: { usd: 1, isLeast: true } }));
    expect(shown(state, 100)).toContain("34 % context · over $1.00");
    expect(shown(state, 46)).toBe("saved · claude-sonnet-4-5 · 34 % context");
    expect(shown(state, 30)).toBe("saved · claude-sonnet-4-5");
  });
});
