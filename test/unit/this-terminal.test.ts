// The name of a terminal: what only this window has, the innermost first, and none where it could be another's.
import { expect, it } from "vitest";
import { thisTerminal } from "../../src/this-terminal.ts";

const TMUX = { TMUX: "/tmp/tmux-0/default,71,0", TMUX_PANE: "%3" };

it.each([
  [TMUX, "TMUX:/tmp/tmux-0/default,71,0:%3"],
  [{ ...TMUX, TERM_SESSION_ID: "w0" }, "TMUX:/tmp/tmux-0/default,71,0:%3"],
  [{ TMUX: TMUX.TMUX, TERM_SESSION_ID: "w0" }, "TERM_SESSION_ID:w0"],
  [{ KITTY_PID: "5", KITTY_WINDOW_ID: "2", WT_SESSION: "x" }, "KITTY_PID:5:2"],
  [{ STY: "1.pts", WINDOW: "0" }, "STY:1.pts:0"],
])("of %j is %s", (env, name) => {
  expect(thisTerminal(env, true)).toBe(name);
});

it("is none where nobody sits, whatever the environment says", () => {
  expect(thisTerminal(TMUX, false)).toBeUndefined();
});
