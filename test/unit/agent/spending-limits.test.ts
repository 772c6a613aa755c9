// Limits on what is spent, against a real server that counts tokens: the next call is not made, what was done is kept.
import { beforeEach, describe, expect, it } from "vitest";
import { modelRegistry } from "../../../src/agent/models/registry.ts";
import type { SpendingLimits } from "../../../src/agent/spending-limits.ts";
import type { AsyncSessionDB } from "../../../src/ledger/async-session-db.ts";
import { openAsyncLedger } from "../../helpers/async-ledger.ts";
import { temporaryFolder } from "../../helpers/ledger.ts";
import { type ModelServer, startModelServer } from "../../helpers/model-server.ts";
import { startRunner } from "../../helpers/runner.ts";

const MILLION = { prompt_tokens: 1_000_000, completion_tokens: 0 };
const DAY = 86_400_000;
/** A dollar a request. */
const MODELS = { "local/m1": { inputPrice: 1, outputPrice: 1 } };

let db: AsyncSessionDB;
let server: ModelServer;
let asked: number;
let replies: readonly object[];

beforeEach(async () => {
  db = await openAsyncLedger();
  asked = 0;
  replies = [];
  server = await startModelServer(() => ({ text: "ok", usage: MILLION, ...replies[asked++] }));
});

async function open(
  limits: SpendingLimits,
  { models = MODELS, now = Date.now }: { models?: object; now?: () => number } = {},
) {
  const folder = temporaryFolder();
  const route = { provider: "local", model: "m1" };
  const session = await db.createSession({ cwd: folder, route, source: "test" });
  const providers = { local: { kind: "openai-compatible", baseURL: server.url, models: ["m1"] } } as const;
  const registry = modelRegistry({ env: {}, providers });
  const spending = { limits, models: models as typeof MODELS };
  const { runner, events } = startRunner({ db, session, models: registry, home: folder, spending, now });
  return async (text: string) => {
    await runner.submit([{ kind: "text", text }]);
    await runner.idle();
    const settled = events.findLast((event) => event.type === "turn-settled");
    if (settled?.type !== "turn-settled") throw new Error("the turn did not end");
    return settled;
  };
}

describe("a limit on what is spent", () => {
  it.each([
    ["sessionUsd", 2, 3],
    ["dayUsd", 2, 3],
    ["sessionUsd", 0.5, 2],
  ] as const)("%s of %d dollars stops the %d. prompt, before the model is asked", async (name, most, nth) => {
    const say = await open({ [name]: most });
    for (let count = 1; count < nth; count += 1) expect((await say(`${count}`)).outcome).toBe("completed");
    const settled = await say("once more");
    expect(settled).toMatchObject({ outcome: "failed", error: { code: "spending_limit" } });
    expect(settled.error?.message).toMatch(/limit of \$\d\.\d\d for (this conversation|today) is reached \(\$\d\.00\)/);
    expect(settled.error?.hint).toContain(`limits, ${name}`);
    expect(asked).toBe(nth - 1);
  });

  it("of a turn stops it between two calls, keeps what it did, and the next prompt has one of its own", async () => {
    replies = [{ text: "", calls: [{ name: "todo", arguments: { items: [{ text: "a", state: "open" }] } }] }];
    const say = await open({ turnUsd: 1 });
    const settled = await say("go");
    expect(settled).toMatchObject({ outcome: "failed", error: { code: "spending_limit" } });
    expect(settled.error?.hint).toContain("another prompt goes on");
    const { messages } = await db.path((await db.listSessions({}))[0]?.session.id as never, { limit: 9 });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "note"]);
    expect((await say("go on")).outcome).toBe("completed");
    expect(asked).toBe(2);
  });

  it("of a day counts all conversations of that day, and begins anew with the next", async () => {
    let at = Date.now();
    const options = { now: () => at };
    const first = await open({ dayUsd: 1 }, options);
    const second = await open({ dayUsd: 1 }, options);
    expect((await first("one")).outcome).toBe("completed");
    expect((await second("two")).error?.code).toBe("spending_limit");
    at += DAY;
    expect((await second("two again")).outcome).toBe("completed");
    expect((await first("three")).error?.hint).toContain("tomorrow");
  });

  it("asks no model whose price is not known, and says how to say it; without a limit it does", async () => {
    const say = await open({ dayUsd: 20 }, { models: {} });
    const { error } = await say("one");
    expect(error).toMatchObject({ code: "spending_limit", message: expect.stringContaining("local/m1") });
    expect(error?.hint).toContain("inputPrice");
    expect(asked).toBe(0);
    const free = await open({}, { models: {} });
    expect((await free("one")).outcome).toBe("completed");
  });

  it("is none for a model that costs nothing, also where it is reached", async () => {
    const say = await open({ dayUsd: 1 });
    await say("one");
    expect((await say("two")).error?.code).toBe("spending_limit");
    const free = await open({ dayUsd: 1 }, { models: { "local/m1": { inputPrice: 0, outputPrice: 0 } } });
    expect((await free("three")).outcome).toBe("completed");
  });

  it("holds for /compress too", async () => {
    const say = await open({ sessionUsd: 1 });
    await say("one");
    const [listed] = await db.listSessions({});
    if (!listed) throw new Error("no session");
    const { runner, events } = startRunner({
      db,
      session: listed.session,
      models: modelRegistry({ env: {}, providers: {} }),
      home: temporaryFolder(),
      spending: { limits: { sessionUsd: 1 }, models: MODELS },
    });
    await runner.submit([], { kind: "compact" });
    await runner.idle();
    expect(events.find((event) => event.type === "compaction-left")).toMatchObject({
      why: expect.stringContaining("Compaction skipped: the limit of $1.00 for this conversation is reached"),
    });
    expect(asked).toBe(1);
  });
});
