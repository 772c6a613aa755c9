// A project that says more about itself than the model's window holds: nothing is asked, and it is said what to do.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readContextFiles } from "../../../src/agent/context-files.ts";
import { fileRoomWords } from "../../../src/agent/context-room.ts";
import type { SessionEvent } from "../../../src/agent/events.ts";
import { modelRegistry } from "../../../src/agent/models/registry.ts";
import { Runner } from "../../../src/agent/runner.ts";
import { createFileGate } from "../../../src/agent/tools/files.ts";
import { AsyncSessionDB } from "../../../src/ledger/async-session-db.ts";
import { type ModelReply, type ModelServer, startModelServer } from "../../helpers/model-server.ts";

let folder: string;
let db: AsyncSessionDB;
let server: ModelServer;
let reply: ModelReply;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "stele-room-"));
  mkdirSync(path.join(folder, "work"));
  db = new AsyncSessionDB({ path: path.join(folder, "state.db"), program: "test" });
  reply = { text: "ok" };
  server = await startModelServer(() => reply);
});
afterEach(async () => {
  await server.close();
  expect(await db.verify({ full: true })).toEqual([]);
  await db.close();
  rmSync(folder, { recursive: true, force: true });
});

const put = (name: string, bytes: number) =>
  writeFileSync(path.join(folder, "work", name), "Always do as is said here.\n".repeat(bytes / 27));

async function open(window: number | undefined, contextFiles = ["AGENTS.md"]) {
  const cwd = path.join(folder, "work");
  const route = { provider: "local", model: "m1" };
  const session = await db.createSession({ cwd, route, source: "test" });
  const providers = { local: { kind: "openai-compatible", baseURL: server.url, models: ["m1"] } } as const;
  const runner = new Runner({
    db,
    session,
    models: modelRegistry({ env: {}, providers }),
    files: createFileGate({ ledgerFiles: [] }),
    spoolRoot: path.join(folder, "spool"),
    rules: () => ({ allow: [], deny: [] }),
    mode: "auto",
    ask: () => Promise.resolve({ kind: "no" }),
    program: "test",
    contextFiles,
    modelFacts: () => (window === undefined ? {} : { window }),
  });
  const events: SessionEvent[] = [];
  runner.listen((event) => events.push(event));
  return async () => {
    await runner.submit([{ kind: "text", text: "hello" }]);
    await runner.idle();
    const settled = events.filter((event) => event.type === "turn-settled").at(-1);
    return { outcome: settled?.outcome, error: settled?.error, kinds: events.map(({ type }) => type) };
  };
}

describe("files of the project that fill the model's window", () => {
  it("are named with their size and the window, nothing is asked or compacted, and a shorter one mends it", async () => {
    put("AGENTS.md", 54_000);
    const say = await open(8_192);
    const { outcome, error, kinds } = await say();
    expect(outcome).toBe("failed");
    expect(error?.code).toBe("model_context_overflow");
    expect(error?.message).toMatch(
      /^the project's instructions leave no room in the window of local\/m1 \(8,192 tokens\), so it was not asked: AGENTS\.md \(about 13,[45]\d\d tokens\)$/,
    );
    expect(error?.hint).toMatch(/^Shorten it, .*contextFiles.*\/model\)\. .*models, "local\/m1", contextWindow\.$/);
    expect(kinds).not.toContain("compaction-started");
    expect(server.requests).toEqual([]);
    put("AGENTS.md", 270);
    expect(await say()).toMatchObject({ outcome: "completed" });
    expect(server.requests).toHaveLength(1);
  });

  it("are all named, the largest first", async () => {
    put("a.md", 13_500);
    put("b.md", 40_500);
    const { error } = await (await open(8_192, ["a.md", "b.md"]))();
    expect(error?.message).toMatch(/: b\.md \(about 10,\d+ tokens\), a\.md \(about 3,\d+ tokens\)$/);
    expect(error?.hint).toMatch(/^Shorten them/);
  });

  it("are sent where the window is larger, or not known", async () => {
    put("AGENTS.md", 54_000);
    expect(await (await open(32_000))()).toMatchObject({ outcome: "completed" });
    expect(await (await open(undefined))()).toMatchObject({ outcome: "completed" });
  });

  it("are named beside the provider's words where it says that the request is too long", async () => {
    reply = {
      status: 400,
      body: { error: { message: "maximum context length is 8192", code: "context_length_exceeded" } },
    };
    put("AGENTS.md", 54_000);
    const large = await (await open(undefined))();
    expect(large.error?.message).toContain("maximum context length is 8192");
    expect(large.error?.hint).toMatch(/Part of each request: AGENTS\.md \(about 13,\d+ tokens\)\. Shorten it/);
    put("AGENTS.md", 270);
    const small = await (await open(undefined))();
    expect(small.error?.hint).not.toContain("AGENTS.md");
  });

  it("are told at a start from half of the window on", async () => {
    put("AGENTS.md", 27_000);
    const files = createFileGate({ ledgerFiles: [] });
    const { read } = await readContextFiles({ files, cwd: path.join(folder, "work"), names: ["AGENTS.md"] });
    expect(fileRoomWords(read, undefined)).toBeUndefined();
    expect(fileRoomWords(read, 20_000)).toBeUndefined();
    expect(fileRoomWords(read, 10_000)).toMatch(
      /^That is 6[78] % of the model's window: AGENTS\.md \(about 6,7\d\d tokens\)/,
    );
    expect(fileRoomWords(read, 4_000)).toMatch(/^That is more than the model's window: /);
  });
});
