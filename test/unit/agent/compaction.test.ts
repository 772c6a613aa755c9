// Compaction by a real runner against a real endpoint: when it happens, what the model is sent afterwards, and every way
// in which it comes to nothing and changes nothing. Waits are noted instead of slept.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { SessionEvent } from "../../../src/agent/events.ts";
import { modelRegistry } from "../../../src/agent/models/registry.ts";
import type { Runner, RunnerOptions } from "../../../src/agent/runner.ts";
import type { AsyncSessionDB } from "../../../src/ledger/async-session-db.ts";
import type { Session } from "../../../src/ledger/types.ts";
import { openAsyncLedger } from "../../helpers/async-ledger.ts";
import { temporaryFolder } from "../../helpers/ledger.ts";
import { type ChatBody, type ModelReply, startModelServer } from "../../helpers/model-server.ts";
import { startRunner } from "../../helpers/runner.ts";

const WINDOW = 20_000;
const NEARLY_FULL = { prompt_tokens: 17_000, completion_tokens: 10 };
const tooLong: ModelReply = {
  status: 400,
  body: { error: { message: "too long", code: "context_length_exceeded", type: "invalid_request_error" } },
};

let folder: string;
let db: AsyncSessionDB;

beforeEach(async () => {
  folder = temporaryFolder();
  db = await openAsyncLedger(path.join(folder, "state.db"));
});

interface Played {
  readonly runner: Runner;
  readonly session: Session;
  readonly events: readonly SessionEvent[];
  /** What was asked for a summary, and everything else. */
  readonly summaries: readonly ChatBody[];
  readonly turns: readonly ChatBody[];
}

interface Script {
  readonly turns: readonly ModelReply[];
  readonly summaries?: readonly ModelReply[] | ((n: number) => ModelReply | Promise<ModelReply>);
}

const isSummary = ({ messages }: ChatBody) => contentOf(messages[0]).startsWith("You sum up a conversation");

function contentOf(message: ChatBody["messages"][number] | undefined): string {
  return typeof message?.content === "string" ? message.content : JSON.stringify(message?.content ?? "");
}

async function open({ turns, summaries = [] }: Script, more: Partial<RunnerOptions> = {}): Promise<Played> {
  const asked: { turns: ChatBody[]; summaries: ChatBody[] } = { turns: [], summaries: [] };
  const server = await startModelServer((body) => {
    if (!isSummary(body)) {
      asked.turns.push(body);
      return turns[asked.turns.length - 1] ?? { status: 500, body: "the script has ended" };
    }
    asked.summaries.push(body);
    const n = asked.summaries.length;
    return typeof summaries === "function" ? summaries(n) : (summaries[n - 1] ?? { status: 500, body: "no more" });
  });
  onTestFinished(() => server.close());
  const providers = { local: { kind: "openai-compatible", baseURL: server.url, models: ["m1", "m2"] } } as const;
  const session = await db.createSession({ cwd: folder, route: { provider: "local", model: "m1" }, source: "test" });
  const { runner, events } = startRunner({
    db,
    session,
    models: modelRegistry({ env: {}, providers, limits: { stallMs: 10_000 } }),
    home: folder,
    modelFacts: () => ({ window: WINDOW }),
    ...more,
    retrying: { limit: 2, random: () => 0.5, sleep: () => Promise.resolve(), ...more.retrying },
  });
  return { runner, session, events, ...asked };
}

async function say({ runner }: Played, text: string): Promise<void> {
  await runner.submit([{ kind: "text", text }]);
  await runner.idle();
}

async function compress({ runner }: Played, focus = ""): Promise<void> {
  await runner.submit(focus === "" ? [] : [{ kind: "text", text: focus }], { kind: "compact" });
  await runner.idle();
}

const ofType = <T extends SessionEvent["type"]>({ events }: Played, type: T) =>
  events.filter((event): event is Extract<SessionEvent, { type: T }> => event.type === type);
const left = (played: Played) => ofType(played, "compaction-left").map(({ why }) => why);
const outcomes = (played: Played) => ofType(played, "turn-settled").map(({ outcome }) => outcome);
const told = (body: ChatBody | undefined) =>
  (body?.messages ?? []).filter(({ role }) => role !== "system").map((each) => `${each.role}: ${contentOf(each)}`);
