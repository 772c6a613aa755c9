// Loops in the ledger: which slot is fired, by whom, and that none is fired twice.
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { currentProcess, type PidProbe } from "../../../src/ledger/identity.ts";
import type { SessionDB } from "../../../src/ledger/session-db.ts";
import type { Loop, LoopPlan, Session } from "../../../src/ledger/types.ts";
import { fullNumber } from "../../helpers/full-numbers.ts";
import {
  acquire,
  envelope,
  holder,
  MEMORY,
  newSession,
  openLedger,
  prompt,
  requestId,
  startTurn,
  temporaryFolder,
} from "../../helpers/ledger.ts";

const MINUTE = 60_000;

function plan(more: Partial<LoopPlan> = {}): LoopPlan {
  const usual = {
    text: "look",
    approval: "auto",
    cwd: "/work/app",
    floorMs: MINUTE,
    ceilingMs: 900_000,
    maxTicks: 100,
  };
  return { ...usual, everyMs: MINUTE, ...more } as LoopPlan;
}

/** Two programs on one ledger, with a clock that is set. */
function twoPrograms() {
  const file = path.join(temporaryFolder(MEMORY), "state.db");
  const world = { at: 1_800_000_000_000, dead: new Set<number>() };
  const self = currentProcess("stele");
  const probe = (pid: number): PidProbe =>
    world.dead.has(pid) ? { kind: "gone" } : { kind: "there", start: `start of ${pid}` };
  const program = (pid: number) =>
    openLedger({ path: file, probe, now: () => world.at, process: { ...self, pid, start: `start of ${pid}` } });
  const [one, two] = [program(101), program(102)];
  const session = newSession(one);
  return { world, one, two, session };
}

function started(loop: Loop | { kind: string }): Loop {
  if ("kind" in loop) throw new Error(loop.kind);
  return loop;
}

function fire(db: SessionDB, loop: Pick<Loop, "id" | "nextSlot">) {
  return db.fireLoop({ id: loop.id, slot: loop.nextSlot }, prompt("look"));
}

/** Runs what waits to its end, where this program may. */
function runWaiting(db: SessionDB, session: Session, outcome: "completed" | "interrupted" = "completed"): void {
  const lease = acquire(db, session, holder());
  const claimed = db.claim(lease, { at: 1, envelope: envelope(db) });
  if (claimed.kind === "claimed") {
    const answer = {
      role: "assistant",
      parts: [{ kind: "text", text: "seen" }],
      at: 2,
      parent: claimed.message?.id,
    } as const;
    db.settle(claimed.turn, { outcome, at: 2, ...(outcome === "completed" && { last: answer }) });
  }
  db.releaseLease(lease);
}

const goesOn = (delayMs = MINUTE) => ({ digest: "d", next: { state: "active" as const, delayMs } });

