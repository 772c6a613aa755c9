import { cleanup, render } from "ink-testing-library";
import { afterEach, describe, expect, it } from "vitest";
import { Approval, approvalLayout } from "../../../src/ui/approval.tsx";
import {
  type ApprovalRequest,
  type ApprovalState,
  approvalReducer,
  createApproval,
} from "../../../src/ui/approval-state.ts";
import { createKeyDecoder } from "../../../src/ui/keys.ts";
import { expectFits, expectInOrder, frameLines } from "../../helpers/screen.ts";

afterEach(cleanup);
const command: ApprovalRequest = {
  tool: "shell",
  kind: "command",
  body: "git push origin main",
  reason: "mode is ask",
  rule: "shell(git push)",
};

function shown(request: ApprovalRequest, width = 80, rows = 20): ApprovalState {
  return redrawn(createApproval(request), width, rows);
}
function redrawn(state: ApprovalState, width = 80, rows = 20): ApprovalState {
  const { maxScroll, isListed } = approvalLayout(state, width, rows);
  return approvalReducer(state, { type: "drawn", width, maxScroll, isListed });
}
function type(state: ApprovalState, input: string): ApprovalState {
  const events = createKeyDecoder().push(new TextEncoder().encode(input));
  return events.reduce((current, event) => approvalReducer(current, { type: "key", event, page: 5 }), state);
}
const draw = (state: ApprovalState, width: number, maxRows: number): readonly string[] =>
  frameLines(render(<Approval state={state} width={width} maxRows={maxRows} />).lastFrame());

describe("approvalReducer", () => {
  it.each([
    ["y", { kind: "once" }],
    ["\r", { kind: "once" }],
    ["a", { kind: "always", rule: "shell(git push)" }],
    ["n", { kind: "no" }],
    ["\x03", { kind: "no" }],
    ["\x1b[B\x1b[B\r", { kind: "no" }],
    ["\x1b[A\x1b[A\r", { kind: "no" }],
    ["tuse a branch\r", undefined],
  ])("%j answers", (input, answer) => expect(type(shown(command), input).answer).toEqual(answer));

  it("nothing typed before it was drawn answers", () => {
    const state = type(createApproval(command), "y\ra\x03");
    expect(state).toEqual(createApproval(command));
  });

  it("pastes and words never answer, nor does the enter behind them", () => {
    expect(type(shown(command), "\x1b[200~y\x1b[201~").answer).toBeUndefined();
    expect(type(shown(command), "yes please\r").answer).toBeUndefined();
    expect(type(shown(command), "ok\r\x1b[B\r").answer).toEqual({ kind: "always", rule: "shell(git push)" });
  });

  it("an explanation goes to the model, escape goes back, an empty one is a plain no", () => {
    const asked = type(shown(command), "t");
    expect(type(type(asked, "use a branch"), "\r").answer).toEqual({ kind: "no-because", text: "use a branch" });
    expect(
      approvalReducer(asked, {
        type: "key",
        event: { kind: "key", name: "escape", ctrl: false, alt: false, shift: false },
      }).writing,
    ).toBeUndefined();
    expect(type(asked, "\r").answer).toEqual({ kind: "no" });
  });

  it("without a rule there is no always", () => {
    const { rule: _rule, ...request } = command;
    expect(type(shown(request), "a").answer).toBeUndefined();
  });

  it("is allowed only when its end has been on the screen, and may be denied before", () => {
    const long = { ...command, body: Array.from({ length: 40 }, (_, index) => `step ${index}`).join("\n") };
    const redraw = (state: ApprovalState): ApprovalState =>
      approvalReducer(state, { type: "drawn", width: 80, maxScroll: approvalLayout(state, 80, 12).maxScroll });
    const head = shown(long, 80, 12);
    for (const input of ["y", "\r", "a", "\x1b[Fy", "\x1b[B\r"]) expect(type(head, input).answer).toBeUndefined();
    expect(type(head, "n").answer).toEqual({ kind: "no" });
    expect(type(head, "\x1b[B").scroll).toBe(1);
    const pages = Array.from({ length: 7 }).reduce<ApprovalState>((state) => redraw(type(state, "\x1b[6~")), head);
    for (const end of [redraw(type(head, "\x1b[F")), pages, redraw(type(pages, "\x1b[5~"))]) {
      expect(type(end, "y").answer).toEqual({ kind: "once" });
      expect(type(end, "a").answer).toMatchObject({ kind: "always" });
      expect(type(end, "\x1b[B\x1b[B\r").answer).toEqual({ kind: "no" });
    }
    expect(type(redraw(type(head, "\x04\x04\x04\x04\x04\x04\x04")), "\r").answer).toEqual({ kind: "once" });
  });

  it("an answer is final", () => expect(type(type(shown(command), "n"), "y").answer).toEqual({ kind: "no" }));

  it("a long body pages between its ends", () => {
    const long = { ...command, body: Array.from({ length: 40 }, (_, index) => `step ${index}`).join("\n") };
    const state = shown(long, 80, 12);
    const end = approvalLayout(state, 80, 12).maxScroll;
    expect(type(state, "\x1b[6~").scroll).toBe(5);
    expect(type(state, "\x1b[6~\x1b[5~\x1b[5~").scroll).toBe(0);
    expect(type(state, "\x1b[F\x1b[6~").scroll).toBe(end);
    expect(draw(type(state, "\x1b[F"), 80, 12)).toContain("step 39");
  });
});

