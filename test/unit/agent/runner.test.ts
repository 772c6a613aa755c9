import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { parseRule, type Rule } from "../../../src/agent/approvals.ts";
import type { SessionEvent } from "../../../src/agent/events.ts";
import { modelRegistry } from "../../../src/agent/models/registry.ts";
import type { Runner, RunnerOptions } from "../../../src/agent/runner.ts";
import type { TurnContext } from "../../../src/agent/turn-context.ts";
import type { AsyncSessionDB } from "../../../src/ledger/async-session-db.ts";
import type { ApprovalMode } from "../../../src/ledger/types.ts";
import { openAsyncLedger } from "../../helpers/async-ledger.ts";
import { ROUTE, temporaryFolder } from "../../helpers/ledger.ts";
import { startRunner } from "../../helpers/runner.ts";

let folder: string;
let db: AsyncSessionDB;

beforeEach(async () => {
  folder = temporaryFolder();
  db = await openAsyncLedger(path.join(folder, "home", "state.db"));
});

async function start(
  mode: ApprovalMode,
  ask?: TurnContext["ask"],
  more: Partial<RunnerOptions> = {},
): Promise<{ runner: Runner; events: SessionEvent[] }> {
  const session = await db.createSession({ cwd: folder, route: ROUTE, source: "test" });
  const models = modelRegistry({ env: {}, providers: {} });
  return startRunner({ db, session, models, home: path.join(folder, "home"), mode, ...(ask && { ask }), ...more });
}

const text = (words: string) => [{ kind: "text", text: words } as const];