const long = (words: string) => `${words} ${"and so on ".repeat(900)}`;

async function generation({ session }: Played): Promise<number> {
  return (await db.canonical(session.conversation)).generation;
}

describe("a window that is nearly full", () => {
  it("is compacted before the next request, which goes on from the summary and the turns that were kept", async () => {
    const played = await open({
      turns: [{ text: "one" }, { text: "two", usage: NEARLY_FULL }, { text: "three" }],
      summaries: [{ text: "They said hello.", usage: { prompt_tokens: 500, completion_tokens: 5 } }],
    });
    await say(played, long("first"));
    await say(played, "second");
    await say(played, "third");
    expect(outcomes(played)).toEqual(["completed", "completed", "completed"]);
    expect(ofType(played, "compaction-started")).toMatchObject([{ reason: "full", tokens: expect.any(Number) }]);
    expect(ofType(played, "compacted")).toMatchObject([{ session: { generation: 1 } }]);
    expect(contentOf(played.summaries[0]?.messages[1])).toContain("# The person\nfirst");
    const [first, ...others] = told(played.turns[2]);
    expect(first).toMatch(
      /^user: \[summary (\w{12}) begins\]\nThis is your own summary[^]*They said hello\.\n\[summary \1 ends\]\n\nsecond$/,
    );
    expect(others).toEqual(["assistant: two", "user: third"]);
    expect(played.runner.session).toMatchObject({ generation: 1, conversation: played.session.conversation });
    const { messages } = await db.path(played.runner.session.id, { limit: 100 });
    expect(messages.map(({ role }) => role)).toEqual([
      ...["user", "assistant", "user", "assistant", "user", "summary", "assistant"],
    ]);
    expect(await db.modelUsage(played.session.id)).toMatchObject([{ calls: 2 }]);
  });

  it("never folds what was just asked: a long prompt is sent whole, and only what came before it is summed up", async () => {
    const played = await open({
      turns: [
        { text: "one" },
        { text: "two", usage: { prompt_tokens: 6_000, completion_tokens: 10 } },
        { text: "three" },
      ],
      summaries: [{ text: "They said hello." }],
    });
    const prompt = `first word ${"and so on ".repeat(4_300)}last word`;
    for (const text of [long("first"), "second", prompt]) await say(played, text);
    expect(await generation(played)).toBe(1);
    const last = told(played.turns[2]);
    expect(last.at(-1)).toContain(prompt);
    expect(last.join()).toContain("They said hello.");
  });

  it("says what is too much where nothing can be folded", async () => {
    const played = await open({ turns: [{ text: "one" }] }, { modelFacts: () => ({ window: 2_500 }) });
    await say(played, long("first"));
    expect(left(played)).toEqual([
      expect.stringMatching(/System prompt, its files and tools alone take about \d+ % of the window/),
    ]);
  });

  it("is left alone where the config says so, and below its part of the window", async () => {
    for (const compaction of [{ auto: false }, { at: 0.95 }]) {
      const played = await open({ turns: [{ text: "one", usage: NEARLY_FULL }, { text: "two" }] }, { compaction });
      await say(played, long("first"));
      await say(played, "second");
      expect(played.summaries).toEqual([]);
      expect(outcomes(played)).toEqual(["completed", "completed"]);
    }
  });

  it("in the middle of a turn that fills it alone folds that turn too, and keeps what was asked word for word", async () => {
    writeFileSync(path.join(folder, "long.txt"), long("a file\n").repeat(3));
    const calls = [{ name: "read_file", arguments: { path: "long.txt" } }];
    const played = await open({
      turns: [{ calls, usage: NEARLY_FULL }, { text: "done" }],
      summaries: [{ text: "You read the file." }],
    });
    const asked = "read it, and mind the first line";
    await say(played, asked);
    expect(outcomes(played)).toEqual(["completed"]);
    expect(left(played)).toEqual([]);
    const [only, ...others] = told(played.turns[1]);
    expect(others).toEqual([]);
    expect(only).toContain("You read the file.");
    expect(only).toContain(`in their words:\n\n${asked}`);
  });

  it("is summed up by the model that is configured for it", async () => {
    const played = await open(
      {
        turns: [{ text: "one" }, { text: "two", usage: NEARLY_FULL }, { text: "three" }],
        summaries: [{ text: "short" }],
      },
      { compaction: { model: "local/m2" } },
    );
    for (const text of [long("first"), "second", "third"]) await say(played, text);
    expect(played.summaries.map(({ model }) => model)).toEqual(["m2"]);
    expect(played.turns.map(({ model }) => model)).toEqual(["m1", "m1", "m1"]);
  });
});