const whole: ApprovalRequest = { ...command, deny: "shell(git push)", isEditable: true };

describe("every choice", () => {
  it.each(["y", "a", "e", "n", "t", "d", "Y", "\r", "\x1b[B\r", "\t\t\r"])(
    "of %j nothing counts before it was drawn",
    (input) => {
      const state = createApproval(whole);
      expect(type(state, input)).toEqual(state);
    },
  );

  it("never names the rule that is stored, and needs no look at the end", () => {
    const long = { ...whole, body: "x\n".repeat(99) };
    expect(type(shown(long, 80, 20), "d").answer).toEqual({ kind: "never", rule: "shell(git push)" });
    expect(draw(shown(whole), 80, 20)).toContain("  d  never: shell(git push)");
  });

  it.each([20, 30, 80])("stands with its key at %i columns, a rule in all its letters", (width) => {
    const rule = "shell(git push --force-with-lease origin a-long-branch)";
    const lines = draw(shown({ ...whole, rule, deny: rule }, width, 30), width, 30);
    expect(lines.at(-1)).toContain("y a e n t d");
    expect(
      lines
        .map((line) => line.trim())
        .join("")
        .replaceAll(" ", ""),
    ).toContain(`always:${rule}`.replaceAll(" ", ""));
  });

  it("that stores a rule is not there where the rule cannot be read", () => {
    const low = shown(whole, 80, 5);
    expect(type(low, "a").answer).toBeUndefined();
    expect(type(low, "d").answer).toBeUndefined();
    expect(type(low, "y").answer).toEqual({ kind: "once" });
    expect(draw(low, 80, 5).at(-1)).toMatch(/^y e n t · /);
  });
});

describe("editing the command", () => {
  it("runs what was made of it, and is not offered for a diff", () => {
    const editing = type(shown(whole), "e");
    expect(draw(editing, 80, 20)).toContain("$ git push origin main");
    expect(type(type(editing, " --dry-run"), "\r").answer).toEqual({
      kind: "edited",
      text: "git push origin main --dry-run",
    });
    expect(type(editing, "\r").answer).toEqual({ kind: "once" });
    expect(type(shown({ ...command, kind: "diff" }), "e").answer).toBeUndefined();
  });

  it("keeps what was written while the choices are looked at, and runs nothing that is empty", () => {
    const escape = {
      type: "key",
      event: { kind: "key", name: "escape", ctrl: false, alt: false, shift: false },
    } as const;
    const left = approvalReducer(type(type(shown(whole), "e"), " --tags"), escape);
    expect(left.answer).toBeUndefined();
    expect(type(type(left, "e"), "\r").answer).toEqual({ kind: "edited", text: "git push origin main --tags" });
    expect(type(type(shown(whole), "e"), "\x15\r").answer).toBeUndefined();
    const why = approvalReducer(type(type(shown(whole), "t"), "not on friday"), escape);
    expect(type(type(why, "t"), "\r").answer).toEqual({ kind: "no-because", text: "not on friday" });
  });

  it.each([
    ["a paste that stands as one cell", `\x1b[200~${"rm -r a\n".repeat(9)}\x1b[201~`],
    ["a letter nobody sees", "\x1b[200~\u202e\x1b[201~"],
    ["more rows than there are", "\x1b[200~\na\nb\x1b[201~"],
  ])("shows %s before it runs", (_, input) => {
    const changed = type(type(type(shown(whole), "e"), input), "\r");
    expect(changed).toMatchObject({ isChanged: true, seen: false });
    expect(changed.answer).toBeUndefined();
    expect(type(changed, "y").answer).toBeUndefined();
    const seen = redrawn(type(redrawn(changed), "\x1b[F"));
    expect(draw(seen, 80, 20)[0]).toBe("Allow shell, as you changed it?");
    expect(draw(seen, 80, 20).join("\n")).not.toContain("always");
    expect(type(seen, "y").answer).toEqual({ kind: "edited", text: seen.request.body });
  });

  it("goes on with what a rule forbade", () => {
    const again = redrawn(
      createApproval({ ...whole, edited: "rm -r build", reason: "the rule shell(rm) forbids this" }),
    );
    expect(draw(again, 80, 20)).toContain("$ rm -r build");
    expect(draw(again, 80, 20)).toContain("the rule shell(rm) forbids this");
    expect(type(again, "\x17\r").answer).toEqual({ kind: "edited", text: "rm -r " });
  });
});

