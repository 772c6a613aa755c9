// What the status line says while something stands in front: that a question waits behind it, and what escape does.
import { describe, expect, it } from "vitest";
import { askApproval } from "../../../src/ui/ask-approval.ts";
import { askPick } from "../../../src/ui/ask-pick.ts";
import { frontOf } from "../../../src/ui/front.ts";
import { searchHistory } from "../../../src/ui/history-search.ts";
import type { Screen } from "../../../src/ui/live-screen.ts";
import { askConfirm, whileWaiting } from "../../../src/ui/modals.ts";
import { menuCommands } from "../../../src/ui/screen-commands.ts";
import { statusLine } from "../../../src/ui/status-line.ts";
import { lineText, lineWidth } from "../../../src/ui/styled-line.ts";
import { testScreen } from "./test-screen.ts";
import { after, call, openView, plainTheme, session, started } from "./view-samples.ts";

const busy = after(openView(), started);

function shown(kinds: readonly ("picker" | "history" | "wait" | "approval" | "confirm")[], width = 80): string {
  const front = frontOf({ open: kinds.map((kind) => ({ kind })), isTaken: false });
  const line = statusLine(busy, { width, theme: plainTheme }, front);
  expect(lineWidth(line)).toBeLessThanOrEqual(width);
  return lineText(line).trim();
}

describe("the status line behind something that is open", () => {
  it.each(["picker", "history"] as const)("says of a %s that an approval waits behind it, at most widths", (kind) => {
    expect(shown([kind, "approval"])).toMatch(/^saved · it asks: esc, then answer · running 0 s/);
    expect(shown([kind, "picker", "confirm"])).toContain("it asks: esc, then answer");
    expect(shown([kind, "approval"], 24)).toBe("saved · asks: esc");
    expect(shown([kind, "approval"], 4)).toMatch(/^s/);
    expect(shown([kind, "wait"])).not.toContain("ask");
    expect(shown([kind])).not.toContain("ask");
  });

  it("sends nobody away from a question or a wait that is in front", () => {
    for (const kind of ["approval", "confirm", "wait"] as const) {
      expect(shown([kind, "approval"])).toContain("it asks more after this");
      expect(shown([kind, "approval"])).not.toContain("esc, then");
    }
  });

  it("names escape as what stops the turn only where it does", () => {
    expect(shown([])).toContain("esc stops");
    expect(shown(["approval"])).toContain("esc stops");
    for (const kind of ["picker", "history", "wait", "confirm"] as const) expect(shown([kind])).not.toContain("stops");
    const front = frontOf({ open: [], isTaken: true });
    expect(lineText(statusLine(busy, { width: 80, theme: plainTheme }, front))).not.toContain("stops");
  });
});

/** What is drawn last: all rows, as a terminal got them. */
function drawing(): { screen: Screen; text: () => string } {
  let written = "";
  const screen = testScreen({ columns: 80, rows: 24, write: (text: string) => (written += text) });
  screen.dispatch({ type: "booted", session, mode: "ask", waiting: [] });
  screen.dispatch(started);
  const text = (): string => {
    written = "";
    screen.redraw();
    return written;
  };
  return { screen, text };
}

const ask = {
  ...{
    call: call(1, { tool: "shell" }),
    summary: "ls",
    subject: "ls",
    why: "it asks",
    mode: "ask" as const,
    isEditable: true,
  },
};

describe("an approval that comes up while something is open", () => {
  it.each([
    ["a list", (screen: Screen) => void askPick(screen, { title: "t", items: [], empty: "" })],
    ["the search", (screen: Screen) => searchHistory(screen, undefined)],
  ])("is said below %s as soon as it asks, and not before", async (_, open) => {
    const { screen, text } = drawing();
    open(screen);
    expect(text()).not.toMatch(/it asks|esc stops/);
    const asked = askApproval(screen, ask, new AbortController().signal);
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(text()).toContain("it asks: esc, then answer");
    const [front] = [screen.modal];
    if (front) screen.closeModal(front);
    expect(text()).toMatch(/Allow shell\?[^]*esc stops/);
    expect(text()).not.toContain("it asks: esc");
    if (screen.modal) screen.closeModal(screen.modal);
    expect(text()).toContain("esc stops");
    screen.close();
    void asked;
  });

  it("names escape no more where a menu or a wait takes it", async () => {
    const { screen, text } = drawing();
    expect(text()).toContain("esc stops ·");
    screen.menu.commands = menuCommands();
    for (const text of "/he") screen.compose({ type: "insert", text });
    expect(text()).not.toContain("esc stops");
    screen.compose({ type: "clear" });
    const yes = askConfirm(screen, "sure?");
    expect(text()).not.toContain("esc stops");
    screen.modal?.onKey({ kind: "text", text: "n" } as never, 9);
    expect(await yes).toBe(false);
    await whileWaiting(screen, { title: "waits", signal: new AbortController().signal }, async () => {
      expect(text()).toContain("esc stops waiting");
      expect(text()).not.toContain("esc stops ·");
    });
    screen.close();
  });
});
