import { describe, expect, it } from "vitest";
import type { MessageId } from "../../../src/ledger/types.ts";
import { approvalBody } from "../../../src/ui/approval-body.ts";
import { type Block, messageBlocks, windowBlocks } from "../../../src/ui/block.ts";
import { lineText, lineWidth } from "../../../src/ui/styled-line.ts";
import { createTheme } from "../../../src/ui/theme.ts";
import { blockLines, printBlocks } from "../../../src/ui/transcript.ts";
import { call, message, plainTheme } from "./view-samples.ts";

const long = "words and 日本語 and more words that go on and on past the edge ".repeat(4);
const markdown = `# Head ${long}\n\n${long}**bold ${long}** and \`code\`\n\n- item ${long}\n  1. deep ${long}\n> quote ${long}\n\`\`\`ts\nconst x = "${long}";\n\`\`\``;
const output = Array.from({ length: 40 }, (_, index) => `line ${index} ${long}`).join("\n");
const made = { tool: "shell", input: { command: `npm test ${long}` }, ms: 3_100 };

const longOutput: Block = { kind: "tool", made, outcome: { kind: "ok", output, exitCode: 0 } };
const edited: Block = {
  kind: "tool",
  made: { tool: "edit_file", input: { path: "a.ts" } },
  outcome: { kind: "ok", output: "a.ts +1 -1\n  1 - old\n  1 + new" },
};

const everyKind: readonly Block[] = [
  ...messageBlocks(
    message(1, "user", { parts: [{ kind: "text", text: `${long}\nsecond\tline` }] }),
    () => undefined,
    true,
  ),
  ...messageBlocks(
    message(2, "assistant", { parts: [{ kind: "text", text: markdown }], finishReason: "interrupted" }),
    () => undefined,
  ),
  longOutput,
  edited,
  { kind: "tool", made, outcome: { kind: "unknown", output: "not known" } },
  { kind: "open-call", made, state: "unknown" },
  { kind: "note", text: long, role: "warning" },
  { kind: "separator", text: long },
  { kind: "lines", lines: [long, "", "end"] },
  { kind: "table", columns: ["id", "title"], rows: [["1", long], ["2"]] },
  { kind: "step", step: { name: "integrity", status: "warn", detail: long, ms: 1_200 } },
];