describe("a turn with the guide", () => {
  it("runs a command once and is saved with its answer", async () => {
    const { runner, events } = await start("auto");
    await runner.submit(text("run echo x >> n"));
    await runner.idle();
    expect(readFileSync(path.join(folder, "n"), "utf8")).toBe("x\n");
    const kinds = events.map((event) => event.type).filter((type) => type !== "text-delta");
    expect(kinds).toEqual([
      "prompt-admitted",
      "turn-started",
      "message-added",
      "message-added",
      "call-changed",
      "call-changed",
      "call-changed",
      "call-changed",
      "message-added",
      "message-added",
      "turn-settled",
      "session-changed",
    ]);
    expect(events.find((event) => event.type === "turn-settled")).toMatchObject({ outcome: "completed" });
    expect(runner.session).toMatchObject({ messages: 4, turns: 1 });
  });

  it("asks once for a call, and a no is a result the model reads", async () => {
    const asked: string[] = [];
    const { runner, events } = await start("ask", (question) => {
      asked.push(`${question.call.tool} ${question.summary}`);
      return Promise.resolve({ kind: "no", because: "not today" });
    });
    await runner.submit(text("run touch made"));
    await runner.idle();
    expect(asked).toEqual(["shell touch made"]);
    expect(JSON.stringify(events)).toContain("not today");
    expect(events.find((event) => event.type === "turn-settled")).toMatchObject({ outcome: "completed" });
  });

  it.each([
    ["write old.txt: new", /old\.txt exists and was not read yet/],
    ["edit old.txt: absent => b", /old was not found/],
    ["write ../out.txt: x", /outside the session's folder/],
  ])("asks nobody about what cannot run: %s", async (order, why) => {
    writeFileSync(path.join(folder, "old.txt"), "unread");
    const asked: string[] = [];
    const { runner, events } = await start("ask", ({ subject }) => {
      asked.push(subject);
      return Promise.resolve({ kind: "once" });
    });
    await runner.submit(text(order));
    await runner.idle();
    expect(asked).toEqual([]);
    const results = events.flatMap((event) => (event.type === "message-added" ? event.message.parts : []));
    const [outcome] = results.flatMap((part) => (part.kind === "tool-result" ? [part.outcome] : []));
    expect(outcome).toMatchObject({ kind: "failed", output: expect.stringMatching(why) });
    expect(readFileSync(path.join(folder, "old.txt"), "utf8")).toBe("unread");
  });

  it("runs what a person made of a command; the intent holds it, and the model is told", async () => {
    const { runner, events } = await start("ask", () => Promise.resolve({ kind: "edited", subject: "echo mine >> n" }));
    await runner.submit(text("run echo theirs >> n"));
    await runner.idle();
    expect(readFileSync(path.join(folder, "n"), "utf8")).toBe("mine\n");
    const started = events.find((event) => event.type === "call-changed" && event.call.state === "running");
    expect(started).toMatchObject({ call: { input: { command: "echo mine >> n" }, approval: "person, changed" } });
    const results = events.filter((event) => event.type === "message-added").map(({ message }) => message);
    expect(JSON.stringify(results.find(({ role }) => role === "tool"))).toContain("The person changed this call");
    expect(JSON.stringify(results.find(({ role }) => role === "assistant"))).toContain("theirs");
  });

  it("asks again, with what was written, when a rule forbids the changed command", async () => {
    const asked: (readonly [string, string | undefined])[] = [];
    const deny = parseRule("shell(rm)");
    const rules = { allow: [], deny: deny.ok ? [deny.rule] : [] };
    const { runner } = await start(
      "ask",
      ({ why, edited }) => {
        asked.push([why, edited]);
        return Promise.resolve(edited === undefined ? { kind: "edited", subject: "rm -r src" } : { kind: "no" });
      },
      { rules: () => rules },
    );
    await runner.submit(text("run ls"));
    await runner.idle();
    expect(asked).toEqual([
      ["it runs a command", undefined],
      [expect.stringContaining("shell(rm)"), "rm -r src"],
    ]);
  });

  it("stores never as a rule, which denies the next call; a rule that cannot be stored is asked about again", async () => {
    let deny: readonly Rule[] = [];
    let failures = 1;
    const asked: string[] = [];
    const { runner, events } = await start(
      "ask",
      ({ why, deny: rule = "" }) => {
        asked.push(why);
        return Promise.resolve({ kind: "never", rule });
      },
      {
        rules: () => ({ allow: [], deny }),
        onRule: (kind, rule) => {
          const parsed = parseRule(rule);
          if (failures-- > 0) return Promise.resolve({ ok: false, problem: "the disk is full" });
          if (kind === "deny" && parsed.ok) deny = [...deny, parsed.rule];
          return Promise.resolve({ ok: true, file: "/home/me/config.json" });
        },
      },
    );
    await runner.submit(text("run touch a then run touch b"));
    await runner.idle();
    expect(asked).toEqual(["it runs a command", "the rule could not be stored: the disk is full"]);
    expect(deny.map((rule) => rule.text)).toEqual(["shell(touch)"]);
    const kept = { type: "rule-kept", kind: "deny", rule: "shell(touch)", file: "/home/me/config.json" };
    expect(events.filter(({ type }) => type === "rule-kept")).toEqual([kept]);
    expect(JSON.stringify(events)).toContain("from now on the rule shell(touch) forbids this");
  });

  it("ends as interrupted when it is stopped, and what was queued behind it waits for a key", async () => {
    const { runner, events } = await start("auto");
    runner.listen((event) => {
      if (event.type === "call-changed" && event.call.state === "running") runner.stop();
    });
    await runner.submit(text("run sleep 60"));
    const second = await runner.submit(text("say later"));
    await runner.idle();
    expect(events.find((event) => event.type === "turn-settled")).toMatchObject({ outcome: "interrupted" });
    expect(await db.admission(second.id)).toMatchObject({ status: "queued", held: "the turn before it was stopped" });
  });

  it("edits a file that the person named", async () => {
    writeFileSync(path.join(folder, "a.txt"), "one\ntwo\n");
    const { runner } = await start("edits");
    await runner.submit(text("edit a.txt: two => three then read a.txt"));
    await runner.idle();
    expect(readFileSync(path.join(folder, "a.txt"), "utf8")).toBe("one\nthree\n");
  });
});
