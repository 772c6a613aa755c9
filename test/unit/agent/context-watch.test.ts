// Which system prompt a turn gets: the same bytes as the turn before, unless a context file changed.
import { mkdirSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SessionEvent } from "../../../src/agent/events.ts";
import { modelRegistry } from "../../../src/agent/models/registry.ts";
import type { AsyncSessionDB } from "../../../src/ledger/async-session-db.ts";
import type { Session } from "../../../src/ledger/types.ts";
import { openAsyncLedger } from "../../helpers/async-ledger.ts";
import { temporaryFolder } from "../../helpers/ledger.ts";
import { type ModelServer, startModelServer } from "../../helpers/model-server.ts";
import { startRunner } from "../../helpers/runner.ts";

let folder: string;
let db: AsyncSessionDB;
let server: ModelServer;

beforeEach(async () => {
  folder = temporaryFolder();
  mkdirSync(path.join(folder, "work"));
  db = await openAsyncLedger(path.join(folder, "state.db"));
  server = await startModelServer(() => ({ text: "ok" }));
});
afterEach(() => server.close());

function put(name: string, text: string): void {
  writeFileSync(path.join(folder, "work", name), text);
}

function open(session: Session): { say: () => Promise<void>; events: SessionEvent[] } {
  const providers = { local: { kind: "openai-compatible", baseURL: server.url, models: ["m1"] } } as const;
  const { runner } = startRunner({ db, session, models: modelRegistry({ env: {}, providers }), home: folder });
  const events: SessionEvent[] = [];
  runner.listen((event) => {
    if (event.type === "context-files") events.push(event);
  });
  const say = async () => {
    await runner.submit([{ kind: "text", text: "hello" }]);
    await runner.idle();
  };
  return { say, events };
}

function newSession(): Promise<Session> {
  return db.createSession({
    cwd: path.join(folder, "work"),
    route: { provider: "local", model: "m1" },
    source: "test",
  });
}

const told = () => server.requests.map(({ body }) => String(body.messages[0]?.content));

describe("the system prompt of a turn", () => {
  it("tells what the project says, is the same while nothing changes, and can be read again by its hash", async () => {
    put("AGENTS.md", "Say please.");
    const session = await newSession();
    const { say, events } = open(session);
    await say();
    await say();
    const [first, second] = told();
    expect(first).toMatch(/# Instructions of this project \(.*\/AGENTS\.md\)\n\nSay please\.$/);
    expect(second).toBe(first);
    expect(events).toEqual([
      { type: "context-files", files: [{ name: "AGENTS.md", bytes: 11, isCut: false }], left: [] },
    ]);
    const envelope = await db.lastEnvelope(session.conversation);
    expect(envelope && (await db.systemPrompt(envelope.systemPrompt))).toBe(first);
  });

  it("is made anew, and said, when a file changed, came or went; the old one stays readable", async () => {
    const session = await newSession();
    const { say, events } = open(session);
    await say();
    const before = await db.lastEnvelope(session.conversation);
    put("CLAUDE.md", "Say thanks.");
    await say();
    put("CLAUDE.md", "Say nothing.");
    await say();
    unlinkSync(path.join(folder, "work", "CLAUDE.md"));
    await say();
    expect(told().map((prompt) => /Say .*$/.exec(prompt)?.[0])).toEqual([
      undefined,
      "Say thanks.",
      "Say nothing.",
      undefined,
    ]);
    expect(events.map((event) => "changed" in event && event.changed)).toEqual([["CLAUDE.md"], ["CLAUDE.md"], []]);
    expect(before && (await db.systemPrompt(before.systemPrompt))).toBe(told()[0]);
  });

  it("is the same for a program that opens the conversation later, and anew when a file changed meanwhile", async () => {
    put("AGENTS.md", "one");
    const session = await newSession();
    await open(session).say();
    const second = open(await db.canonical(session.conversation));
    await second.say();
    put("AGENTS.md", "other");
    const third = open(await db.canonical(session.conversation));
    await third.say();
    const [a, b, c] = told();
    expect(b).toBe(a);
    expect(c).toMatch(/other$/);
    expect(second.events).toEqual([]);
    expect(third.events).toMatchObject([{ changed: ["AGENTS.md"] }]);
  });

  it("touching a file without a change keeps the bytes", async () => {
    put("AGENTS.md", "one");
    const { say, events } = open(await newSession());
    await say();
    put("AGENTS.md", "one");
    await say();
    expect(new Set(told()).size).toBe(1);
    expect(events).toHaveLength(1);
  });
});
