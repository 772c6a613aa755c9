import { describe, expect, it } from "vitest";
import type { ToolCall, ToolOutcome } from "../../../src/ledger/types.ts";
import { ProgressWords } from "../../../src/ui/progress-words.ts";
import { call, message } from "./view-samples.ts";

function told(state: ToolCall["state"], outcome: ToolOutcome): readonly string[] {
  const words = new ProgressWords();
  const ended = { ...call(1, { state }), tool: "shell", input: { command: "make" }, call: "c1" };
  return [
    ...words.lines({ type: "call-changed", call: { ...ended, state: "running" } }),
    ...words.lines({ type: "call-changed", call: ended }),
    ...words.lines({
      type: "message-added",
      message: { ...message(2, "tool", {}), parts: [{ kind: "tool-result", call: "c1", outcome }] },
    }),
  ];
}

describe("progress on stderr", () => {
  it.each([
    [
      "denied",
      { kind: "denied", output: "nobody can be asked" },
      'denied shell {"command":"make"}: nobody can be asked',
    ],
    ["failed", { kind: "failed", output: "lots\nof it", exitCode: 2 }, 'failed shell {"command":"make"}: exit 2'],
    ["failed", { kind: "failed", output: "\nno such file\nx" }, 'failed shell {"command":"make"}: no such file'],
    ["skipped", { kind: "failed", output: "not read yet" }, 'failed shell {"command":"make"}: not read yet'],
    ["failed", { kind: "failed" }, 'failed shell {"command":"make"}'],
  ] as const)("says why a call was %s: %j", (state, outcome, line) => {
    expect(told(state, outcome)).toEqual(['· shell {"command":"make"}', line]);
  });

  it("says nothing about the end of a call that worked", () => {
    expect(told("succeeded", { kind: "ok", output: "fine", exitCode: 0 })).toHaveLength(1);
  });
});

describe("what a provider said and what we say of it", () => {
  const error = { code: "model_billing", message: "local answered 429: quota exceeded", hint: "Set a limit." } as const;
  const settled = { type: "turn-settled", admission: 1 as never, outcome: "failed", error } as const;

  it.each([
    ["a turn that failed", settled, "failed: local answered 429: quota exceeded. Set a limit."],
    [
      "a ledger that refuses",
      { type: "ledger-problem", error },
      "NOT SAVED: local answered 429: quota exceeded. Set a limit.",
    ],
  ] as const)("do not run together at the end of %s", (_, event, line) => {
    expect(new ProgressWords().lines(event)).toEqual([line]);
  });
});

describe("the project's instructions that a model does not get whole", () => {
  const whole = { name: "AGENTS.md", bytes: 11, isCut: false };
  const large = { name: "a/AGENTS.md", bytes: 90 * 1024 + 1, isCut: true };
  const gone = { name: "b/AGENTS.md", why: "it leads out of the project" };
  const isCut = "a/AGENTS.md is cut: all such files together may have 64 KB, it has 91.";
  const isLeft = "b/AGENTS.md is left out: it leads out of the project.";

  it.each([
    ["all of them", [whole], [], undefined, []],
    ["one that is cut", [whole, large], [], undefined, [isCut]],
    ["one that is left out", [], [gone], undefined, [isLeft]],
    ["both", [whole, large], [gone], undefined, [`${isCut} ${isLeft}`]],
    [
      "both, after a change",
      [large],
      [gone],
      ["a/AGENTS.md"],
      [`a/AGENTS.md changed: the model is told anew. ${isCut} ${isLeft}`],
    ],
  ] as const)("are named at a turn that begins with %s", (_, files, left, changed, lines) => {
    const event = { type: "context-files", files, left, ...(changed && { changed }) } as const;
    expect(new ProgressWords().lines(event)).toEqual(lines);
  });
});
