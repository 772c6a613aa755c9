// Processes that want the same file, or the same conversation, at once.
import { describe, expect, it } from "vitest";
import { newSession, openLedger, temporaryFolder } from "../../helpers/ledger.ts";
import { LedgerProcess } from "../../helpers/ledger-process.ts";

const NAMES = ["a", "b", "c", "d"];

describe("four processes", () => {
  it("that write four conversations at once lose and mix nothing", async () => {
    const path = `${temporaryFolder()}/state.db`;
    const db = openLedger({ path });
    const sessions = NAMES.map(() => newSession(db));
    const children = NAMES.map(() => new LedgerProcess());
    await Promise.all(children.map((child) => child.ask("open", { path })));
    const turns = 25;
    await Promise.all(
      children.map((child, at) => {
        const session = sessions[at];
        if (!session) throw new Error("no session");
        return child.ask("runTurns", {
          session: session.id,
          conversation: session.conversation,
          name: NAMES[at] ?? "",
          turns,
        });
      }),
    );
    for (const [at, session] of sessions.entries()) {
      const { messages } = db.path(session.id, { limit: 1000 });
      const texts = messages.map((each) => (each.parts[0]?.kind === "text" ? each.parts[0].text : ""));
      expect(texts).toEqual(linesOf(NAMES[at] ?? "", turns));
      expect(db.admissionsOf(session.id).map((each) => each.outcome)).toEqual(Array(turns).fill("completed"));
      expect(db.lease(session.conversation)).toMatchObject({ epoch: turns });
    }
  }, 60_000);

  it("that write one conversation take turns, and no turn has another one inside it", async () => {
    const path = `${temporaryFolder()}/state.db`;
    const db = openLedger({ path });
    const session = newSession(db);
    const pair = NAMES.slice(0, 2);
    const children = pair.map(() => new LedgerProcess());
    await Promise.all(children.map((child) => child.ask("open", { path })));
    const turns = 15;
    const { id, conversation } = session;
    await Promise.all(
      children.map((child, at) => child.ask("runTurns", { session: id, conversation, name: pair[at] ?? "", turns })),
    );
    const { messages } = db.path(id, { limit: 1000 });
    const texts = messages.map((each) => (each.parts[0]?.kind === "text" ? each.parts[0].text : ""));
    const blocks = Array.from({ length: texts.length / 4 }, (_, at) => texts.slice(at * 4, at * 4 + 4));
    for (const block of blocks) {
      const name = block[0] ?? "";
      expect(block).toEqual([name, `${name} first`, `${name} second`, `${name} done`]);
    }
    for (const name of pair) expect(texts.filter((each) => each.startsWith(`${name} `))).toEqual(linesOf(name, turns));
    expect(blocks).toHaveLength(2 * turns);
    expect(db.session(id)).toMatchObject({ turns: 2 * turns, messages: 8 * turns });
    expect(db.openAdmissions()).toEqual([]);
  }, 60_000);
});

function linesOf(name: string, turns: number): string[] {
  return Array.from({ length: turns }, (_, n) => `${name} ${n}`).flatMap((text) => [
    text,
    `${text} first`,
    `${text} second`,
    `${text} done`,
  ]);
}