describe("Approval", () => {
  it.each([1, 20, 80, 200])("fits %i columns and any height from two rows on", (width) => {
    const long = { ...command, body: "日本 echo \x1b[2J && ".repeat(40) };
    for (const rows of [2, 3, 5, 6, 8, 20]) {
      for (const state of [shown(command), shown(long), type(shown(long), "t"), createApproval(long)]) {
        expectFits(draw(state, width, rows), { cols: width, rows });
      }
    }
  });

  it("shows what would run, why it is asked, and the choices", () => {
    expectInOrder(draw(shown(command), 80, 20), [
      "Allow shell?",
      "mode is ask",
      "git push origin main",
      "> y  yes, this once",
      "a  always: shell(git push)",
      "n  no",
      "t  no, and tell the model why",
    ]);
  });

  it("spells out what cannot be seen in a command", () => {
    expect(draw(shown({ ...command, body: "rm \u202efr- \x1b[8m~\u200b\ttmp" }), 80, 20)).toContain(
      "rm \\u202efr- \\x1b[8m~\\u200b\\ttmp",
    );
  });

  it("keeps the tabs of code and shows a changed line end in a diff", () => {
    const body = "@@ -1 +1 @@\n-\told\n+\tnew\r";
    expectInOrder(draw(shown({ ...command, kind: "diff", body }), 80, 20), [
      "@@ -1 +1 @@",
      "1 -     old",
      "1 +     new\\r",
    ]);
  });

  it("draws a diff as the transcript does, all of it, with the words that changed", () => {
    const lines = Array.from({ length: 6_000 }, (_, index) => ` ${index + 1}   line`);
    const body = [...lines, " 6001 - const port = 80;", " 6001 + const port = 8080;"].join("\n");
    const state = shown({ ...command, kind: "diff", body });
    const end = type(state, "\x1b[F");
    expect(draw(end, 80, 20).join("\n")).toContain("6001 - const port = 80;\n6001 + const port = 8080;");
    const last = approvalLayout(end, 80, 20).lines.at(-1);
    expect(last?.filter(({ role }) => role === "added-word").map(({ text }) => text)).toEqual(["8080"]);
  });

  it("says what it does and why it is asked", () => {
    const reason = "Asked in mode ask: no rule allows it";
    const lines = draw(shown({ ...whole, effect: "It acts on the world.", reason, noRule: "no rule fits" }), 30, 24);
    expectInOrder(lines, [
      "Allow shell?",
      "It acts on the world.",
      "Asked in mode ask: no rule",
      "allows it",
      "no rule fits",
    ]);
  });

  it("tells how much of a long body is in sight", () => {
    const long = { ...command, body: Array.from({ length: 40 }, (_, index) => `step ${index}`).join("\n") };
    const head = shown(long, 80, 12);
    expect(draw(head, 80, 12).at(-1)).toBe("pgdn shows the rest (lines 1-5 of 40), then y");
    expect(draw(head, 30, 12).at(-1)).toBe("pgdn shows the rest");
    expect(draw(type(head, "\x1b[F"), 80, 12).at(-1)).toMatch(/^lines 36-40 of 40 · y a n t · /);
  });

  it("tells the keys below the choices, and what to do after a stray one", () => {
    const state = shown(command);
    expect(draw(state, 80, 20).at(-1)).toBe("y a n t · arrows and enter choose · esc stops the turn");
    expect(draw(state, 30, 20).at(-1)).toBe("y a n t · enter · esc stops");
    const stray = draw(type(state, "ls"), 80, 20);
    expect(stray.at(-1)).toBe("press y, a, n or t, or an arrow first");
    expect(stray.some((line) => line.startsWith(">"))).toBe(false);
    expect(draw(type(state, "ls"), 80, 3).at(-1)).toBe("press y, n or t, or an arrow first");
    expect(draw(type(state, "ls\x1b[B"), 80, 20).at(-1)).toMatch(/^y a n t/);
  });
});