describe("a conversation that the provider says is too long", () => {
  it("is compacted once, and the request is made again", async () => {
    const played = await open({
      turns: [{ text: "one" }, tooLong, { text: "two" }],
      summaries: [{ text: "They said hello." }],
    });
    await say(played, long("first"));
    await say(played, "second");
    expect(outcomes(played)).toEqual(["completed", "completed"]);
    expect(ofType(played, "compaction-started")).toMatchObject([{ reason: "overflow" }]);
    expect(told(played.turns[2])).toEqual([
      expect.stringMatching(/They said hello\.\n\[summary \w+ ends\]\n\nsecond$/),
    ]);
  });

  it("also where the window is not known", async () => {
    const played = await open(
      { turns: [{ text: "one" }, tooLong, { text: "two" }], summaries: () => ({ text: "They said hello." }) },
      { modelFacts: () => ({}) },
    );
    await say(played, long("first"));
    await say(played, "second");
    expect(outcomes(played)).toEqual(["completed", "completed"]);
  });

  it("fails with the provider's words when it is too long again", async () => {
    const played = await open({ turns: [{ text: "one" }, tooLong, tooLong], summaries: [{ text: "short" }] });
    await say(played, long("first"));
    await say(played, "second");
    expect(outcomes(played)).toEqual(["completed", "failed"]);
    expect(ofType(played, "turn-settled")[1]).toMatchObject({ error: { code: "model_context_overflow" } });
    expect(await generation(played)).toBe(1);
  });
});

describe("a summary that comes to nothing changes nothing", () => {
  const full = [{ text: "one" }, { text: "two", usage: NEARLY_FULL }, { text: "three" }, { text: "four" }];

  it.each([
    ["fails", { status: 401, body: { error: { message: "no key" } } }, /no key/],
    ["is refused", { text: "no", finish: "content_filter" }, /refused/],
    ["is empty", { text: " \n " }, /no smaller|empty|ended/],
    ["is cut off", { text: "partial summ", finish: "length" }, /cut off/],
    ["is no smaller", { text: long("much more than what was said").repeat(12) }, /no smaller/],
  ] as const)("one that %s: the turn goes on, and none is made unasked for a while", async (_, reply, why) => {
    const played = await open({ turns: full, summaries: () => reply });
    for (const text of [long("first"), "second", "third"]) await say(played, text);
    expect(outcomes(played)).toEqual(["completed", "completed", "completed"]);
    expect(left(played)).toEqual([expect.stringMatching(why)]);
    expect(await generation(played)).toBe(0);
    const asked = played.summaries.length;
    await say(played, "fourth");
    expect(played.summaries.length).toBe(asked);
    expect(await db.compactionLock(played.session.conversation)).toBeUndefined();
  });

  it("one that is stopped: the turn ends as stopped, and the next attempt is free", async () => {
    const played = await open({
      turns: full,
      summaries: (n) =>
        n === 1 ? { text: ["half ", "a summary"], faults: [{ kind: "stall", after: 1 }] } : { text: "short" },
    });
    played.runner.listen((event) => {
      if (event.type === "compaction-stage") played.runner.stop();
    });
    for (const text of [long("first"), "second", "third"]) await say(played, text);
    expect(outcomes(played)).toEqual(["completed", "completed", "interrupted"]);
    expect(await generation(played)).toBe(0);
    expect(played.turns).toHaveLength(2);
  });

  it("is asked for again where a turn would ask again", async () => {
    const played = await open({
      turns: full,
      summaries: (n) => (n < 3 ? { status: 503, body: "busy" } : { text: "short" }),
    });
    for (const text of [long("first"), "second", "third"]) await say(played, text);
    expect(ofType(played, "retry-wait")).toHaveLength(2);
    expect(await generation(played)).toBe(1);
  });
});

