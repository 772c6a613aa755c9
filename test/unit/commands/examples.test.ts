// Every example of docs/commands.md is typed as it stands there, on a desk where somebody has worked a while.
import { describe, expect, it } from "vitest";
import type { Command, CommandResult } from "../../../src/commands/command.ts";
import { registry } from "../../../src/commands/registry.ts";
import { newRequestId } from "../../../src/ledger/ids.ts";
import { prompt } from "../../helpers/ledger.ts";
import { type Desk, openDesk } from "./command-harness.ts";
import { afterCrash } from "./crashed-desk.ts";

/** What must have been done for the example to have something to do, and where it starts from. */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  "/redo": ["/undo --chat"],
  "/compare": ["/branch another way", "/resume say one"],
  "/import": ["/export talk.jsonl"],
  "/sessions import": ["/export talk.jsonl"],
  "/recover resume": ["/recover call 1 --not-happened"],
};

const declared = registry.commands.flatMap((command) => [
  { path: `/${command.name}`, command },
  ...(command.verbs ?? []).map((verb) => ({ path: `/${command.name} ${verb.name}`, command: verb })),
]);

describe("the examples of docs/commands.md", () => {
  it.each(declared)("$path: $command.example", async ({ path: name, command }) => {
    expect(command.example.startsWith(name)).toBe(true);
    const desk = await deskFor(name);
    for (const line of BEFORE[name] ?? []) expectDone(await desk.type(line));
    expectDone(await desk.type(command.example));
    expect(await desk.db.verify()).toEqual([]);
  });

  it("are no two alike", () => {
    const examples = declared.map(({ command }: { command: Command }) => command.example);
    expect(new Set(examples).size).toBe(examples.length);
  });
});

async function deskFor(name: string): Promise<Desk> {
  return name.startsWith("/recover") ? (await afterCrash()).desk : workedDesk();
}

/** Four turns, of which the second wrote a file; two prompts that wait for a key; another conversation, “parser”. */
async function workedDesk(): Promise<Desk> {
  const desk = await openDesk();
  for (const text of ["say one", "write notes.txt: hello", "say three", "say four"]) await desk.say(text);
  const own = desk.runner.session;
  await desk.runner.open(await desk.newSession({ title: "parser" }), false);
  await desk.say("say a parser reads words");
  await desk.runner.open(own, true);
  for (const text of ["say six", "say seven"]) {
    const target = { kind: "session", asked: own.id } as const;
    const wanted = { request: newRequestId(), kind: "prompt", payload: prompt(text, desk.folder), target } as const;
    const { admission } = await desk.db.admit({ ...wanted, session: own.id });
    await desk.db.hold(admission.id, "the turn before it was stopped");
  }
  return desk;
}

function expectDone(result: CommandResult): void {
  if (result.kind === "usage" || result.kind === "refused") expect.fail(JSON.stringify(result));
}
