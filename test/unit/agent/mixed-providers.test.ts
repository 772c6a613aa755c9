// One conversation with three providers, compacted twice, branched, and opened again by another runner: each server
// refuses a request that breaks a rule of its own, and none of them ever has to.
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { SessionEvent } from "../../../src/agent/events.ts";
import { modelRegistry } from "../../../src/agent/models/registry.ts";
import type { Runner } from "../../../src/agent/runner.ts";
import type { AsyncSessionDB } from "../../../src/ledger/async-session-db.ts";
import type { Session } from "../../../src/ledger/types.ts";
import { anthropicFormat } from "../../helpers/anthropic-server.ts";
import { openAsyncLedger } from "../../helpers/async-ledger.ts";
import { googleFormat } from "../../helpers/google-server.ts";
import { temporaryFolder } from "../../helpers/ledger.ts";
import {
  type Block,
  type ProviderAnswer,
  type ProviderServer,
  startProviderServer,
} from "../../helpers/provider-server.ts";
import { responsesFormat } from "../../helpers/responses-server.ts";
import { startRunner } from "../../helpers/runner.ts";

const KEY = "key-secret-0123456789";
const WINDOW = 20_000;
const LONG = "some words that take room. ".repeat(60);

const look = (id?: string, secret?: string): Block => ({
  call: "list_dir",
  input: { path: "." },
  ...(id !== undefined && { id }),
  ...(secret !== undefined && { secret }),
});
const think = (secret: string): Block => ({ think: `thoughts of ${secret}`, secret });
const say = (words: string, secret?: string): Block => ({
  say: `${words}. ${LONG}`,
  ...(secret !== undefined && { secret }),
});
const blocks = (...all: readonly Block[]): ProviderAnswer => ({ blocks: all, usage: { input: 6_000, output: 400 } });
/** With the results of its calls the window is nearly full. */
const nearlyFull = (...all: readonly Block[]): ProviderAnswer => ({
  blocks: all,
  usage: { input: WINDOW * 0.85, output: 50 },
});
const summary = (words: string): ProviderAnswer => ({ blocks: [{ say: words }] });

const ANTHROPIC = [
  blocks(think("a1"), look("toolu_1"), look("toolu_2")),
  blocks(think("a2"), say("first")),
  blocks({ think: "", secret: "a3", isRedacted: true }, say("let me see"), look("toolu_3")),
  blocks(say("second")),
  summary("summary one"),
  blocks(think("a4"), look("toolu_4")),
  blocks(say("third")),
  blocks(think("a5"), look("toolu_1")),
  blocks(say("last of all")),
];
const OPENAI = [
  blocks(think("e1"), look("call_1"), look("call_2")),
  blocks(think("e2"), say("fourth")),
  nearlyFull(think("e3"), look("call_3")),
  summary("summary two"),
  blocks(think("e4"), say("fifth")),
  blocks(say("in the branch")),
  blocks(think("e5"), say("where it was branched")),
];
const GOOGLE = [
  blocks(look(undefined, "g1"), look()),
  blocks(say("sixth", "g2")),
  blocks(look(undefined, "g3")),
  blocks(say("seventh")),
];

const ROUTES = {
  anthropic: { provider: "anthropic", model: "claude-sonnet-4-5" },
  openai: { provider: "openai", model: "gpt-5" },
  google: { provider: "google", model: "gemini-3-flash-preview" },
} as const;

let servers: { readonly [K in keyof typeof ROUTES]: ProviderServer };
let folder: string;

beforeEach(async () => {
  folder = temporaryFolder();
  servers = {
    anthropic: await startProviderServer(anthropicFormat, ANTHROPIC),
    openai: await startProviderServer(responsesFormat, OPENAI),
    google: await startProviderServer(googleFormat, GOOGLE),
  };
});
afterEach(() => Promise.all(Object.values(servers).map((server) => server.close())));

interface Desk {
  readonly db: AsyncSessionDB;
  readonly runner: Runner;
  readonly events: SessionEvent[];
}

