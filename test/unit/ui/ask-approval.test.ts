// What is typed around the moment a question comes up answers nothing, and is not lost.
import { PassThrough } from "node:stream";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ApprovalAsk } from "../../../src/agent/turn-context.ts";
import type { CallId } from "../../../src/ledger/types.ts";
import { type Answered, askApproval } from "../../../src/ui/ask-approval.ts";
import { composerText } from "../../../src/ui/composer-state.ts";
import { key } from "../../../src/ui/key-event.ts";
import { Screen } from "../../../src/ui/live-screen.ts";
import { askConfirm } from "../../../src/ui/modals.ts";
import { handleKeys, type KeyActions } from "../../../src/ui/screen-keys.ts";
import { plainTheme } from "./view-samples.ts";

afterEach(() => void vi.useRealTimers());

const call = {
  id: 1 as CallId,
  tool: "shell",
  input: { command: "ls" },
  effect: "external",
} as unknown as ApprovalAsk["call"];
const ask: ApprovalAsk = {
  ...{ call, summary: "ls", subject: "ls", why: "it runs a command", mode: "ask", isEditable: true },
  ...{ rule: "shell(ls)", deny: "shell(ls)" },
};
const actions: KeyActions = {
  ...{ enter: () => {}, stop: () => false, quit: () => {}, suspend: () => {}, page: () => {} },
  ...{ prompts: () => undefined, edit: () => {}, mode: () => undefined },
};

function open() {
  const stdout = { columns: 80, rows: 24, write: () => true };
  const screen = new Screen({
    stdout,
    stdin: new PassThrough() as unknown as NodeJS.ReadStream,
    theme: plainTheme,
    reflow: "but-cursor-row",
  });
  const answers: Answered[] = [];
  const type = (text: string) =>
    handleKeys(
      screen,
      [...text].map((each) => ({ kind: "text", text: each })),
      actions,
    );
  const question = () => void askApproval(screen, ask, new AbortController().signal).then((each) => answers.push(each));
  return { screen, answers, type, question };
}
const readTerminal = () =>
  new Promise<void>((resolve) => setImmediate(() => setImmediate(() => setImmediate(resolve))));

describe("a question that comes up", () => {
  it.each([..."yadent"])("is not answered by a %s that waited in the terminal when it was drawn", async (letter) => {
    const { screen, answers, type, question } = open();
    question();
    type(letter);
    await readTerminal();
    expect(answers).toEqual([]);
    expect(screen.modal?.view).toMatchObject({ kind: "approval", state: { stray: false } });
    expect(composerText(screen.composer)).toBe(letter);
    screen.close();
  });

  it.each([..."yadent"])("is not answered by a %s of the keys that closed what was before it", async (letter) => {
    const { screen, answers, question } = open();
    const before = askConfirm(screen, "Sure?");
    question();
    await readTerminal();
    const keys = ["y", letter, letter].map((text) => ({ kind: "text", text }) as const);
    handleKeys(screen, [...keys, key("enter")], actions);
    await before;
    expect(answers).toEqual([]);
    expect(screen.modal?.view).toMatchObject({ kind: "approval", state: { stray: false } });
    expect(composerText(screen.composer)).toBe(letter + letter);
    screen.close();
  });

  it("leaves whoever is typing their words, and takes an answer after a pause", async () => {
    const { screen, answers, type, question } = open();
    vi.useFakeTimers({ toFake: ["performance"] });
    type("an");
    question();
    await readTerminal();
    for (const letter of "y day") {
      vi.advanceTimersByTime(200);
      type(letter);
    }
    expect(composerText(screen.composer)).toBe("any day");
    expect(answers).toEqual([]);
    vi.advanceTimersByTime(600);
    type("y");
    await readTerminal();
    expect(answers).toEqual([{ reply: { kind: "once" }, stops: false }]);
    expect(composerText(screen.composer)).toBe("any day");
    screen.close();
  });
});
