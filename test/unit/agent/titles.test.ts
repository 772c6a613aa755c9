// Titles by a real model endpoint: once a conversation, behind its first answered turn, and never over a person's word or
// into another conversation. Whether none was asked for is looked at when a later one has come.
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { SessionEvent } from "../../../src/agent/events.ts";
import { modelRegistry } from "../../../src/agent/models/registry.ts";
import type { Runner } from "../../../src/agent/runner.ts";
import { keepTitles } from "../../../src/agent/title-keeper.ts";
import { titleOf } from "../../../src/agent/title-request.ts";
import { typedPrompt } from "../../../src/agent/typed-command.ts";
import type { AsyncSessionDB } from "../../../src/ledger/async-session-db.ts";
import type { ModelRoute, Session } from "../../../src/ledger/types.ts";
import { openAsyncLedger } from "../../helpers/async-ledger.ts";
import { temporaryFolder } from "../../helpers/ledger.ts";
import { rowsOf } from "../../helpers/ledger-rows.ts";
import { type ChatBody, type ModelReply, type ModelServer, startModelServer } from "../../helpers/model-server.ts";
import { startRunner } from "../../helpers/runner.ts";

let folder: string;
let db: AsyncSessionDB;

beforeEach(async () => {
  folder = temporaryFolder();
  db = await openAsyncLedger(path.join(folder, "state.db"));
});

const LOCAL = { provider: "local", model: "m1" };
const GUIDE = { provider: "guide", model: "guide" };
const isTitle = ({ messages }: ChatBody) => JSON.stringify(messages[0]).includes("You name a conversation");

interface Scene {
  readonly runner: Runner;
  readonly events: readonly SessionEvent[];
  /** Models that were asked for a title. */
  readonly asked: string[];
  readonly stop: () => void;
  readonly requests: ModelServer["requests"];
}

type Titles = (n: number, body: ChatBody) => ModelReply | Promise<ModelReply>;

async function scene(titles: Titles, more: { turn?: ModelReply; route?: ModelRoute; model?: string } = {}) {
  const asked: string[] = [];
  const server = await startModelServer((body) => {
    if (!isTitle(body)) return more.turn ?? { text: "Done." };
    asked.push(body.model);
    return titles(asked.length, body);
  });
  onTestFinished(() => server.close());
  const providers = { local: { kind: "openai-compatible", baseURL: server.url, models: ["m1", "m2"] } } as const;
  const models = modelRegistry({ env: {}, providers, limits: { stallMs: 10_000 } });
  const { runner, events } = startRunner({
    db,
    session: await fresh(more.route),
    models,
    home: folder,
    retrying: { limit: 0 },
  });
  const stop = keepTitles({ db, runner, models, ...(more.model !== undefined && { model: more.model }) });
  onTestFinished(stop);
  return { runner, events, asked, stop, requests: server.requests } satisfies Scene;
}

function fresh(route: ModelRoute = LOCAL): Promise<Session> {
  return db.createSession({ cwd: folder, route, source: "test" });
}

async function say({ runner }: Scene, text: string): Promise<void> {
  await runner.submit([{ kind: "text", text }]);
  await runner.idle();
}

/** Resolves when the open conversation has it. */
function titled({ runner }: Scene, title: string): Promise<Session> {
  return new Promise((resolve) => {
    const look = (session: Session) => session.title === title && resolve(session);
    runner.listen((event) => event.type === "session-changed" && look(event.session));
    look(runner.session);
  });
}

/** Another conversation, and its title: whatever was asked for before was asked by then. */
async function nextOne(played: Scene): Promise<void> {
  await played.runner.open(await fresh(), false);
  const done = titled(played, "The next one");
  await say(played, "something else");
  await done;
}