/** Another runner on another handle of the same ledger: what it knows is what is stored. */
async function open(session: (db: AsyncSessionDB) => Promise<Session>): Promise<Desk> {
  const home = path.join(folder, "home");
  const db = await openAsyncLedger(path.join(home, "state.db"));
  const of = (kind: keyof typeof ROUTES) => ({ kind, baseURL: servers[kind].url, apiKeyEnv: "THE_KEY" });
  const providers = {
    anthropic: of("anthropic"),
    openai: { ...of("openai"), api: "responses" },
    google: of("google"),
  } as const;
  const started = startRunner({
    db,
    session: await session(db),
    models: modelRegistry({ env: { THE_KEY: KEY }, providers }),
    modelFacts: ({ provider }) => (provider === "openai" ? { window: WINDOW } : {}),
    home,
    retrying: { limit: 0 },
  });
  return { db, ...started };
}

async function ask({ runner, events }: Desk, words: string): Promise<void> {
  await runner.submit([{ kind: "text", text: `${words} ${LONG}` }]);
  await runner.idle();
  expect(
    events.findLast(({ type }) => type === "turn-settled"),
    words,
  ).toMatchObject({ outcome: "completed" });
}

async function change({ db, runner }: Desk, to: keyof typeof ROUTES): Promise<void> {
  await db.setModel(runner.session.id, ROUTES[to], { text: `the model is ${to} now`, at: Date.now() });
  await runner.refresh();
}

it("sends each provider only what it takes, whoever answered before and whatever was folded", async () => {
  const desk = await open((db) => db.createSession({ cwd: folder, route: ROUTES.anthropic, source: "test" }));
  await ask(desk, "one");
  await ask(desk, "two");
  await desk.runner.submit([], { kind: "compact" });
  await desk.runner.idle();
  expect(desk.runner.session.generation).toBe(1);
  await ask(desk, "three");
  await change(desk, "openai");
  await ask(desk, "four");
  await ask(desk, "five");
  expect(desk.events.filter(({ type }) => type === "compaction-started")).toMatchObject([
    { reason: "asked" },
    { reason: "full" },
  ]);
  expect(desk.runner.session.generation).toBe(2);
  const trunk = desk.runner.session;

  const branched = await desk.db.branch(trunk.id, {});
  if (branched.kind !== "branched") throw new Error(branched.why);
  await desk.runner.open(branched.session, false);
  await ask(desk, "in the branch");
  await change(desk, "google");
  await ask(desk, "six");
  await desk.runner.close();

  const later = await open((db) => db.session(branched.session.id));
  await ask(later, "seven");
  await change(later, "anthropic");
  await ask(later, "eight");
  await later.runner.open(await later.db.canonical(trunk.conversation), true);
  await ask(later, "nine");
  await later.runner.close();

  for (const [name, server] of Object.entries(servers)) expect(server.problems, name).toEqual([]);
  const asked = (of: keyof typeof ROUTES) => servers[of].requests.map(({ text }) => text);
  const counts = Object.values(servers).map(({ requests }) => requests.length);
  expect(counts).toEqual([ANTHROPIC.length, OPENAI.length, GOOGLE.length]);
  // What was thought goes back to who thought it, also where a summary stands before it, and to nobody else.
  expect(asked("anthropic")[1]).toContain('"signature":"a1"');
  expect(asked("anthropic")[5]).toContain('"data":"a3"');
  expect(asked("anthropic")[5]).not.toContain('"signature":"a1"');
  expect(asked("openai")[4]).toContain('"encrypted_content":"e3"');
  expect(asked("openai")[4]).not.toContain('"encrypted_content":"e1"');
  expect(asked("google")[3]).toContain('"thoughtSignature":"g3"');
  for (const text of [asked("openai")[4], asked("google")[3], asked("anthropic")[7]]) {
    expect(text).toContain("summary two");
    expect(text).not.toContain("summary one");
  }
});