describe("in a low window", () => {
  const outcomes: Readonly<Record<string, (state: ApprovalState) => boolean>> = {
    y: ({ answer }) => answer?.kind === "once",
    a: ({ answer }) => answer?.kind === "always",
    e: ({ writing }) => writing?.purpose === "edit",
    n: ({ answer }) => answer?.kind === "no",
    t: ({ writing }) => writing?.purpose === "why",
    d: ({ answer }) => answer?.kind === "never",
  };
  const long = { ...whole, body: Array.from({ length: 40 }, (_, index) => `step ${index}`).join("\n") };

  it.each([4, 8, 20, 30, 60, 80])("the choice that enter takes is the one marked, at %i columns", (width) => {
    for (const rows of [2, 3, 4, 6, 8, 10, 12]) {
      for (const request of [whole, long]) {
        const end = redrawn(type(shown(request, width, rows), "\x1b[F"), width, rows);
        for (let moves = 0; moves < 7; moves += 1) {
          const state = type(end, "\x1b[B".repeat(moves));
          const marked = draw(state, width, rows)
            .map((line) => /> ?([yaentd])/.exec(line)?.[1])
            .filter((letter) => letter !== undefined);
          expect(marked).toHaveLength(1);
          expect(outcomes[marked[0] ?? ""]?.(type(state, "\r"))).toBe(true);
        }
      }
    }
  });

  it("no is marked where it is chosen before the end was shown, and nothing after a stray key", () => {
    const head = shown(long, 80, 2);
    expect(draw(head, 80, 2).at(-1)).toMatch(/^pgdn/);
    expect(draw(type(head, "\t\t"), 80, 2).at(-1)).toContain(">n=no");
    expect(type(head, "\t\t\r").answer).toEqual({ kind: "no" });
    expect(draw(type(shown(whole, 80, 5), "\x1b[Bls"), 80, 5).join("\n")).not.toContain(">");
  });

  it("what was selected stays so when the window gets lower or higher", () => {
    const onEdit = type(shown(whole, 80, 20), "\t\t");
    const low = redrawn(onEdit, 80, 5);
    for (const state of [onEdit, low]) expect(draw(state, 80, 5).join("\n")).toContain(">e=edit");
    expect(draw(redrawn(low, 80, 20), 80, 20).join("\n")).toContain("> e  edit");
  });

  it.each([
    [40, 9],
    [80, 8],
    [80, 10],
  ])(
    "the choices make room for a body that would show a row or two beside them: %i columns, %i rows",
    (width, rows) => {
      const diff = ["@@ -1,3 +1,3 @@", " 1   a", " 2 - b", " 2 + c", " 3   d"].join("\n");
      const request = { ...whole, kind: "diff", body: diff, isEditable: false } as const;
      const layout = approvalLayout(shown(request, width, rows), width, rows);
      expect(layout).toMatchObject({ isListed: false, maxScroll: 0 });
      expect(approvalLayout(shown({ ...request, body: "+ a" }, 80, 10), 80, 10).isListed).toBe(true);
    },
  );
});

describe("a choice before the end was shown", () => {
  const long = { ...whole, body: "step\n".repeat(40) };
  it.each([..."yae"])("%s is told why it does nothing, until the end is shown", (letter) => {
    for (const width of [20, 40, 80]) {
      const head = shown(long, width, 20);
      const early = type(head, letter);
      expect(early.answer ?? early.writing).toBeUndefined();
      expect(draw(early, width, 20)).not.toEqual(draw(head, width, 20));
      if (width >= 40) expect(draw(early, width, 20).at(-1)).toContain(`read to the end first: pgdn, then ${letter}`);
      const end = redrawn(type(early, "\x1b[F"), width, 20);
      expect(draw(end, width, 20).at(-1)).not.toMatch(/first/);
      expect(outcome(type(end, letter))).toBe(true);
    }
  });
  const outcome = ({ answer, writing }: ApprovalState): boolean => answer !== undefined || writing !== undefined;

  it("is told in the last row of two as well", () => {
    for (const input of ["y", "\r", "\t\r"]) {
      expect(draw(type(shown(long, 80, 2), input), 80, 2).at(-1)).toMatch(/^read to the end first/);
    }
  });
});
