// What the checklist says of prompts that wait: for a key where their program is gone, for their turn where it lives.
import path from "node:path";
import { expect, it } from "vitest";
import { recoveryWorld } from "../../../src/agent/recovery-world.ts";
import { createFileGate } from "../../../src/agent/tools/files.ts";
import { currentProcess } from "../../../src/ledger/identity.ts";
import { recover } from "../../../src/ledger/recovery.ts";
import { SessionDB } from "../../../src/ledger/session-db.ts";
import { openAsyncLedger } from "../../helpers/async-ledger.ts";
import { holder, newSession, prompt, requestId, temporaryFolder } from "../../helpers/ledger.ts";

/** Above every pid a kernel gives. */
const NO_PID = 2 ** 22 + 1;

it.each([
  [0, 0, "nothing waits"],
  [0, 1, "1 prompt waits its turn"],
  [0, 2, "2 prompts wait their turn"],
  [1, 0, "1 prompt waits for a key"],
  [2, 1, "2 prompts wait for a key; 1 prompt waits its turn"],
])("%i prompts of a dead program and %i of a living one: %s", async (dead, living, words) => {
  const folder = temporaryFolder();
  const ledger = path.join(folder, "state.db");
  for (const [count, pid] of [
    [dead, NO_PID],
    [living, process.pid],
  ] as const) {
    const db = new SessionDB({ path: ledger, process: { ...currentProcess("stele"), pid } });
    for (let at = 0; at < count; at += 1) {
      const session = newSession(db);
      const target = { kind: "session", asked: session.id } as const;
      db.admit({ request: requestId(), kind: "prompt", payload: prompt("later"), target, session: session.id });
    }
    db.close();
  }
  const db = await openAsyncLedger(ledger);
  const files = createFileGate({ ledgerFiles: [] });
  const world = recoveryWorld({ db, files, spoolRoot: path.join(folder, "spool") });
  const told: string[] = [];
  for await (const event of recover(db, { holder: holder(), world }))
    if (event.type === "step" && event.step.name === "queue") told.push(event.step.detail);
  expect(told).toEqual([words]);
});
