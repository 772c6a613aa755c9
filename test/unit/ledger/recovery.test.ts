// What a start finishes of an undo that was cut short, and what it leaves to others. The files are real ones.
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { recoveryWorld } from "../../../src/agent/recovery-world.ts";
import { createFileGate } from "../../../src/agent/tools/files.ts";
import type { AsyncSessionDB } from "../../../src/ledger/async-session-db.ts";
import { currentProcess } from "../../../src/ledger/identity.ts";
import { type RecoveryStep, reclaimFromTheDead, recover, type World } from "../../../src/ledger/recovery.ts";
import { SessionDB } from "../../../src/ledger/session-db.ts";
import type { Session } from "../../../src/ledger/types.ts";
import { openAsyncLedger } from "../../helpers/async-ledger.ts";
import { changeFiles, edit, image } from "../../helpers/file-changes.ts";
import { holder, newSession, openLedger, startTurn, temporaryFolder } from "../../helpers/ledger.ts";

/** Above every pid a kernel gives. */
const NO_PID = 2 ** 22 + 1;

interface Cut {
  readonly ledger: string;
  readonly db: AsyncSessionDB;
  readonly session: Session;
  /** Holds `after`, as before the undo. */
  readonly file: string;
  readonly world: World;
  readonly steps: RecoveryStep[];
  reclaim(world?: World, db?: AsyncSessionDB): Promise<void>;
  text(): string | undefined;
}

/** A program stored an undo of one edit and was killed before it wrote the file; `next` is what came after. */
async function cutUndo(next: (db: SessionDB, session: Session) => void = () => {}): Promise<Cut> {
  const folder = temporaryFolder();
  const ledger = path.join(temporaryFolder(), "state.db");
  const file = path.join(folder, "f");
  const dead = new SessionDB({ path: ledger, process: { ...currentProcess("stele"), pid: NO_PID } });
  const session = newSession(dead, { cwd: folder });
  const { changes } = changeFiles(dead, session, [edit(file, "before", "after")], { cwd: folder });
  writeFileSync(file, "after", { mode: 0o644 });
  const reverts = changes.map(({ id }) => {
    return { change: id, direction: "undo", now: image("after"), target: image("before", 0o600) } as const;
  });
  expect(dead.undo(session.id, 1, { reverts })).toMatchObject({ kind: "moved" });
  next(dead, session);
  dead.close();
  const db = await openAsyncLedger(ledger);
  const world = recoveryWorld({
    db,
    files: createFileGate({ ledgerFiles: [] }),
    spoolRoot: path.join(folder, "spool"),
  });
  const steps: RecoveryStep[] = [];
  const reclaim = (by = world, from = db) =>
    reclaimFromTheDead(from, { holder: holder(), world: by }, (step) => steps.push(step));
  const text = () => (existsSync(file) ? readFileSync(file, "utf8") : undefined);
  return { ledger, db, session, file, world, steps, reclaim, text };
}

/** A turn that its program never ended: its lease is left behind too. */
const leftTurn = (db: SessionDB, session: Session) => void startTurn(db, session, "never ended");

async function stepsOf(cut: Cut): Promise<RecoveryStep[]> {
  const steps: RecoveryStep[] = [];
  for await (const event of recover(cut.db, { holder: holder(), world: cut.world }))
    if (event.type === "step") steps.push(event.step);
  return steps;
}

const UNTOUCHED: World = {
  readBack: () => Promise.reject(new Error("nothing was to be read back")),
  finishReverts: () => Promise.reject(new Error("nothing was to be written")),
  sweep: () => Promise.reject(new Error("nothing was to be swept")),
};

describe("an undo that was cut short", () => {
  it("is finished by what every command does first, with its mode; only then the conversation moves again", async () => {
    const cut = await cutUndo();
    const { db, session } = cut;
    expect(await db.redo(session.id)).toMatchObject({ kind: "busy", undecided: true });
    expect(cut.text()).toBe("after");
    await cut.reclaim();
    expect([cut.text(), statSync(cut.file).mode & 0o777]).toEqual(["before", 0o600]);
    expect(cut.steps).toMatchObject([
      { name: "files", status: "ok", detail: "writing files was cut short: 1 file finished" },
    ]);
    expect(await db.plannedReverts()).toEqual([]);
    expect(await db.redo(session.id)).toMatchObject({ kind: "moved" });
    await cut.reclaim(UNTOUCHED);
    expect(cut.steps).toHaveLength(1);
  });

  it.each(["a command", "a start"])("is finished by %s also where a turn after it is unknown", async (by) => {
    const cut = await cutUndo(leftTurn);
    const { db, session } = cut;
    if (by === "a command") await cut.reclaim();
    else
      expect((await stepsOf(cut)).map(({ name, status }) => [name, status])).toEqual([
        ["ledger", "ok"],
        ["integrity", "ok"],
        ["queue", "ok"],
        ["leases", "ok"],
        ["turns", "warn"],
        ["files", "ok"],
      ]);
    expect(cut.text()).toBe("before");
    expect(await db.plannedReverts()).toEqual([]);
    expect(await db.openAdmissions(session.conversation)).toMatchObject([{ status: "unknown" }]);
    expect(await db.lease(session.conversation)).not.toHaveProperty("holder");
  });

  it("is not written over what came into the file meanwhile, and that is told", async () => {
    const cut = await cutUndo();
    writeFileSync(cut.file, "mine");
    await cut.reclaim();
    expect(cut.text()).toBe("mine");
    const detail = `writing files was cut short: 0 files finished, left alone because they changed: ${cut.file}`;
    expect(cut.steps).toMatchObject([{ status: "warn", detail }]);
    expect(await cut.db.redo(cut.session.id)).toMatchObject({ kind: "moved" });
  });

  it("is left to the program that is at it", async () => {
    const cut = await cutUndo();
    const { db, session } = cut;
    const taken = await db.acquireLease({ conversation: session.conversation, holder: holder() });
    if (taken.kind !== "acquired") throw new Error("the dead hold it");
    await cut.reclaim(UNTOUCHED);
    expect(cut.steps).toMatchObject([
      { status: "warn", detail: "writing files was cut short: 0 files finished, 1 held elsewhere" },
    ]);
    expect(await db.plannedReverts()).toHaveLength(1);
    await db.releaseLease(taken.lease);
    await cut.reclaim();
    expect(cut.text()).toBe("before");
  });

  it("waits on where its file cannot be written now, is told as waiting, and is in the way until then", async () => {
    const cut = await cutUndo();
    const full: World = { ...UNTOUCHED, finishReverts: (rows) => Promise.resolve(rows) };
    await cut.reclaim(full);
    const detail = `writing files was cut short: 0 files finished, could not be written, and wait: ${cut.file}`;
    expect(cut.steps).toMatchObject([{ status: "warn", detail }]);
    expect(await cut.db.redo(cut.session.id)).toMatchObject({ kind: "busy" });
    await cut.reclaim();
    expect(await cut.db.redo(cut.session.id)).toMatchObject({ kind: "moved" });
  });

  it("that its own program finished just before the lease was free is not written again", async () => {
    const cut = await cutUndo();
    const other = openLedger({ path: cut.ledger });
    const finishedMeanwhile = new Proxy(cut.db, {
      get(db, name) {
        if (name === "acquireLease") for (const { id } of other.plannedReverts()) other.markRevert(id, "done");
        return Reflect.get(db, name, db) as unknown;
      },
    });
    // The file is as the row expects it: a redo has brought it back.
    await cut.reclaim(cut.world, finishedMeanwhile);
    expect(cut.text()).toBe("after");
    expect(cut.steps).toEqual([]);
  });
});
