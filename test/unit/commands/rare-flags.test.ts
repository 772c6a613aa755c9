// Flags that few people type: what each changes beside the command without it.
import path from "node:path";
import { describe, expect, it } from "vitest";
import { currentProcess } from "../../../src/ledger/identity.ts";
import { SessionDB } from "../../../src/ledger/session-db.ts";
import type { Hash, Session } from "../../../src/ledger/types.ts";
import { newSession, runTurn, startTurn, temporaryFolder } from "../../helpers/ledger.ts";
import { jsonOf, openDesk, words } from "./command-harness.ts";

/** Above every pid a kernel gives. */
const NO_PID = 2 ** 22 + 1;

function inDead<T>(make: (db: SessionDB) => T): { file: string; made: T } {
  const file = path.join(temporaryFolder(), "state.db");
  const db = new SessionDB({ path: file, process: { ...currentProcess("stele"), pid: NO_PID } });
  const made = make(db);
  db.close();
  return { file, made };
}

describe("flags", () => {
  it.each(["hide", "archive", "pin"] as const)(
    "/%s --off takes the flag away, here and of one that is named",
    async (name) => {
      const desk = await openDesk();
      const other = await desk.newSession({ title: "other" });
      for (const of of [`/${name}`, `/sessions ${name} other`]) {
        const on = jsonOf(await desk.type(of));
        const off = jsonOf(await desk.type(`${of} --off`));
        expect([Object.values(on)[1], Object.values(off)[1]], of).toEqual([true, false]);
      }
      expect((await desk.db.session(other.id)).hidden).toBe(false);
    },
  );

  it("/quit --leave and --stop ask nothing", async () => {
    const desk = await openDesk();
    expect(await desk.type("/quit --leave")).toEqual({ kind: "quit" });
    expect(await desk.type("/quit --stop")).toEqual({ kind: "quit" });
  });

  it("/sessions show --raw has what only a provider reads, and without it nobody is shown that", async () => {
    const { file, made } = inDead((db): Session => {
      const session = newSession(db);
      const { turn, message } = startTurn(db, session, "hello");
      const parts = [
        { kind: "reasoning", text: "thought", opaque: { provider: "local", data: "secret" } },
        { kind: "text", text: "hi" },
      ] as never;
      const at = Date.now();
      db.settle(turn, { outcome: "completed", at, last: { parent: message.id, role: "assistant", parts, at } });
      return session;
    });
    const desk = await openDesk({ file });
    expect(JSON.stringify(await desk.type(`/sessions show ${made.id} --raw`))).toContain("secret");
    expect(JSON.stringify(jsonOf(await desk.type(`/sessions show ${made.id}`)))).not.toContain("secret");
  });

  it("/recover resume --changed goes on also where the next request is another one than was cut off", async () => {
    const { file, made } = inDead((db) => {
      const session = newSession(db, { cwd: temporaryFolder() });
      runTurn(db, session, "before", "it");
      const { turn, message } = startTurn(db, db.session(session.id), "say on");
      db.askModel(turn, { parent: message.id, digest: "0".repeat(64) as Hash });
      return turn.admission;
    });
    const desk = await openDesk({ file });
    await desk.type("/recover");
    await desk.type(`/recover resume ${made}`);
    expect((await desk.db.admission(made)).status).toBe("unknown");
    expect(words(await desk.type(`/recover resume ${made} --changed`))).not.toBe("");
    expect((await desk.db.admission(made)).outcome).toBe("completed");
  });
});