describe("/compress", () => {
  it("compacts in a turn of its own, with the person's focus, and keeps only the last turn when all of it would fit", async () => {
    const played = await open({
      turns: [{ text: "one" }, { text: "two" }, { text: "three" }],
      summaries: [{ text: "short" }],
    });
    await say(played, long("first"));
    await say(played, "second");
    await compress(played, "the file names");
    expect(outcomes(played)).toEqual(["completed", "completed", "completed"]);
    expect(contentOf(played.summaries[0]?.messages[1])).toMatch(/keep in detail what concerns this: the file names$/);
    await say(played, "third");
    expect(told(played.turns[2])).toEqual([
      expect.stringMatching(/short\n\[summary \w+ ends\]\n\nsecond$/),
      "assistant: two",
      "user: third",
    ]);
    const { messages } = await db.path(played.runner.session.id, { limit: 100 });
    const [part] = messages.find(({ role }) => role === "summary")?.parts ?? [];
    expect(part).toMatchObject({ folded: 2, before: expect.any(Number), after: expect.any(Number) });
  });

  it("says that there is nothing to do where there is nothing but the last turn", async () => {
    const played = await open({ turns: [{ text: "one" }] });
    await compress(played);
    await say(played, "first");
    await compress(played);
    expect(left(played)).toEqual([expect.stringContaining("Nothing"), expect.stringContaining("Nothing")]);
    expect(outcomes(played)).toEqual(["rejected", "completed", "rejected"]);
    expect(played.summaries).toEqual([]);
  });

  it("sums up in stages what is longer than the window, each with the summary so far", async () => {
    const played = await open(
      {
        turns: Array.from({ length: 30 }, (_, n) => ({ text: `answer ${n}` })),
        summaries: (n) => ({ text: `summary ${n}` }),
      },
      { compaction: { auto: false } },
    );
    for (let n = 0; n < 8; n += 1) await say(played, long(`prompt ${n}`));
    await compress(played);
    const stages = ofType(played, "compaction-stage").map(({ stage, of }) => `${stage}/${of}`);
    expect(stages.length).toBeGreaterThan(1);
    expect(stages.at(-1)).toBe(`${stages.length}/${stages.length}`);
    for (const [at, body] of played.summaries.entries()) {
      const text = contentOf(body.messages[1]);
      expect(text.length / 4).toBeLessThan(WINDOW * 0.7);
      if (at > 0) expect(text).toContain(`<summary_so_far>\nsummary ${at}\n`);
    }
    await say(played, "more");
    expect(told(played.turns.at(-1))[0]).toContain(`summary ${stages.length}`);
  });

  it("makes a stage shorter that the summing model says is too long", async () => {
    const played = await open({
      turns: [{ text: "one" }, { text: "two" }],
      summaries: (n) => (n === 1 ? tooLong : { text: "short" }),
    });
    await say(played, long("first"));
    await say(played, "second");
    await compress(played);
    expect(await generation(played)).toBe(1);
    const lengths = played.summaries.map((body) => contentOf(body.messages[1]).length);
    expect(lengths[1]).toBeLessThan(lengths[0] ?? 0);
  });

  it("needs no model with the guide: first words of each, bounded however often it is done", async () => {
    const played = await open({ turns: [] });
    await db.setModel(played.session.id, { provider: "guide", model: "guide" }, { text: "guide", at: Date.now() });
    await played.runner.refresh();
    for (let n = 0; n < 12; n += 1) {
      await say(played, `say ${n} ${"and so on ".repeat(100)}`);
      if (n > 1) await compress(played);
    }
    expect(played.summaries).toEqual([]);
    expect(left(played)).toEqual([]);
    expect(await generation(played)).toBe(10);
    const path = await db.contextPath(played.session.conversation);
    const [summary] = path.filter(({ role }) => role === "summary");
    const text = summary?.parts.map((part) => ("text" in part ? part.text : "")).join("") ?? "";
    expect(text).toContain("- asked: say 9 and so on");
    expect(text.length).toBeLessThan(8_000);
  });
});
