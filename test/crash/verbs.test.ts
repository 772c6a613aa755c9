// Every write verb is killed right before its transaction and right after its commit, in a real process with
// SIGKILL. Then: what was told is stored, verify() finds nothing, and the next process goes on.
import { describe, expect, it } from "vitest";
import { crashPointNames, WRITE_VERBS } from "../../src/ledger/crash-points.ts";
import type { AdmissionId, ConversationId, HolderId, Message, ToolCall } from "../../src/ledger/types.ts";
import { temporaryFolder } from "../helpers/ledger.ts";
import { LedgerProcess } from "../helpers/ledger-process.ts";
import { everyVerb, type Told } from "./every-verb.ts";

const points = crashPointNames().filter((name) => WRITE_VERBS.some((verb) => name.endsWith(`:${verb}`)));

describe("killed at a crash point", () => {
  it.each(points)("%s: nothing that was told is lost, and the next process goes on", async (point) => {
    const path = `${temporaryFolder()}/state.db`;
    const doomed = new LedgerProcess({ env: { STELE_CRASH_AT: point } });
    const told: Told = { messages: [], settled: [], calls: [], sessions: [] };
    await expect(everyVerb(doomed, path, told), "the script never came to this point").rejects.toThrow(/child/);
    await doomed.ended();

    const survivor = new LedgerProcess();
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
  await db.verb("settleUnknown", taken.lease, { id, outcome: "interrupted", note: "settled", at: Date.now() });
  await db.verb("releaseLease", taken.lease);
}
