// Turns against a real endpoint that fails: what is asked again, with which bytes, and what of it is kept. Waits are
// noted instead of slept.
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { SessionEvent } from "../../../src/agent/events.ts";
import { pause } from "../../../src/agent/lease-keeper.ts";
import { modelRegistry } from "../../../src/agent/models/registry.ts";
import type { Runner, RunnerOptions } from "../../../src/agent/runner.ts";
import type { AsyncSessionDB } from "../../../src/ledger/async-session-db.ts";
import { openAsyncLedger } from "../../helpers/async-ledger.ts";
import { temporaryFolder } from "../../helpers/ledger.ts";
import { rowsOf } from "../../helpers/ledger-rows.ts";
import { type ModelReply, type ModelServer, startModelServer } from "../../helpers/model-server.ts";
import { startRunner } from "../../helpers/runner.ts";

const refuses = (status: number, headers: Record<string, string> = {}): ModelReply => ({
  status,
  headers,
  body: { error: { message: "not now" } },
});
const cut: ModelReply = { text: ["half an ", "answer"], faults: [{ kind: "cut", after: 1 }] };
const stalls: ModelReply = { text: ["half an ", "answer"], faults: [{ kind: "stall", after: 1 }] };
const reset: ModelReply = { text: "never", faults: [{ kind: "cut", after: 0 }] };

let folder: string;
let file: string;
let db: AsyncSessionDB;

beforeEach(async () => {
  folder = temporaryFolder();
  file = path.join(folder, "state.db");
  db = await openAsyncLedger(file);
});

interface Played {
  readonly runner: Runner;
  readonly server: ModelServer;
  readonly spare: ModelServer;
  readonly events: readonly SessionEvent[];
  readonly waits: readonly number[];
}

async function open(
  script: readonly ModelReply[],
  more: Partial<RunnerOptions> = {},
  spareScript: readonly ModelReply[] = [],
): Promise<Played> {
  const [server, spare] = [await startModelServer(script), await startModelServer(spareScript)];
  onTestFinished(async () => {
    await Promise.all([server.close(), spare.close()]);
  });
  const kind = "openai-compatible";
  const providers = {
    local: { kind, baseURL: server.url, models: ["m1"] },
    spare: { kind, baseURL: spare.url, models: ["m2"] },
  } as const;
  const session = await db.createSession({
    cwd: folder,
    route: { provider: "local", model: "m1" },
    source: "test",
  });
  const waits: number[] = [];
  const { runner, events } = startRunner({
    db,
    session,
    models: modelRegistry({ env: {}, providers, limits: { stallMs: 500 } }),
    home: folder,
    ...more,
    retrying: {
      random: () => 0.5,
      sleep: (ms) => {
        waits.push(ms);
        return Promise.resolve();
      },
      ...more.retrying,
    },
  });
  return { runner, server, spare, events, waits };
}

async function play(...args: Parameters<typeof open>): Promise<Played> {
  const played = await open(...args);
  await played.runner.submit([{ kind: "text", text: "hello" }]);
  await played.runner.idle();
  return played;
}

const requests = () =>
  rowsOf(file, "select state, digest from model_requests order by n") as { state: string; digest: string }[];
const settled = ({ events }: Played) => events.find((event) => event.type === "turn-settled");
const waitsTold = ({ events }: Played) => events.filter((event) => event.type === "retry-wait");

async function texts({ runner }: Played): Promise<readonly string[]> {
  const { messages } = await db.path(runner.session.id, { limit: 100 });
  return messages.flatMap(({ role, parts }) =>
    parts.map((part) => `${role}: ${"text" in part ? part.text : part.kind}`),
  );
}

describe("a request that failed", () => {
  it.each([
    ["429 with seconds", refuses(429, { "retry-after": "7" }), 7_350, "model_rate_limit"],
    ["429 with milliseconds", refuses(429, { "retry-after-ms": "300", "retry-after": "9" }), 315, "model_rate_limit"],
    ["429 without a delay", refuses(429), 500, "model_rate_limit"],
    ["503", refuses(503), 500, "model_server"],
    ["a stream that is cut", cut, 500, "model_cut"],
    ["a stream that stalls", stalls, 500, "model_stalled"],
    ["a connection that is lost", reset, 500, "model_refused"],
  ] as const)("%s: the same bytes are asked again, once, and only the whole answer is stored", async (...row) => {
    const [, failure, ms, code] = row;
    const played = await play([failure, { text: "here I am" }]);
    expect(settled(played)).toMatchObject({ outcome: "completed" });
    expect(await texts(played)).toEqual(["user: hello", "assistant: here I am"]);
    expect(played.waits).toEqual([ms]);
    expect(waitsTold(played)).toMatchObject([{ retry: 1, of: 8, waitMs: ms, error: { code } }]);
    const [first, second, ...others] = played.server.requests;
    expect(others).toEqual([]);
    expect(second?.text).toBe(first?.text);
    const rows = requests();
    expect(rows.map(({ state }) => state)).toEqual(["failed", "answered"]);
    expect(rows[1]?.digest).toBe(rows[0]?.digest);
    expect(await db.drafts(played.runner.session.conversation)).toEqual([]);
  });

  it("with an HTTP date is asked again when that has come", async () => {
    const at = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 30_000).toUTCString();
    const { waits } = await play([refuses(429, { "retry-after": at }), { text: "yes" }]);
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThan(20_000);
    expect(waits[0]).toBeLessThan(33_000);
  });

  it("fails the turn after the last retry, with how often was asked", async () => {
    const played = await play(
      Array.from({ length: 9 }, () => refuses(500)),
      { retrying: { limit: 3 } },
    );
    expect(played.waits).toEqual([500, 1_000, 2_000]);
    expect(played.server.requests).toHaveLength(4);
    expect(settled(played)).toMatchObject({ outcome: "failed", error: { code: "model_server" } });
    expect((await texts(played)).at(-1)).toMatch(/^note: No answer: .*not now \(asked 4 times\)/);
    expect(new Set(requests().map(({ state }) => state))).toEqual(new Set(["failed"]));
  });

  it.each([
    ["a key that is refused", 401, "no"],
    ["an account without credit", 429, "You exceeded your current quota: insufficient_quota"],
  ])("%s is not asked again", async (_, status, message) => {
    const played = await play([{ status, body: { error: { message } } }, { text: "never" }]);
    expect(played.server.requests).toHaveLength(1);
    expect(waitsTold(played)).toEqual([]);
    expect(settled(played)).toMatchObject({ outcome: "failed" });
  });

  it("is not waited for where the server wants hours, and says so", async () => {
    const played = await play([refuses(429, { "retry-after": "7200" }), { text: "never" }]);
    expect(played.server.requests).toHaveLength(1);
    expect((await texts(played)).at(-1)).toContain("It asks to wait 120 minutes.");
  });

  it("a stop ends the wait at once: interrupted, and nothing is asked any more", async () => {
    const played = await open([refuses(429, { "retry-after": "600" })], { retrying: { sleep: pause } });
    played.runner.listen((event) => {
      if (event.type === "retry-wait") played.runner.stop();
    });
    await played.runner.submit([{ kind: "text", text: "hello" }]);
    await played.runner.idle();
    expect(settled(played)).toMatchObject({ outcome: "interrupted" });
    expect(await texts(played)).toEqual(["user: hello", "note: Stopped."]);
    expect(played.server.requests).toHaveLength(1);
  });
});

