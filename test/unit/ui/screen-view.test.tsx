import { cleanup, render } from "ink-testing-library";
import { afterEach, describe, expect, it } from "vitest";
import type { ApprovalState } from "../../../src/ui/approval-state.ts";
import { createApproval } from "../../../src/ui/approval-state.ts";
import { initialMenu, menuItems } from "../../../src/ui/command-menu.tsx";
import { composerColumns } from "../../../src/ui/composer-layout.ts";
import { createComposer } from "../../../src/ui/composer-state.ts";
import { createPicker } from "../../../src/ui/picker-state.ts";
import { openDecision } from "../../../src/ui/recovery.ts";
import { type ModalView, type ScreenProps, ScreenView } from "../../../src/ui/screen-view.tsx";
import type { ViewState } from "../../../src/ui/view-state.ts";
import { expectFits, frameLines } from "../../helpers/screen.ts";
import { admitted, after, call, delta, openView, plainTheme, session, started, turnId } from "./view-samples.ts";

afterEach(cleanup);

const long = "a long line of text with 日本語 in it ".repeat(20);
const busy: ViewState = after(
  openView(),
  { type: "step", step: { name: "ledger", status: "ok", detail: long, ms: 900 } },
  started,
  delta(`${long} **and`),
  { type: "call-changed", call: call(1, {}) },
  { type: "call-output", call: "call-1", chunk: `${long}\n${long}\n\x1b[2J${long}` },
  { type: "call-changed", call: call(2, { state: "proposed" }) },
  ...[11, 12, 13, 14, 15].map((id) => admitted(id, long)),
  { type: "submitted", key: 1, text: `${long}\n${long}` },
  { type: "notice", text: long },
);
const commands = Array.from({ length: 30 }, (_, index) => ({ name: `command${index}`, summary: long, usage: "[n]" }));

const approval: ApprovalState = createApproval({
  tool: "shell",
  body: `${long}\n${long}`,
  kind: "command",
  reason: long,
  rule: "shell(x)",
});
const openTurn = {
  admission: { id: turnId, summary: long, payload: { prompt: [] } } as never,
  session,
  calls: [call(1, { state: "unknown" }), call(2, { state: "succeeded" })],
};
const modals: readonly (ModalView | undefined)[] = [
  undefined,
  { kind: "approval", state: approval },
  {
    kind: "picker",
    view: {
      state: createPicker({ items: commands.map(({ name }) => ({ id: name, label: name, detail: long })) }),
      title: long,
      empty: "",
    },
  },
  { kind: "confirm", question: long },
  { kind: "decide", state: openDecision(openTurn) },
];

function draw(columns: number, rows: number, more: Partial<ScreenProps> = {}): readonly string[] {
  const text = more.menu ? "/" : `${long}\n${long}\nend`;
  const composer = createComposer({ width: composerColumns(columns), text });
  const { lastFrame, unmount } = render(
    <ScreenView
      view={busy}
      composer={composer}
      menu={{ state: initialMenu, items: [] }}
      size={{ columns, rows }}
      theme={plainTheme}
      cursor="terminal"
      now={0}
      {...more}
    />,
  );
  const lines = frameLines(lastFrame());
  unmount();
  return lines;
}

describe("the live part", () => {
  const sizes = [1, 7, 20, 80].flatMap((columns) => [2, 3, 4, 5, 7, 10, 15, 24].map((rows) => ({ columns, rows })));

  it.each(modals.map((modal) => [modal?.kind ?? "composer", modal] as const))(
    "with %s is never wider than the window, nor as high, at any size",
    (_, modal) => {
      for (const { columns, rows } of sizes)
        expectFits(draw(columns, rows, modal ? { modal } : {}), { cols: columns, rows: rows - 1 });
    },
  );

  it("with the menu of commands is never as high as the window", () => {
    const menu = { state: initialMenu, items: menuItems("/", commands) };
    for (const { columns, rows } of sizes) expectFits(draw(columns, rows, { menu }), { cols: columns, rows: rows - 1 });
  });

  it("keeps the composer and the truth about saving where there are two rows for them", () => {
    const lines = draw(80, 3);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain("end");
    expect(lines[1]).toContain("saving…");
  });

  it("shows what runs, what waits and why", () => {
    const text = draw(80, 30).join("\n");
    expect(text).toMatch(/⎿ shell npm test +running/);
    expect(text).toMatch(/⎿ shell npm test +waits/);
    expect(text).toContain("+4 more wait  /queue");
  });
});