describe("the transcript", () => {
  it.each([1, 2, 5, 8, 20, 80, 200])("has no line wider than %d columns", (width) => {
    for (const theme of [plainTheme, createTheme({ unicode: false })]) {
      for (const line of everyKind.flatMap((block) => blockLines(block, { width, theme }))) {
        expect(lineWidth(line), JSON.stringify(lineText(line))).toBeLessThanOrEqual(width);
      }
    }
  });

  it("lets no control character and no escape of others through, however it came", () => {
    const evil = "a\x1b[2Jb\x1b]0;t\x07c\x9b31md\u202ee\x07";
    const blocks: Block[] = [
      ...messageBlocks(message(1, "user", { parts: [{ kind: "text", text: evil }] }), () => undefined),
      ...messageBlocks(message(2, "assistant", { parts: [{ kind: "text", text: evil }] }), () => undefined),
      { kind: "tool", made: { tool: evil, input: { command: evil } }, outcome: { kind: "failed", output: evil } },
      { kind: "tool", made: { tool: "t", input: evil }, outcome: { kind: "ok", output: "" } },
      { kind: "open-call", made: { tool: evil, input: [evil] }, state: evil },
      { kind: "note", text: evil, role: "muted" },
      { kind: "separator", text: evil },
      { kind: "lines", lines: [evil] },
      { kind: "table", columns: ["c"], rows: [[evil]] },
      { kind: "step", step: { name: "ledger", status: "fail", detail: evil, ms: 0 } },
    ];
    const text = printBlocks(blocks, { width: 80, theme: createTheme({ color: false, unicode: true }) });
    // Bold and dim are the screen's own.
    expect(text.replaceAll(/\x1b\[[0127;]+m/g, "")).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  });

  it("shows a call, its end, and the head and tail of its output", () => {
    const lines = blockLines(longOutput, { width: 80, theme: plainTheme }).map(lineText);
    expect(lines[0]).toMatch(/^ {2}⎿ shell npm test .*… {2}exit 0 · 3\.1 s$/);
    expect(lines).toHaveLength(9);
    expect(lines[4]).toBe("      … +33 lines (ctrl+o opens)");
    expect(lines[8]).toMatch(/^ {6}line 39 /);
  });

  it("says of reading how much, and of an edit what", () => {
    const read: Block = {
      kind: "tool",
      made: { tool: "read_file", input: { path: "src/a.ts" } },
      outcome: { kind: "ok", output: "1\ta\n2\tb" },
    };
    const shown = (block: Block) => blockLines(block, { width: 80, theme: plainTheme });
    expect(shown(read).map(lineText)).toEqual([expect.stringMatching(/^ {2}⎿ read_file src\/a\.ts +2 lines$/)]);
    const edit = shown(edited);
    expect(edit.map(lineText)).toEqual([
      expect.stringMatching(/edit_file a\.ts +\+1 -1$/),
      "      1 - old",
      "      1 + new",
    ]);
    expect(edit.map((line) => line.at(-1)?.role)).toEqual(["muted", "removed", "added"]);
  });

  it.each([
    ["denied", "denied"],
    ["cancelled", "cancelled"],
    ["unknown", "? unknown"],
    ["failed", "failed"],
  ] as const)("marks a call that was %s", (kind, words) => {
    const [line] = blockLines(
      { kind: "tool", made: { tool: "shell", input: null }, outcome: { kind } },
      { width: 80, theme: plainTheme },
    );
    expect(line?.at(-1)).toEqual({ text: words, role: kind === "failed" ? "error" : "warning" });
  });
});

describe("a restored window", () => {
  const asks = (id: number) =>
    message(id, "assistant", {
      parts: [{ kind: "tool-call", call: "c", tool: "shell", input: { command: `run ${id}` } }],
    });
  const answers = (id: number) =>
    message(id, "tool", { parts: [{ kind: "tool-result", call: "c", outcome: { kind: "ok" } }] });

  it("pairs results with their calls, also where a provider used an id twice", () => {
    const blocks = windowBlocks([asks(1), answers(2), asks(3), answers(4)], []);
    expect(blocks.map((block) => block.kind === "tool" && block.made.input)).toEqual([
      { command: "run 1" },
      { command: "run 3" },
    ]);
  });

  it("shows a call without a result as far as it came", () => {
    const stored = call(1, { call: "c", state: "unknown" });
    expect(windowBlocks([asks(1)], [stored])).toEqual([
      { kind: "open-call", made: { tool: "shell", input: { command: "run 1" } }, state: "unknown" },
    ]);
  });

  it("knows how long a stored call took", () => {
    const stored = call(1, { result: 2 as MessageId, startedAt: 5, finishedAt: 9 });
    expect(windowBlocks([answers(2)], [stored])).toMatchObject([{ made: { tool: "shell", ms: 4 } }]);
  });
});

describe("output that was capped before it came", () => {
  it("is folded without a number that nobody knows", () => {
    const lines = (truncated: boolean): string => {
      const outcome = { kind: "ok", output, exitCode: 0, ...(truncated && { truncated }) } as const;
      return blockLines({ kind: "tool", made, outcome }, { width: 80, theme: plainTheme }).map(lineText).join("\n");
    };
    expect(lines(false)).toContain("… +33 lines (ctrl+o opens)");
    expect(lines(true)).toContain("… more lines");
    expect(lines(true)).not.toMatch(/\+\d+ lines/);
  });
});

describe("what cannot be seen in a call", () => {
  const hidden = "hello\u202eevil\u200b\tend\u00a0";
  const look = { width: 100, theme: plainTheme };
  const path = `src/${hidden}.ts`;
  const diff = `${path} +1 -1\n  1 - hello\n  2 + \t${hidden}!`;

  it("is spelled out in its line", () => {
    for (const input of [{ command: `\n${hidden}!\nls ` }, { path: `${hidden}!` }, `${hidden}!`]) {
      const [row = []] = blockLines({ kind: "tool", made: { tool: "shell", input }, outcome: { kind: "ok" } }, look);
      expect(lineText(row)).toContain("shell hello\\u202eevil\\u200b\\tend\\u00a0!");
    }
  });

  it("is spelled out in the diff of an edit as the approval spelled it out", () => {
    for (const tool of ["edit_file", "write_file"]) {
      const block: Block = { kind: "tool", made: { tool, input: { path } }, outcome: { kind: "ok", output: diff } };
      const rows = blockLines(block, look).map((row) => row.filter(({ text }) => text.trim() !== ""));
      const asked = approvalBody({ tool, kind: "diff", body: diff, reason: "mode is ask" }, 90);
      expect(rows.slice(-2)).toEqual(asked.slice(-2));
      expect(lineText(rows.at(-1) ?? [])).toContain("hello\\u202eevil\\u200b    end\\u00a0!");
    }
  });
});
