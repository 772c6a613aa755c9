import { describe, expect, it } from "vitest";
import type { CommandResult, PreviewFile } from "../../../src/commands/command.ts";
import type { MessageId } from "../../../src/ledger/types.ts";
import { printResult } from "../../../src/ui/printer.ts";
import { call, halfAnswer, message, openTurnOf, session } from "./view-samples.ts";

function printed(result: CommandResult): readonly string[] {
  const lines: string[] = [];
  printResult(result, { out: (text) => lines.push(text), err: () => {} }, false);
  return lines.join("").trimEnd().split("\n");
}

describe("results without a screen", () => {
  it("list the files of a preview with what would be done by default and what is special", () => {
    const plain = {
      action: "write",
      added: 2,
      removed: 1,
      isSuspected: false,
      isChosen: true,
      isMerged: false,
    } as const;
    const files: readonly PreviewFile[] = [
      { ...plain, path: "a.ts" },
      { ...plain, path: "b.ts", action: "remove", isSuspected: true, isChosen: false },
      { ...plain, path: "c\n.ts", isChosen: false, obstacle: "changed since: left alone" },
    ];
    const apply = (): never => {
      throw new Error("applied");
    };
    expect(printed({ kind: "preview", title: "Take back 1 turn", files, apply, json: {} })).toEqual([
      "[x] a.ts  +2 -1",
      "[ ] b.ts  +2 -1  is removed, changed by a command",
      " -  c .ts  +2 -1  changed since: left alone",
    ]);
  });

  it("tell the evidence of open calls, half answers, and what nobody has seen", () => {
    const calls = [
      call(1, { state: "failed", result: 4 as MessageId, evidence: "finished after the crash: exit 1, 2 lines" }),
      call(3, { state: "unknown", evidence: "process gone" }),
    ];
    const turn = openTurnOf(calls, { draft: halfAnswer });
    const unseen = {
      admission: { ...turn.admission, summary: "say hi" },
      session,
      message: message(9, "assistant", {}),
    };
    const lines = printed({ kind: "recovery", steps: [], open: [turn], undelivered: [unseen], json: {} });
    expect(lines.slice(1)).toEqual([
      "    · call 1 shell failed: finished after the crash: exit 1, 2 lines",
      "    ? call 3 shell unknown: process gone",
      "    a half answer of 17 characters, not part of the conversation",
      "    next: stele recover call 3 --happened, --not-happened or --again",
      "    or:   stele recover settle 7",
      `! finished while nobody was looking: “say hi”, the end of session ${session.id}`,
    ]);
  });
});
