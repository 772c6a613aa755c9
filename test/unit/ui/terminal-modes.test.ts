// What is written before the screen is taken and after it was given back: in tmux and screen it may not move the cursor.
import { describe, expect, it } from "vitest";
import { resetModesIn } from "../../../src/ui/terminal-guard.ts";

describe("the modes that a start and an end put right", () => {
  it.each([
    ["tmux", { TMUX: "/tmp/tmux-0/default,1,0", TERM: "xterm-256color" }],
    ["tmux behind ssh", { TERM: "tmux-256color" }],
    ["screen", { STY: "1.pts-0.host", TERM: "vt100" }],
    ["screen behind ssh", { TERM: "screen-256color" }],
  ])("leave the alternate screen in %s without putting the cursor where that began", (_, env) => {
    expect(resetModesIn(env)).toContain("\x1b[?1047l");
    expect(resetModesIn(env)).not.toContain("1049");
  });

  it("save the cursor first elsewhere, where 1049 would bring back an old one", () => {
    expect(resetModesIn({ TERM: "xterm-256color" }).startsWith("\x1b7\x1b[?1049l")).toBe(true);
  });
});
