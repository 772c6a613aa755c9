// What was spent, by model, day and session, over a real ledger whose clock goes on from day to day.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { splitPrompt } from "../../../src/agent/context-files.ts";
import { estimateText } from "../../../src/agent/tokens.ts";
import { barOf, durationWords } from "../../../src/commands/usage-words.ts";
import { newRequestId } from "../../../src/ledger/ids.ts";
import type { ModelRoute, Session } from "../../../src/ledger/types.ts";
import { dayOf } from "../../../src/ledger/usage.ts";
import { temporaryFolder } from "../../helpers/ledger.ts";
import { type Desk, jsonLines, openDesk, words } from "./command-harness.ts";

const DAY = 86_400_000;
const START = Date.now();
const SONNET: ModelRoute = { provider: "anthropic", model: "claude-sonnet-4-6" };
const UNKNOWN: ModelRoute = { provider: "local", model: "a" };

interface Spent {
  readonly session: Session;
  readonly day: number;
  readonly route?: ModelRoute;
  readonly input?: number;
}

/** One whole turn, so many days from now. */
async function spend({ db, runner }: Desk, { session, day, route = SONNET, input = 1_000_000 }: Spent): Promise<void> {
  const at = START + day * DAY;
  const { conversation, id, cwd } = session;
  const payload = { prompt: [{ kind: "text", text: "go" }], approval: "auto", cwd } as const;
  const request = { request: newRequestId(), kind: "prompt", payload, session: id } as const;
  await db.admit({ ...request, target: { kind: "session", asked: id } });
  const taken = await db.acquireLease({ conversation, holder: runner.holder });
  if (taken.kind !== "acquired") throw new Error(taken.kind);
  const systemPrompt = await db.putSystemPrompt("You are a test.");
  const envelope = { systemPrompt, tools: [], route, projection: 1, program: "test" };
  const claimed = await db.claim(taken.lease, { at, envelope });
  if (claimed.kind !== "claimed" || !claimed.message) throw new Error(claimed.kind);
  const usage = { inputTokens: input, outputTokens: 10, cacheReadTokens: 0 };
  const parts = [{ kind: "text", text: "done" }] as const;
  const last = { parent: claimed.message.id, role: "assistant", parts, at, ...route, usage } as const;
  await db.settle(claimed.turn, { outcome: "completed", at, last, usage });
  await db.releaseLease(taken.lease);
}

const keys = (rows: readonly object[]) => rows.map((row) => (row as { key: string }).key);

describe("/usage --by", () => {
  it("day has a row and a bar a day, oldest first, of all that the conversation spent", async () => {
    const desk = await openDesk();
    const { session } = desk.runner;
    for (const [day, input] of [
      [0, 1_000_000],
      [0, 1_000_000],
      [1, 500_000],
      [3, 250_000],
    ] as const)
      await spend(desk, { session, day, input });
    const told = await desk.type("/usage --by day");
    if (told.kind !== "rows") throw new Error(told.kind);
    const days = [0, 1, 3].map((day) => dayOf(START + day * DAY));
    expect(told.rows.map((row) => [row[0], row[1], row[4], row[5]])).toEqual([
      [days[0], "2", "$6.00", "█".repeat(16)],
      [days[1], "1", "$1.50", "█".repeat(4)],
      [days[2], "1", "$0.75", "█".repeat(2)],
    ]);
    expect(jsonLines(told)[0]).toEqual({
      by: "day",
      key: days[0],
      calls: 2,
      inputTokens: 2_000_000,
      outputTokens: 20,
      cacheReadTokens: 0,
      cost: expect.closeTo(6.0003, 6) as number,
    });
  });

  it("model has what was most first, and no cost where a price is not known", async () => {
    const desk = await openDesk();
    const { session } = desk.runner;
    await spend(desk, { session, day: 0 });
    await spend(desk, { session, day: 1 });
    await spend(desk, { session, day: 1, route: UNKNOWN, input: 9 });
    const told = await desk.type("/usage --by model");
    expect(jsonLines(told)).toMatchObject([
      { key: "anthropic/claude-sonnet-4-6", calls: 2, cost: expect.closeTo(6.0003, 6) as number },
      { key: "local/a", calls: 1, inputTokens: 9 },
    ]);
    expect(jsonLines(told)[1]).not.toHaveProperty("cost");
    expect(words(told)).toContain("not known");
    // One without a price leaves the day without a sum, never with a part of it.
    const byDay = jsonLines(await desk.type("/usage --by day"));
    expect(byDay.map((row) => "cost" in row)).toEqual([true, false]);
  });

  it("session names its branches, not the rest, which --all adds", async () => {
    const desk = await openDesk();
    const { session } = desk.runner;
    await spend(desk, { session, day: 0 });
    const branched = await desk.db.branch(session.id, { title: "aside" });
    if (branched.kind !== "branched") throw new Error(branched.kind);
    await spend(desk, { session: branched.session, day: 1, input: 2_000_000 });
    const other = await desk.newSession({ title: "other" });
    await spend(desk, { session: other, day: 0, input: 1 });
    const own = await desk.type("/usage --by session");
    expect(keys(jsonLines(own))).toEqual([branched.session.id, session.id]);
    expect(words(own)).toMatch(/^aside/m);
    expect(keys(jsonLines(await desk.type("/usage --by session --all")))).toContain(other.id);
    expect(keys(jsonLines(await desk.type(`/usage --by session --session ${other.id}`)))).toEqual([other.id]);
  });

  it("something else is refused with what there is, as is a session that is none", async () => {
    const desk = await openDesk();
    expect(await desk.type("/usage --by week")).toMatchObject({ kind: "usage", hint: "One of: model, day, session" });
    expect(await desk.type("/usage --session nobody")).toMatchObject({ kind: "usage" });
    expect(words(await desk.type("/usage --by day"))).toBe("");
  });
});

