import { describe, expect, it } from "vitest";
import { statusLine } from "../../../src/ui/status-line.ts";
import { lineText, lineWidth } from "../../../src/ui/styled-line.ts";
import { createTheme } from "../../../src/ui/theme.ts";
import type { ViewState } from "../../../src/ui/view-state.ts";
import { admitted, after, openView, plainTheme, session, settled, started } from "./view-samples.ts";

const titled: ViewState = { ...openView(), session: { ...session, title: "fix \x1b[31mthe parser" } };
const shown = (state: ViewState, width = 100): string =>
  lineText(statusLine(state, { width, theme: plainTheme })).trim();

describe("the status line", () => {
  it("says saved, title and model, and where help is", () => {
    expect(shown(titled)).toMatch(/^saved · fix the parser · m +\/ commands · \? keys$/);
  });

  it("says the effort that was set beside the model, and none that was not", () => {
    const route = { provider: "p", model: "m", options: { effort: "high", baseURL: "http://h/v1" } };
    const state = { ...titled, session: { ...session, title: "fix", route } };
    expect(shown(state)).toMatch(/^saved · fix · m high +\//);
  });

  it("keeps the way to the keys where the commands have no room", () => {
    expect(shown(titled, 60)).toMatch(/ {2}\/ commands · \? keys$/);
    expect(shown(titled, 48)).toMatch(/^saved · fix the parser · m +\? keys$/);
    expect(shown(titled, 30)).not.toContain("keys");
  });

  it("names the approval mode when it is not ask, and how many wait", () => {
    const state = after(titled, { type: "mode", mode: "plan" }, admitted(8, "x"));
    expect(shown(state)).toMatch(/^saved · plan: only reading · 1 waiting · fix/);
  });

  it("says who holds the conversation", () => {
    const since = new Date(2026, 0, 1, 14, 2).getTime();
    const holder = { pid: 7, host: "h", program: "stele" };
    const state = after(titled, { type: "lease-awaited", conversation: "c" as never, holder, since });
    expect(shown(state)).toContain("held by stele, pid 7 since 14:02: your prompt waits");
  });

  it("counts the seconds of a turn that runs, and says how to stop it", () => {
    const state = after({ ...titled, now: 1_000 }, started, { type: "tick", now: 13_400 });
    expect(shown(state)).toMatch(/^saved · running 12 s · esc stops · fix/);
    expect(shown(after(state, { type: "tick", now: 84_000 }))).toContain("running 1 min 23 s");
    expect(shown(after(state, settled()))).not.toContain("running");
  });

  it("says who runs a turn elsewhere until nobody does, or a turn runs here", () => {
    const held = after(titled, { type: "held-elsewhere", holder: { pid: 7, program: "stele" } });
    expect(shown(held)).toMatch(/^saved · running in stele, pid 7 · fix/);
    expect(shown(after(held, { type: "held-elsewhere" }))).not.toContain("pid");
    expect(shown(after(held, started))).not.toContain("pid");
    const waiting = after(held, { type: "lease-awaited", conversation: "c" as never });
    expect(shown(waiting)).not.toContain("running in");
  });

  it("puts what is not saved first, at every width", () => {
    const error = { code: "x", message: "disk full (0 B free on /home)" };
    const state = after(titled, { type: "ledger-problem", error });
    expect(shown(state)).toMatch(/^NOT SAVED: disk full \(0 B free on \/home\)/);
    for (const width of [1, 5, 12, 20, 40, 80, 200]) {
      const line = statusLine(state, { width, theme: plainTheme });
      expect(lineWidth(line)).toBeLessThanOrEqual(width);
      if (width >= 12) expect(lineText(line).trim()).toMatch(/^NOT SAVED/);
    }
  });

  it("says of a file that it is about only the name", () => {
    const error = { code: "x", message: "/home/ada/.local/state.db was replaced, see /tmp/x" };
    const state = after(titled, { type: "ledger-problem", error });
    expect(shown(state)).toMatch(/^NOT SAVED: state\.db was replaced, see \/tmp\/x/);
  });

  it("is plain ASCII in the first frame", () => {
    const line = lineText(statusLine({ ...openView(), phase: "starting" }, { width: 80, theme: createTheme() }));
    expect(line).toMatch(/^ {2}opening the ledger\.\.\.[\x20-\x7e]*$/);
  });
});
