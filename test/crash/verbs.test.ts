// Every write verb is killed right before its transaction and right after its commit, in a real process with
// SIGKILL. Then: what was told is stored, verify() finds nothing, and the next process goes on.
import { beforeAll, describe, expect, it } from "vitest";
import { crashPointNames, WRITE_VERBS } from "../../src/ledger/crash-points.ts";
import { sha256 } from "../../src/ledger/ids.ts";
import type { AdmissionId, ConversationId, HolderId, Message, ToolCall } from "../../src/ledger/types.ts";
import { temporaryFolder } from "../helpers/ledger.ts";
import { LedgerProcess } from "../helpers/ledger-process.ts";
import { everyVerb, nothingTold, type Told } from "./every-verb.ts";

const points = crashPointNames().filter((name) => WRITE_VERBS.some((verb) => name.endsWith(`:${verb}`)));

describe("killed at a crash point", () => {
  let survivor: LedgerProcess;
  beforeAll(() => {
    survivor = new LedgerProcess({ isShared: true });
  });

  it.each(points)("%s: nothing that was told is lost, and the next process goes on", async (point) => {
    const path = `${temporaryFolder()}/state.db`;
    const doomed = new LedgerProcess({ env: { STELE_CRASH_AT: point } });
    const told = nothingTold();
    await expect(everyVerb(doomed, path, told), "the script never came to this point").rejects.toThrow(/child/);
    await doomed.ended();

    await survivor.ask("open", { path });
    await expectStored(survivor, told);
    await goOn(survivor);
    expect(await survivor.verb("verify", { full: true })).toEqual([]);
    await survivor.ask("close");
  });
});

async function expectStored(db: LedgerProcess, told: Told): Promise<void> {
  for (const message of told.messages) expect(await stored(db, message)).toBe(message.hash);
  for (const [id, outcome] of told.settled) expect((await db.verb("admission", id)).outcome).toBe(outcome);
  for (const call of told.calls) expect(rank(await db.verb("call", call.id))).toBeGreaterThanOrEqual(rank(call));
  for (const id of told.sessions) expect((await db.verb("session", id)).id).toBe(id);
  for (const [conversation, text] of told.unsent)
    expect((await db.verb("drafts", conversation)).map((each) => each.text)).toContain(text);
  await expectFiles(db, told);
}

/** Every content and mode that was promised is there, and no revert that was marked is planned again. */
async function expectFiles(db: LedgerProcess, { changes, reverts }: Told): Promise<void> {
  for (const change of changes) {
    const stored = await db.verb("changesOfCall", change.call);
    expect(stored.map(({ id }) => id)).toContain(change.id);
    for (const side of [change.before, change.after])
      if (side) expect(sha256(await db.verb("blob", side.hash))).toBe(side.hash);
  }
  const planned = (await db.verb("plannedReverts")).map(({ id }) => id);
  for (const revert of reverts) {
    const { id, state, expected, target } = revert;
    if (state === "done") expect(planned).not.toContain(id);
    expect(await db.verb("markRevert", id, "done")).toEqual({ ...revert, state: "done" });
    for (const hash of [expected, target]) if (hash) expect(sha256(await db.verb("blob", hash))).toBe(hash);
  }
}

async function stored(db: LedgerProcess, message: Message): Promise<string | undefined> {
  return (await db.verb("message", message.id))?.hash;
}

/** How far along its way a call is; ends are equal. */
function rank(call: ToolCall): number {
  return ["proposed", "approved", "running"].indexOf(call.state) === -1
    ? 3
    : ["proposed", "approved", "running"].indexOf(call.state);
}

/** What a next start does: reclaim, reconcile, settle by a person's word; then a whole new turn. */
async function goOn(db: LedgerProcess): Promise<void> {
  await db.verb("holdOrphans");
  for (const { id } of await db.verb("plannedReverts")) await db.verb("markRevert", id, "conflict");
  expect(await db.verb("plannedReverts")).toEqual([]);
  for (let open = await db.verb("openAdmissions"); open.length > 0; open = await db.verb("openAdmissions")) {
    for (const { id, status, conversation } of open) {
      if (status === "queued") await db.verb("cancel", id);
      else await settle(db, conversation, id);
    }
  }
  while (!(await db.verb("purgeStep")));
  const session = await db.verb("createSession", { cwd: "/", route: { provider: "g", model: "g" }, source: "test" });
  const { id, conversation } = session;
  await db.ask("runTurns", { session: id, conversation, name: "after", turns: 1 });
  expect((await db.verb("session", id)).turns).toBe(1);
}

async function settle(db: LedgerProcess, conversation: ConversationId, id: AdmissionId): Promise<void> {
  const taken = await db.verb("acquireLease", { conversation, holder: "next" as HolderId });
  if (taken.kind !== "acquired") throw new Error("the dead still hold the conversation");
  await db.verb("reconcileCalls", taken.lease, id);
  const settlement = { id, outcome: "interrupted", note: "settled", at: Date.now(), keepDraft: true } as const;
  await db.verb("settleUnknown", taken.lease, settlement);
  expect((await db.verb("drafts", conversation)).filter(({ kind }) => kind === "answer")).toEqual([]);
  await db.verb("releaseLease", taken.lease);
}