describe("a fallback", () => {
  const fallback = "spare/m2";

  it("answers when an overload lasts: said as a note, stored with its own name, the session's model stays", async () => {
    const spareAnswer = { text: "I stand in", usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } };
    const played = await play(
      Array.from({ length: 9 }, () => refuses(503)),
      { fallback },
      [spareAnswer],
    );
    expect(played.server.requests).toHaveLength(3);
    const [prompt, note, answer] = await texts(played);
    expect([prompt, answer]).toEqual(["user: hello", "assistant: I stand in"]);
    expect(note).toMatch(/^note: No answer of local\/m1: .*not now\nThe fallback spare\/m2 answers/);
    const { messages } = await db.path(played.runner.session.id, { limit: 100 });
    expect(messages.at(-1)).toMatchObject({ provider: "spare", model: "m2" });
    expect(played.runner.session.route).toMatchObject({ provider: "local", model: "m1" });
    expect(rowsOf(file, "select provider, model, input_tokens from model_usage")).toEqual([
      { provider: "spare", model: "m2", input_tokens: 3 },
    ]);
    expect(JSON.stringify(played.spare.requests[0]?.body.messages)).not.toContain("fallback");
  });

  it("goes on with the turn it took over, and the next turn asks the session's model first", async () => {
    const call = { calls: [{ name: "glob", arguments: { pattern: "nothing" } }] };
    const script = [refuses(503), refuses(503), refuses(503), { text: "I am back" }];
    const played = await play(script, { fallback }, [call, { text: "looked" }]);
    expect(played.spare.requests).toHaveLength(2);
    await played.runner.submit([{ kind: "text", text: "again" }]);
    await played.runner.idle();
    expect((await texts(played)).at(-1)).toBe("assistant: I am back");
    expect(played.spare.requests).toHaveLength(2);
  });

  it.each([
    ["high", "high", /turn\.$/],
    ["max", undefined, /turn\. It has no effort "max", so it has its default\.$/],
  ])("for an effort of %s is asked with %s, and its note says what it lost", async (effort, sent, words) => {
    const played = await open([refuses(503)], { fallback, retrying: { limit: 0 } }, [{ text: "I stand in" }]);
    const route = { provider: "local", model: "m1", options: { effort } };
    await db.setModel(played.runner.session.id, route, { text: "set", at: 1 });
    await played.runner.refresh();
    await played.runner.submit([{ kind: "text", text: "hello" }]);
    await played.runner.idle();
    expect(played.spare.requests[0]?.body["reasoning_effort"]).toBe(sent);
    expect((await texts(played)).find((text) => text.includes("The fallback"))).toMatch(words);
    const told = played.events.find((event) => event.type === "fallback");
    expect(told?.lostEffort).toBe(sent === undefined ? effort : undefined);
    expect(played.runner.session.route.options).toMatchObject({ effort });
  });

  it("that fails too ends the turn with its own words", async () => {
    const played = await play([refuses(503)], { fallback, retrying: { limit: 0 } }, [refuses(401)]);
    expect(settled(played)).toMatchObject({ outcome: "failed", error: { code: "model_auth" } });
    expect((await texts(played)).at(-1)).toContain("spare answered 401");
  });

  it.each([
    ["a name that fits nothing", "nowhere/x", /fallback cannot be used: /],
    ["the model itself", "local/m1", /^note: No answer: local answered 503[^\n]*not now \(asked 2 times\)/],
  ])("%s is none", async (_, name, words) => {
    const script = [refuses(503), refuses(503)];
    const played = await play(script, { fallback: name, retrying: { limit: 1 } });
    expect(played.server.requests).toHaveLength(2);
    expect((await texts(played)).at(-1)).toMatch(words);
  });
});