describe("/usage", () => {
  it("tells its branches and its days where there are some", async () => {
    const desk = await openDesk();
    const { session } = desk.runner;
    await spend(desk, { session, day: 0 });
    expect(words(await desk.type("/usage"))).not.toMatch(/branches|days/);
    await spend(desk, { session, day: 1 });
    const branched = await desk.db.branch(session.id, {});
    if (branched.kind !== "branched") throw new Error(branched.kind);
    await spend(desk, { session: branched.session, day: 1 });
    const told = words(await desk.type("/usage"));
    expect(told).toContain("1 other session of this conversation; 3,000,030 tokens, $9.00 with this one");
    expect(told).toMatch(/\ndays\n {2}\d{4}-\d\d-\d\d {2}█{8} {8} {2}\$3\.00 · 1,000,010 tokens\n/);
    expect(told).toMatch(/\ntime {6}0 s in 2 turns\n/);
  });

  it("counts before the first prompt what that one is sent with, and stores nothing for it", async () => {
    const desk = await openDesk();
    writeFileSync(path.join(desk.folder, "AGENTS.md"), "Say please. ".repeat(500));
    const parts = async () =>
      jsonLines(await desk.type("/usage")).flatMap(({ key, tokens }) =>
        key === "system" || key === "files" ? [tokens] : [],
      );
    const before = await parts();
    const { conversation } = desk.runner.session;
    expect(await desk.db.lastEnvelope(conversation)).toBeUndefined();
    await desk.say("say one");
    const envelope = await desk.db.lastEnvelope(conversation);
    const { own, told } = splitPrompt((envelope && (await desk.db.systemPrompt(envelope.systemPrompt))) ?? "");
    expect(told).toContain("Say please.");
    expect(before).toEqual([estimateText(own), estimateText(told)]);
  });

  it("says of a conversation without a prompt what is not known where nobody can know it", async () => {
    const desk = await openDesk();
    const other = await desk.newSession({ cwd: temporaryFolder() });
    const shown = await desk.type(`/usage --session ${other.id}`);
    expect(words(shown)).toMatch(/estimated, without what is not known/);
    expect(words(shown)).toMatch(/\n {2}system +not known before the first prompt\n {2}files +not known before the/);
    expect(jsonLines(shown)[0]).toEqual({ by: "context", key: "system" });
    expect(jsonLines(shown)[2]).toMatchObject({ key: "tools", tokens: expect.any(Number) as number });
  });

  it("of no conversation is of all of them", async () => {
    const desk = await openDesk();
    await spend(desk, { session: desk.runner.session, day: 0 });
    const { runner: _, ...free } = desk.context;
    const { usageCommand } = await import("../../../src/commands/usage.ts");
    const told = await usageCommand.run({ words: [], flags: {} }, { ...free, surface: "argv" });
    expect(keys(jsonLines(told))).toEqual(["anthropic/claude-sonnet-4-6"]);
  });
});

describe("words of it", () => {
  it("show something for what is not nothing, and never more than the whole", () => {
    expect([0, 0.001, 0.5, 1, 2].map((share) => barOf(share, 2))).toEqual(["", "▏", "█", "██", "██"]);
    expect([0, 59_400, 185_000, 7_800_000].map(durationWords)).toEqual(["0 s", "59 s", "3 min 5 s", "2 h 10 min"]);
  });
});