describe("a loop", () => {
  it("is due at once; each slot is fired once, and the next one counts from the end of the turn", () => {
    const { world, one, session } = twoPrograms();
    const loop = started(one.startLoop(session.id, plan()));
    expect(loop).toMatchObject({ state: "active", nextSlot: 0, nextDueAt: world.at, ticks: 0 });
    const fired = fire(one, loop);
    expect(fired).toMatchObject({
      kind: "fired",
      admission: { kind: "loop", request: `loop:${loop.id}:0`, status: "queued" },
      loop: { nextSlot: 1, nextDueAt: world.at + MINUTE, ticks: 1 },
    });
    expect(fire(one, loop)).toEqual(fired);
    expect(one.openAdmissions(session.conversation)).toHaveLength(1);
    expect(fire(one, fired.loop).kind).toBe("not-now");
    world.at += 40_000;
    runWaiting(one, session);
    const ended = one.endTick({ id: loop.id, slot: 0 }, goesOn());
    expect(ended.nextDueAt).toBe(world.at + MINUTE);
    expect(one.endTick({ id: loop.id, slot: 0 }, { next: { state: "done", why: "late" } })).toEqual(ended);
    expect(one.loopTicks(loop.id, 5)).toMatchObject([{ slot: 0, outcome: "completed", isChanged: true }]);
  });

  it("makes one tick of all the slots that were missed", () => {
    const { world, one, session } = twoPrograms();
    const loop = started(one.startLoop(session.id, plan()));
    fire(one, loop);
    runWaiting(one, session);
    const ended = one.endTick({ id: loop.id, slot: 0 }, goesOn());
    world.at += 500 * MINUTE;
    const late = fire(one, ended);
    expect(late).toMatchObject({ kind: "fired", loop: { nextSlot: 2, nextDueAt: world.at + MINUTE } });
    expect(fire(one, late.loop).kind).toBe("not-now");
  });

  it("waits while anything runs or waits in its conversation", () => {
    const { one, session } = twoPrograms();
    const loop = started(one.startLoop(session.id, plan()));
    const { lease, turn } = startTurn(one, session, "a person asks");
    expect(fire(one, loop).kind).toBe("busy");
    one.settle(turn, { outcome: "interrupted", at: 2 });
    one.releaseLease(lease);
    const target = { kind: "session", asked: session.id } as const;
    const asked = {
      request: requestId(),
      kind: "prompt",
      payload: prompt("mine"),
      target,
      session: session.id,
    } as const;
    const { admission } = one.admit(asked);
    expect(fire(one, loop).kind).toBe("busy");
    one.hold(admission.id, "the test says so");
    expect(fire(one, loop).kind).toBe("fired");
  });

  it("is the only one of its conversation; a new one stops it", () => {
    const { one, session } = twoPrograms();
    const first = started(one.startLoop(session.id, plan()));
    const second = started(one.startLoop(session.id, plan({ text: "other" })));
    expect(one.loopOf(session.conversation)).toEqual(second);
    expect(fire(one, first)).toMatchObject({ kind: "not-now", loop: { state: "stopped" } });
  });

  it("that was paused while its tick ran stays so, and the tick is ended all the same", () => {
    const { one, session } = twoPrograms();
    const loop = started(one.startLoop(session.id, plan()));
    fire(one, loop);
    const lease = acquire(one, session);
    const claimed = one.claim(lease, { at: 1, envelope: envelope(one) });
    if (claimed.kind !== "claimed") throw new Error(claimed.kind);
    expect(one.pauseLoop(session.conversation, "you stopped it")).toMatchObject({ state: "paused" });
    expect(() => one.endTick({ id: loop.id, slot: 0 }, goesOn())).toThrow("still runs");
    one.settle(claimed.turn, { outcome: "interrupted", at: 2 });
    one.releaseLease(lease);
    const ended = one.endTick({ id: loop.id, slot: 0 }, goesOn());
    expect(ended).toMatchObject({ state: "paused", why: "you stopped it" });
    expect(ended.nextDueAt).toBeUndefined();
    expect(one.loopTicks(loop.id, 5)).toMatchObject([{ outcome: "interrupted" }]);
  });

  it("does not count a tick that was cancelled before it ran", () => {
    const { one, session } = twoPrograms();
    const loop = started(one.startLoop(session.id, plan()));
    fire(one, loop);
    expect(one.pauseLoop(session.conversation, "paused")).toMatchObject({ ticks: 0, ticksOfRun: 0 });
    expect(one.loopTicks(loop.id, 5)).toMatchObject([{ outcome: "cancelled" }]);
    expect(one.openAdmissions(session.conversation)).toEqual([]);
  });

  it("comes soon after it is resumed, and has all its ticks again", () => {
    const { world, one, session } = twoPrograms();
    const loop = started(one.startLoop(session.id, plan()));
    fire(one, loop);
    runWaiting(one, session);
    one.endTick({ id: loop.id, slot: 0 }, { next: { state: "paused", why: "100 ticks" } });
    const resumed = started(one.resumeLoop(session.conversation));
    expect(resumed).toMatchObject({ state: "active", nextDueAt: world.at + 5_000, ticks: 1, ticksOfRun: 0 });
    expect(resumed.why).toBeUndefined();
    one.stopLoop(session.conversation);
    expect(one.resumeLoop(session.conversation)).toMatchObject({ kind: "conflict" });
  });
});

