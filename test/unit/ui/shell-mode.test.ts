import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { typedPrompt } from "../../../src/agent/typed-command.ts";
import type { MessageId } from "../../../src/ledger/types.ts";
import { messageBlocks, windowBlocks } from "../../../src/ui/block.ts";
import { composerReducer, createComposer } from "../../../src/ui/composer-state.ts";
import { InputMenu } from "../../../src/ui/input-menu.ts";
import { mayAsk, storedMessages } from "../../../src/ui/pager-messages.ts";
import { shellMode, shellRule, shellWord } from "../../../src/ui/shell-mode.ts";
import { lineText, lineWidth, span } from "../../../src/ui/styled-line.ts";
import { blockLines } from "../../../src/ui/transcript.ts";
import { call, message, plainTheme } from "./view-samples.ts";

const written = (text: string) => createComposer({ width: 40, text });
const modeOf = (text: string) => shellMode(written(text).buffer);

describe("the composer is in shell mode", () => {
  it.each([
    ["!ls", { told: true }],
    ["!!ls", { told: false }],
    ["!", { told: true }],
    ["!!", { told: false }],
    ["!cat <<x\nhello\nx", { told: true }],
    [" !ls", undefined],
    ["say !ls", undefined],
    ["hello\n!ls", undefined],
    ["/help", undefined],
    ["", undefined],
  ])("or not: %j", (text, mode) => expect(modeOf(text)).toEqual(mode));

  it("wherever the cursor stands", () => {
    const top = composerReducer(written("!a\nb\nc"), { type: "text-start" });
    expect(shellMode(top.buffer)).toEqual({ told: true });
  });

  it("only for marks that can be seen, not for those inside of a folded paste", () => {
    const script = "!rm -r x\n".repeat(20);
    const pasted = composerReducer(written(""), { type: "paste", text: script });
    expect(shellMode(pasted.buffer)).toBeUndefined();
    const behind = composerReducer(written("!"), { type: "paste", text: script });
    expect(shellMode(behind.buffer)).toEqual({ told: true });
  });
});

describe("the rule below a command", () => {
  it("is as wide as any other, and never says half of what it has to say", () => {
    for (const told of [true, false])
      for (let width = 1; width <= 90; width += 1) {
        const rule = [span("-".repeat(width))];
        const line = shellRule({ told }, rule, { width, theme: plainTheme });
        expect(lineWidth(line)).toBe(width);
        const words = lineText(line).replaceAll(/[-─]/g, "").trim();
        const known = told
          ? ["runs in the shell, the model is told", "shell; the model is told", "shell, told", "told", ""]
          : [
              "runs in the shell, the model is not told",
              "shell; the model is not told",
              "shell, not told",
              "not told",
              "",
            ];
        expect(known).toContain(words);
      }
  });
});

describe("a path put into a command", () => {
  const menu = new InputMenu();
  menu.completion = {
    paths: () => ({ paths: ["my dir/it's.md"], isReading: false, isCut: false }),
    names: () => undefined,
  };

  it("is one word of the shell without its @, and only when it was chosen", () => {
    const composer = composerReducer(written(""), { type: "insert", text: "!cat @it" });
    const offer = menu.offer(composer);
    expect(offer).toMatchObject({ mustSelect: true, items: [{ choice: { text: `'my dir/it'\\''s.md' ` } }] });
    expect(menu.state.selected).toBe(-1);
  });

  it("is read by a shell as this very path, whatever is in it", () => {
    const anyPath = fc.string({ unit: "binary", minLength: 1 }).filter((path) => !path.includes("\0"));
    const paths = fc.sample(fc.oneof(anyPath, fc.constantFrom("a b", "$(x)", "`x`", "~", "a'b", "-rf", "*", "#a")), 60);
    const wellFormed = paths.map((path) => path.toWellFormed());
    const command = wellFormed.map((path) => `printf '%s\\0' ${shellWord(path)}`).join("\n");
    const read = execFileSync("/bin/sh", ["-c", command], { encoding: "utf8" }).split("\0").slice(0, -1);
    expect(read).toEqual(wellFormed.map((path) => (path.startsWith("-") ? `./${path}` : path)));
  });
});

describe("a command in the transcript", () => {
  it.each([
    ["!npm test", ["! npm test"]],
    ["!!  npm test ", ["!! npm test"]],
    ["!a\nb", ["! a", "  b"]],
  ])("stands behind its marks: %j", (text, rows) => {
    const message = { role: "user", parts: typedPrompt(text) ?? [] } as never;
    const look = { width: 40, theme: plainTheme };
    const lines = messageBlocks(message, () => undefined).flatMap((block) => blockLines(block, look));
    expect(lines.slice(1).map((line) => lineText(line).trimEnd())).toEqual(rows);
  });

  it("that has no result yet is shown as far as it came, on the screen and in the pager", () => {
    const asked = message(1, "user", { parts: typedPrompt("!ls") ?? [] });
    const stored = call(1, { message: asked.id, call: "typed", state: "unknown" });
    const open = { kind: "open-call", state: "unknown" };
    expect(windowBlocks([asked], [stored])).toMatchObject([{ kind: "prompt", text: "ls", marks: "!" }, open]);
    expect(mayAsk(asked)).toBe(true);
    expect(mayAsk(message(2, "user", { parts: [{ kind: "text", text: "!ls" }] }))).toBe(false);
    const [shown] = storedMessages([asked], [stored], 0);
    expect(shown?.open).toEqual([stored]);
  });

  it("of a window that is restored stands with its own result, whatever came before", () => {
    const ran = (id: number, text: string) => [
      message(id, "user", { parts: typedPrompt(text) ?? [] }),
      message(id + 1, "tool", {
        parts: [{ kind: "tool-result", call: "typed", outcome: { kind: "ok", output: text } }],
      }),
    ];
    const calls = [1, 3].map((id) =>
      call(id, {
        message: id as MessageId,
        call: "typed",
        input: { command: `of ${id}` },
        result: (id + 1) as MessageId,
      }),
    );
    const blocks = windowBlocks([...ran(1, "!a"), ...ran(3, "!!b")], calls);
    expect(blocks).toMatchObject([
      { kind: "prompt", marks: "!" },
      { kind: "tool", made: { input: { command: "of 1" } }, outcome: { output: "!a" } },
      { kind: "prompt", marks: "!!" },
      { kind: "tool", made: { input: { command: "of 3" } }, outcome: { output: "!!b" } },
    ]);
  });
});
