// A loop over two days: a clock that is set, programs that end and come back, a second window, a person who types.
import path from "node:path";
import { describe, expect, it } from "vitest";
import { LoopKeeper } from "../../../../src/agent/loop/loop-keeper.ts";
import { modelRegistry } from "../../../../src/agent/models/registry.ts";
import { Runner } from "../../../../src/agent/runner.ts";
import { createFileGate } from "../../../../src/agent/tools/files.ts";
import type { AsyncSessionDB } from "../../../../src/ledger/async-session-db.ts";
import { currentProcess, type PidProbe } from "../../../../src/ledger/identity.ts";
import type { SessionDB } from "../../../../src/ledger/session-db.ts";
import type { Loop, LoopPlan, Session } from "../../../../src/ledger/types.ts";
import { MEMORY, newSession, openLedger, temporaryFolder } from "../../../helpers/ledger.ts";

const [MINUTE, HOUR] = [60_000, 3_600_000];
const SELF = currentProcess("stele");

/** The same verbs, in this thread: its clock is the test's. */
function asAsync(db: SessionDB): AsyncSessionDB {
  const verb =
    (name: keyof SessionDB) =>
    (...args: unknown[]) =>
      Promise.resolve().then(() => (db[name] as unknown as (...all: unknown[]) => unknown).apply(db, args));
  return new Proxy({} as AsyncSessionDB, {
    get: (_, name) => (name === "then" ? undefined : verb(name as keyof SessionDB)),
  });
}

class World {
  readonly file = path.join(temporaryFolder(MEMORY), "state.db");
  /** The one that is known to live, once another one has died; all are of this process, so that its runners take them. */
  living: string | undefined;
  at = 1_800_000_000_000;
  #timers: { readonly owner: string; readonly at: number; readonly call: () => void }[] = [];

  timerOf(owner: string): (ms: number, call: () => void) => () => void {
    return (ms, call) => {
      const timer = { owner, at: this.at + ms, call };
      this.#timers.push(timer);
      return () => {
        this.#timers = this.#timers.filter((each) => each !== timer);
      };
    };
  }

  /** `next` comes in its place. */
  kill(owner: string, next: string): void {
    this.living = next;
    this.#timers = this.#timers.filter((each) => each.owner !== owner);
  }

  /** Time passes as it does, timer by timer. */
  async pass(ms: number, programs: readonly Program[]): Promise<void> {
    const end = this.at + ms;
    for (;;) {
      const next = this.#timers.toSorted((a, b) => a.at - b.at)[0];
      if (!next || next.at > end) break;
      this.#timers = this.#timers.filter((each) => each !== next);
      this.at = Math.max(this.at, next.at);
      next.call();
      for (const each of programs) await each.rest();
    }
    this.at = end;
  }
}

class Program {
  readonly db: SessionDB;
  readonly keeper: LoopKeeper;
  readonly #runner: Runner;
  readonly #world: World;
  readonly #name: string;
  isTyping = false;

  constructor(world: World, name: string, session?: Session) {
    this.#world = world;
    this.#name = name;
    const self = { ...SELF, start: name };
    const probe = (): PidProbe =>
      world.living === undefined ? { kind: "unreadable" } : { kind: "there", start: world.living };
    this.db = openLedger({ path: world.file, process: self, probe, now: () => world.at });
    const db = asAsync(this.db);
    const models = modelRegistry({ env: {}, providers: {} });
    this.#runner = new Runner({
      ...{ db, models, session: session ?? newSession(this.db), files: createFileGate({ ledgerFiles: [] }) },
      spoolRoot: path.join(temporaryFolder(), "spool"),
      rules: () => ({ allow: [], deny: [] }),
      ...{ mode: "auto", program: "test", now: () => world.at },
      ask: () => Promise.resolve({ kind: "no" }),
    });
    const isFree = () => !this.isTyping;
    const timer = world.timerOf(name);
    this.keeper = new LoopKeeper({
      ...{ db, models, runner: this.#runner, self, isFree, timer, now: () => world.at },
      costOf: () => 0,
    });
  }

  get session(): Session {
    return this.#runner.session;
  }

  async rest(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      await this.keeper.settled();
      await this.#runner.idle();
    }
  }

  async say(text: string): Promise<void> {
    await this.#runner.submit([{ kind: "text", text }]);
    await this.rest();
  }

  stop(): void {
    this.#runner.stop();
  }

  async open(session: Session): Promise<void> {
    await this.#runner.open(session, false);
    await this.rest();
  }

  /** As a kill leaves it: nothing is written any more. */
  die(next: string): void {
    this.#world.kill(this.#name, next);
  }
}