describe("a title by the model", () => {
  it("takes the place of the first words, is told at once, and its tokens are counted as its own", async () => {
    const played = await scene(() => ({
      text: '"Flaky clock test."\n',
      usage: { prompt_tokens: 90, completion_tokens: 5 },
    }));
    const done = titled(played, "Flaky clock test");
    await say(played, "make the flaky test of the clock pass please");
    expect(await done).toMatchObject({ titleSource: "model", conversation: played.runner.session.conversation });
    expect(
      rowsOf(path.join(folder, "state.db"), "select task, input_tokens i from model_usage where task <> ''"),
    ).toEqual([{ task: "title", i: 90 }]);
  });

  it("is asked for once: not after the second turn, and not again when it failed", async () => {
    const played = await scene((n) => (n === 1 ? { status: 500, body: "busy" } : { text: "The next one" }));
    await say(played, "one");
    await say(played, "two");
    const first = played.runner.session.id;
    await nextOne(played);
    expect(played.asked).toHaveLength(2);
    expect(await db.session(first)).toMatchObject({ title: "one", titleSource: "derived" });
    expect(played.events.filter(({ type }) => type === "ledger-problem" || type === "retry-wait")).toEqual([]);
  });

  it("gives way to a turn that begins, and is asked for again after it", async () => {
    let hasLeft = () => {};
    const left = new Promise<void>((resolve) => {
      hasLeft = resolve;
    });
    const held = { text: "Never told", faults: [{ kind: "hold", after: 0, until: left }] } as const;
    const played = await scene((n) => (n === 1 ? held : { text: "After the second turn" }));
    await say(played, "one");
    await expect.poll(() => played.asked.length).toBe(1);
    const done = titled(played, "After the second turn");
    await say(played, "two");
    expect(await played.requests[1]?.closed).toBe("early");
    await done;
    hasLeft();
    expect(played.asked).toHaveLength(2);
  });

  it("is made by the model for summaries where there is one", async () => {
    const played = await scene(() => ({ text: "By the small one" }), { model: "local/m2" });
    const done = titled(played, "By the small one");
    await say(played, "hello");
    await done;
    expect(played.asked).toEqual(["m2"]);
  });

  it("goes to the conversation that it was asked for, whatever is open when it comes", async () => {
    const isFirst = (body: ChatBody) => JSON.stringify(body.messages).includes("the first conversation");
    const never = new Promise<ModelReply>(() => {});
    const played = await scene((n, body) => {
      if (!isFirst(body)) return { text: "The next one" };
      return n === 1 ? never : { text: "The first one" };
    });
    await say(played, "the first conversation");
    await expect.poll(() => played.asked.length).toBe(1);
    const { id } = played.runner.session;
    await played.runner.open(await fresh(), false);
    const done = titled(played, "The next one");
    await say(played, "the second conversation");
    await done;
    await expect.poll(async () => (await db.session(id)).title).toBe("The first one");
    expect(played.runner.session.title).toBe("The next one");
  });

  it.each(["person", "model"] as const)("never stands over one that a %s gave meanwhile", async (source) => {
    let give = (_reply: ModelReply) => {};
    const later = new Promise<ModelReply>((resolve) => {
      give = resolve;
    });
    const played = await scene(() => later);
    await say(played, "hello");
    const { id } = played.runner.session;
    await db.setTitle(id, "mine", source);
    give({ text: "Theirs", usage: { prompt_tokens: 7, completion_tokens: 1 } });
    const counted = () =>
      rowsOf(path.join(folder, "state.db"), "select 1 from model_usage where task = 'title'").length;
    await expect.poll(counted).toBe(1);
    expect(await db.session(id)).toMatchObject({ title: "mine", titleSource: source });
  });

  it("ends with the program: nothing is written after it", async () => {
    let hasLeft = () => {};
    const left = new Promise<void>((resolve) => {
      hasLeft = resolve;
    });
    const played = await scene(() => ({
      text: "Too late",
      faults: [{ kind: "hold", after: 0, until: left }],
    }));
    await say(played, "hello");
    await expect.poll(() => played.asked.length).toBe(1);
    played.stop();
    expect(await played.requests[1]?.closed).toBe("early");
    hasLeft();
    await played.runner.close();
    expect(await db.canonical(played.runner.session.conversation)).toMatchObject({ title: "hello" });
  });

  const without: { why: string; act: (played: Scene) => Promise<unknown>; more?: Parameters<typeof scene>[1] }[] = [
    { why: "the guide answered", act: (played) => say(played, "say hello"), more: { route: GUIDE } },
    { why: "the turn failed", act: (played) => say(played, "hello"), more: { turn: { status: 400, body: "no" } } },
    {
      why: "a person ran a command",
      act: async ({ runner }) => {
        await runner.submit(typedPrompt("!true") ?? [], { kind: "shell" });
        await runner.idle();
      },
    },
    {
      why: "it has a person's title",
      act: async (played) => {
        await db.setTitle(played.runner.session.id, "mine", "person");
        await say(played, "hello");
      },
    },
    {
      why: "it is a branch, which is numbered",
      act: async (played) => {
        const branched = await db.branch(played.runner.session.id, {});
        if (branched.kind !== "branched") throw new Error(branched.kind);
        await played.runner.open(branched.session, false);
        await say(played, "hello");
      },
    },
  ];
  it.each(without)("is not asked for where $why", async ({ act, more = {} }) => {
    const played = await scene(() => ({ text: "The next one" }), { ...more });
    await act(played);
    expect(played.asked).toEqual([]);
    if (more.turn) return;
    await nextOne(played);
    expect(played.asked).toHaveLength(1);
  });
});

describe("what a model answers becomes a title", () => {
  it.each([
    ["Fix the parser", "Fix the parser"],
    ["“Fix the parser.”", "Fix the parser"],
    ['**"Fix the parser"**.', "Fix the parser"],
    ["# Title: Fix the parser\n", "Fix the parser"],
    ["<think>hm, what\nis it</think>\nFix the parser", "Fix the parser"],
    ["Fix\tthe \u202eparser\u0007", "Fix the parser"],
    [`${"word ".repeat(11)}words and more`, `${"word ".repeat(11)}words`],
    [`${"word ".repeat(11)}wordsandmore`, "word ".repeat(11).trim()],
    ["修正解析器。", "修正解析器"],
    ["x".repeat(80), "x".repeat(60)],
  ])("%j: %j", (text, title) => {
    expect(titleOf(text)).toBe(title);
  });

  it.each(["", " \n", '"".', "Here is what I think:\n\n1. one\n2. two\n3. three"])("but not %j", (text) => {
    expect(titleOf(text)).toBeUndefined();
  });
});
