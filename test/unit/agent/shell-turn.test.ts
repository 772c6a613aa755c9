// A `!command` through the runner: run without a question, told to a model with the next prompt or never.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SessionEvent } from "../../../src/agent/events.ts";
import { modelRegistry } from "../../../src/agent/models/registry.ts";
import type { Runner } from "../../../src/agent/runner.ts";
import { typedPrompt } from "../../../src/agent/typed-command.ts";
import type { AsyncSessionDB } from "../../../src/ledger/async-session-db.ts";
import type { Admission, ApprovalMode } from "../../../src/ledger/types.ts";
import { openAsyncLedger } from "../../helpers/async-ledger.ts";
import { temporaryFolder } from "../../helpers/ledger.ts";
import { type ModelServer, startModelServer } from "../../helpers/model-server.ts";
import { startRunner } from "../../helpers/runner.ts";

let folder: string;
let db: AsyncSessionDB;
let server: ModelServer;

beforeEach(async () => {
  folder = temporaryFolder();
  db = await openAsyncLedger(path.join(folder, "home", "state.db"));
  server = await startModelServer(() => ({ text: "seen" }));
});
afterEach(() => server.close());

async function start(mode: ApprovalMode = "plan"): Promise<{ runner: Runner; events: SessionEvent[] }> {
  const session = await db.createSession({ cwd: folder, route: { provider: "local", model: "m" }, source: "test" });
  return startRunner({
    db,
    session,
    models: modelRegistry({
      env: {},
      providers: { local: { kind: "openai-compatible", baseURL: server.url, models: ["m"] } },
    }),
    home: path.join(folder, "home"),
    rules: () => ({ allow: [], deny: [{ tool: "shell", text: "shell" }] }),
    mode,
    ask: () => Promise.reject(new Error("nobody is asked")),
  });
}

async function enter(runner: Runner, text: string): Promise<Admission> {
  const typed = typedPrompt(text);
  const admission = await runner.submit(typed ?? [{ kind: "text", text }], { kind: typed ? "shell" : "prompt" });
  await runner.idle();
  return db.admission(admission.id);
}

const callStates = (events: readonly SessionEvent[]) =>
  events.flatMap((event) => (event.type === "call-changed" ? [event.call.state] : []));

describe("a command of a person", () => {
  it("runs once, in the most careful mode and against every rule, and no model is asked", async () => {
    const { runner, events } = await start();
    const ended = await enter(runner, "!echo x >> n; exit 3");
    expect(ended).toMatchObject({ kind: "shell", outcome: "completed" });
    expect(readFileSync(path.join(folder, "n"), "utf8")).toBe("x\n");
    expect(callStates(events)).toEqual(["approved", "running", "failed"]);
    const [call] = await db.callsOf(ended.id);
    if (!call) throw new Error("no call");
    expect(await db.changesOf([call.message])).toMatchObject([{ kind: "created", origin: "suspected" }]);
    expect(server.requests).toEqual([]);
    expect(readdirSync(path.join(folder, "home", "spool"))).toEqual([]);
  });

  it("is told with the next prompt as one text of the person, and what is not to be told is not", async () => {
    const { runner } = await start();
    await enter(runner, "!echo shown");
    await enter(runner, "!!echo $((40 + 2))7");
    await enter(runner, "what was that?");
    await enter(runner, "!echo more");
    await enter(runner, "!echo and more");
    await enter(runner, "and now?");
    const asked = server.requests.map(({ body }) => body.messages.slice(1));
    expect(asked.map((messages) => messages.map(({ role }) => role))).toEqual([
      ["user"],
      ["user", "assistant", "user"],
    ]);
    expect(asked[0]?.[0]?.content).toMatch(/^The person ran[^]*\$ echo shown\n[^]*\nshown\n[^]*\n\nwhat was that\?$/);
    expect(asked[1]?.[2]?.content).toMatch(/\$ echo more\n[^]*\$ echo and more\n[^]*\n\nand now\?$/);
    for (const { text } of server.requests) expect(text).not.toMatch(/427|tool_call_id|40 \+ 2/);
  });

  it("is stopped as a model's is, and what was queued behind it waits for a key", async () => {
    const { runner, events } = await start();
    runner.listen((event) => {
      if (event.type === "call-output") runner.stop();
    });
    const first = await runner.submit(typedPrompt("!echo begun; sleep 60; touch late") ?? [], { kind: "shell" });
    const second = await runner.submit(typedPrompt("!touch second") ?? [], { kind: "shell" });
    await runner.idle();
    expect(await db.admission(first.id)).toMatchObject({ outcome: "interrupted" });
    expect(callStates(events).at(-1)).toBe("cancelled");
    expect(await db.admission(second.id)).toMatchObject({ status: "queued", held: "the turn before it was stopped" });
    expect(existsSync(path.join(folder, "second"))).toBe(false);
  });

  it("runs again by a retry, beside its first run", async () => {
    const { runner } = await start();
    await enter(runner, "!echo x >> n");
    expect(await runner.retry()).toMatchObject({ kind: "retried", admission: { kind: "shell" } });
    await runner.idle();
    expect(readFileSync(path.join(folder, "n"), "utf8")).toBe("x\nx\n");
    expect(runner.session).toMatchObject({ turns: 1, messages: 2 });
  });
});