function plan(more: Partial<LoopPlan> = {}): LoopPlan {
  const usual = { text: "say all quiet", approval: "auto", cwd: "/", floorMs: MINUTE, ceilingMs: 15 * MINUTE } as const;
  return { ...usual, maxTicks: 0, ...more };
}

function ticksOf(db: SessionDB, loop: Loop) {
  return db.loopTicks(loop.id, 100_000).toReversed();
}

async function begun(more: Partial<LoopPlan> = {}) {
  const world = new World();
  const one = new Program(world, "one");
  const loop = await one.keeper.start(plan(more));
  if ("kind" in loop) throw new Error(loop.why);
  return { world, one, loop };
}

describe("a loop", () => {
  it("fires every slot of 48 hours once or merges it: sleeps, restarts, a second window, a person who types", async () => {
    const { world, one, loop } = await begun({ everyMs: 10 * MINUTE });
    const second = new Program(world, "second", one.session);
    await second.keeper.open();
    const begin = world.at;
    let current = one;
    for (let hour = 0; world.at - begin < 48 * HOUR; hour += 1) {
      const programs = [current, second];
      await world.pass(HOUR, programs);
      if (hour % 5 === 1) world.at += 3 * HOUR; // the lid is closed
      if (hour % 7 === 2) await current.say("say something of mine");
      current.isTyping = hour % 6 === 3;
      if (current.isTyping) await world.pass(15 * MINUTE, programs);
      current.isTyping = false;
      if (hour % 8 !== 4) continue;
      current.die(`after ${hour}`);
      current = new Program(world, `after ${hour}`, one.session);
      expect(current.db.pauseOrphanLoops()).toHaveLength(1);
      expect((await current.keeper.open())?.state).toBe("paused");
      await world.pass(2 * HOUR, [current, second]);
      await current.keeper.resume();
    }
    const ticks = ticksOf(current.db, loop);
    expect(ticks.map(({ slot }) => slot)).toEqual(ticks.map((_, at) => at));
    expect(new Set(ticks.map(({ admission }) => admission)).size).toBe(ticks.length);
    expect(ticks.length).toBeGreaterThan(90);
    expect(ticks.length).toBeLessThanOrEqual(6 * 48 + 20);
    const fired = ticks.map(({ firedAt = 0 }) => firedAt);
    // A resume comes after 5 s; else no two are closer than the interval.
    const close = fired.filter((at, n) => n > 0 && at - (fired[n - 1] ?? 0) < 10 * MINUTE);
    expect(close.length).toBeLessThanOrEqual(8);
  }, 120_000);

  it("is followed by another window, which fires nothing of it and can pause it", async () => {
    const { world, one, loop } = await begun({ everyMs: 10 * MINUTE, times: 3 });
    const second = new Program(world, "second", one.session);
    const seen = () => [second.keeper.loop?.state, second.keeper.loop?.ticks];
    const look = async () => {
      second.keeper.look();
      await second.rest();
    };
    await look();
    expect(seen()).toEqual(["active", 0]);
    await world.pass(1, [one, second]);
    await look();
    expect(seen()).toEqual(["active", 1]);
    await second.keeper.pause("you paused it");
    one.keeper.look();
    await world.pass(HOUR, [one, second]);
    expect([one.keeper.loop?.state, ticksOf(one.db, loop).length]).toEqual(["paused", 1]);
    await one.keeper.resume();
    await world.pass(HOUR, [one, second]);
    await look();
    expect(seen()).toEqual(["done", 3]);
  });

  it("is found paused by another window when its own was killed, which takes it over then", async () => {
    const { world, one, loop } = await begun({ everyMs: 10 * MINUTE });
    await world.pass(1, [one]);
    const second = new Program(world, "second", one.session);
    await second.keeper.open();
    one.die("second");
    expect(second.keeper.loop?.state).toBe("active");
    await world.pass(10_000, [second]);
    expect(second.keeper.loop).toMatchObject({ state: "paused", why: "the stele that ran it ended" });
    await second.keeper.resume();
    await world.pass(HOUR, [second]);
    expect(ticksOf(second.db, loop).length).toBeGreaterThan(4);
  });

  it("waits while a person types, and makes one tick of what it missed", async () => {
    const { world, one, loop } = await begun({ everyMs: MINUTE });
    await world.pass(1, [one]);
    one.isTyping = true;
    await world.pass(30 * MINUTE, [one]);
    expect(ticksOf(one.db, loop)).toHaveLength(1);
    one.isTyping = false;
    await world.pass(MINUTE / 2, [one]);
    expect(ticksOf(one.db, loop)).toHaveLength(2);
  });

  it("finds its own pace: nothing new doubles the wait up to the ceiling", async () => {
    const { world, one, loop } = await begun();
    await world.pass(2 * HOUR, [one]);
    const fired = ticksOf(one.db, loop).map(({ firedAt = 0 }) => firedAt);
    const waits = fired.slice(1).map((at, n) => Math.round((at - (fired[n] ?? 0)) / MINUTE));
    expect(waits.slice(0, 7)).toEqual([1, 2, 4, 8, 15, 15, 15]);
  });

  it.each<[Partial<LoopPlan>, object, number]>([
    [{ everyMs: MINUTE, times: 3 }, { state: "done", why: "it ran 3 times" }, 3],
    [{ everyMs: MINUTE, maxTicks: 4 }, { state: "paused", why: "4 ticks in a row" }, 4],
    [{ everyMs: MINUTE, text: "say LOOP_COMPLETE" }, { state: "done", why: "the model says LOOP_COMPLETE" }, 1],
    [{ everyMs: MINUTE, until: "all QUIET" }, { state: "done", why: expect.stringContaining("compares words") }, 1],
    [
      { everyMs: MINUTE, text: "run exit 3", until: "exit 3", times: 2 },
      { state: "done", why: "the last command ended with exit status 3" },
      1,
    ],
  ])("with %j ends as asked", async (more, end, count) => {
    const { world, one, loop } = await begun(more);
    await world.pass(HOUR, [one]);
    expect(one.db.loopOf(loop.conversation)).toMatchObject(end);
    expect(ticksOf(one.db, loop)).toHaveLength(count);
  });

  it("is paused by a stop of its turn, and by another conversation that is opened", async () => {
    const { world, one, loop } = await begun({ everyMs: MINUTE, text: "run sleep 30" });
    const passing = world.pass(1, [one]);
    await expect.poll(() => one.db.openAdmissions(loop.conversation)[0]?.status).toBe("started");
    one.stop();
    await passing;
    expect(one.db.loopOf(loop.conversation)).toMatchObject({ state: "paused", why: "its turn was stopped" });
    expect(ticksOf(one.db, loop)).toMatchObject([{ outcome: "interrupted" }]);
    await one.keeper.resume();
    await one.open(newSession(one.db));
    expect(one.db.loopOf(loop.conversation)).toMatchObject({ state: "paused", why: "another conversation was opened" });
  });
});