describe("a loop of another program", () => {
  it("is fired by that one only, and neither replaced nor resumed by others while it lives", () => {
    const { one, two, session } = twoPrograms();
    const loop = started(one.startLoop(session.id, plan()));
    expect(fire(two, loop).kind).toBe("not-now");
    for (const refused of [two.startLoop(session.id, plan()), two.resumeLoop(session.conversation)])
      expect(refused).toMatchObject({ kind: "busy", why: "The loop runs in stele, pid 101." });
    expect(two.pauseOrphanLoops()).toEqual([]);
  });

  it("is paused once that program is proven dead, and goes on where it was when somebody says so", () => {
    const { world, one, two, session } = twoPrograms();
    const loop = started(one.startLoop(session.id, plan()));
    fire(one, loop);
    world.dead.add(101);
    expect(two.pauseOrphanLoops()).toMatchObject([{ state: "paused", why: "the stele that ran it ended", ticks: 0 }]);
    expect(two.openAdmissions(session.conversation)).toEqual([]);
    const resumed = started(two.resumeLoop(session.conversation));
    world.at += 5_000;
    expect(fire(two, resumed)).toMatchObject({ kind: "fired", loop: { nextSlot: 2 } });
    expect(fire(one, { id: loop.id, nextSlot: 2 }).kind).toBe("not-now");
  });
});

describe("any order of two programs, sleeps, restarts and ends", () => {
  const step = fc.record({
    who: fc.constantFrom("one", "two"),
    what: fc.constantFrom("fire", "fire", "fire", "run", "end", "pause", "resume", "sleep", "die", "orphans", "person"),
    n: fc.nat({ max: 4_000 }),
  });
  it("fires no slot twice, and never two at a time", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { world, one, two, session } = twoPrograms();
        const dbs = { one, two };
        let loop = started(one.startLoop(session.id, plan()));
        const fired = new Map<number, number>();
        for (const { who, what, n } of steps) {
          const db = dbs[who as "one" | "two"];
          const { conversation } = session;
          if (what === "sleep") world.at += n * 1_000;
          if (what === "die") world.dead = new Set(n % 2 === 0 ? [101] : []);
          if (what === "orphans") db.pauseOrphanLoops();
          if (what === "pause") db.pauseLoop(conversation, "paused");
          if (what === "resume") db.resumeLoop(conversation);
          if (what === "person" && db.openAdmissions(conversation).length === 0) {
            const { turn, lease } = startTurn(db, session, "mine");
            db.settle(turn, { outcome: "interrupted", at: 2 });
            db.releaseLease(lease);
          }
          if (what === "run") runWaiting(db, session, n % 2 ? "completed" : "interrupted");
          loop = db.loopOf(conversation) as Loop;
          if (what === "end" && loop.nextSlot > 0) endIfOver(db, loop);
          if (what !== "fire") continue;
          const before = db.openAdmissions(conversation).length;
          const result = fire(db, loop);
          if (result.kind !== "fired") continue;
          expect(before).toBe(0);
          expect(result.loop.runner?.pid).toBe(who === "one" ? 101 : 102);
          fired.set(loop.nextSlot, (fired.get(loop.nextSlot) ?? 0) + 1);
        }
        expect([...fired.values()].every((times) => times === 1)).toBe(true);
        expect([...fired.keys()]).toEqual([...fired.keys()].map((_, at) => at));
      }),
      { numRuns: fullNumber(60, 20) },
    );
  });
});

function endIfOver(db: SessionDB, loop: Loop): void {
  const [tick] = db.loopTicks(loop.id, 1);
  if (!tick?.admission || db.admission(tick.admission).status !== "terminal") return;
  db.endTick({ id: loop.id, slot: tick.slot }, goesOn());
}
