import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { ConversationId } from "../../src/ledger/types.ts";
import { COMPACTION_STEPS } from "./compaction-steps.ts";
import { LedgerWorld } from "./ledger-world.ts";
import { type Picks, QUEUE_STEPS, type Step } from "./queue-steps.ts";
import { SIDE_STEPS } from "./side-steps.ts";
import { TURN_STEPS } from "./turn-steps.ts";

const STEPS: { readonly [name: string]: Step } = { ...QUEUE_STEPS, ...TURN_STEPS, ...SIDE_STEPS, ...COMPACTION_STEPS };

/** How often each step is tried: a turn needs many steps to become interesting, a deletion ends the fun. */
const WEIGHTS: { readonly [name: string]: number } = {
  wholeTurn: 10,
  wholeCall: 4,
  undo: 4,
  redo: 4,
  goTo: 4,
  retry: 3,
  admit: 6,
  acquire: 6,
  claim: 8,
  append: 8,
  approveCall: 6,
  startCall: 6,
  finishCall: 5,
  settle: 5,
  moveClock: 3,
  changeVerdict: 3,
  settleUnknown: 3,
  resumeUnknown: 3,
  reconcileCalls: 3,
  saveAnswer: 5,
  planChange: 6,
  changingTurn: 4,
  markRevert: 3,
  commitCompaction: 3,
  wholeCompaction: 3,
};

/** In memory where the system has such a place: this test is about rules, and a disk would only slow it down. */
const PLACE = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const RUNS = Number(process.env["SOAK_RUNS"] || 60);
const pick = fc.nat({ max: 200 });
const picks = fc.record({ who: fc.constantFrom(0 as const, 1 as const), a: pick, b: pick, n: fc.nat({ max: 4 }) });
const names = Object.keys(STEPS).map((name) => ({ weight: WEIGHTS[name] ?? 2, arbitrary: fc.constant(name) }));
const programs = fc.array(fc.tuple(fc.oneof(...names), picks), { minLength: 10, maxLength: 250, size: "max" });

it(
  "does what the model says for random verbs of two holders under a jumping clock",
  () => {
    fc.assert(fc.property(programs, run), { numRuns: RUNS });
  },
  Math.max(120_000, RUNS * 2_000),
);

function run(program: readonly (readonly [string, Picks])[]): void {
  const folder = mkdtempSync(path.join(PLACE, "stele-model-"));
  const world = new LedgerWorld(path.join(folder, "state.db"));
  try {
    for (const [at, [name, chosen]] of program.entries()) {
      STEPS[name]?.(world, chosen);
      if (at % 5 === 0) world.compare();
    }
    world.compare();
    for (const db of world.dbs) expect(db.verify({ full: true })).toEqual([]);
    emptyLedger(world);
  } finally {
    world.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whatever state it is in: once every turn and file is decided and everything deleted, nothing is left. */
function emptyLedger(world: LedgerWorld): void {
  const [db] = world.dbs;
  for (const { id } of db.plannedReverts()) db.markRevert(id, "done");
  world.model.verdicts[0] = "dead";
  world.model.verdicts[1] = "dead";
  const holder = "c:1" as NonNullable<ReturnType<typeof db.lease>>["holder"] & string;
  for (const session of [...world.model.sessions.values()]) {
    const conversation = session.id as string as ConversationId;
    const taken = db.acquireLease({ conversation, holder });
    if (taken.kind !== "acquired") throw new Error("the lease of the dead is not given");
    for (const { id, status } of db.openAdmissions(conversation))
      if (status === "unknown")
        db.settleUnknown(taken.lease, { id, outcome: "interrupted", note: "over", at: world.model.now });
    expect(db.deleteConversation(session.id, { holder })).toMatchObject({ kind: "deleted" });
    if (world.model.sessions.size % 2 === 0) db.purgeStep();
  }
  while (!db.purgeStep());
  expect(db.verify({ full: true })).toEqual([]);
  expect(db.plannedReverts()).toEqual([]);
  expect(db.stats().counts).toEqual({ sessions: 0, messages: 0, admissions: 0 });
}
