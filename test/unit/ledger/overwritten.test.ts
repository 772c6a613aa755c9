// Deleted for good: after a deletion the file of the ledger does not hold a word of it, neither in rows nor in what SQLite
// leaves lying between and behind them. Another conversation that shares its pages keeps every word.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { SessionDB } from "../../../src/ledger/session-db.ts";
import type { Session } from "../../../src/ledger/types.ts";
import { bytesOf, changeFiles, edit } from "../../helpers/file-changes.ts";
import {
  forget,
  MEMORY,
  newSession,
  openLedger,
  prompt,
  requestId,
  startTurn,
  temporaryFolder,
} from "../../helpers/ledger.ts";

const END = 12;

/** No two begin alike, so that the word index, which leaves common beginnings out, has more than half of each. */
class Words {
  readonly all: string[] = [];

  next(): string {
    const word = randomBytes(10).toString("hex");
    this.all.push(word);
    return word;
  }

  some(count: number): string {
    return Array.from({ length: count }, () => this.next()).join(" ");
  }

  /** How many of the ends of these words stand in the bytes. */
  leftIn(bytes: string): number {
    const ends = new Set(this.all.map((word) => word.slice(-END)));
    const found = new Set<string>();
    for (const [run] of bytes.matchAll(/[0-9a-f]{12,}/g))
      for (let at = 0; at + END <= run.length; at += 1) {
        const end = run.slice(at, at + END);
        if (ends.has(end)) found.add(end);
      }
    return found.size;
  }
}

/** A turn with a call, its output, a changed file, an answer that streamed, a draft and a waiting prompt. */
function say(db: SessionDB, session: Session, words: Words, size: number): void {
  const { turn, message, lease } = startTurn(db, session, words.some(size));
  db.saveAnswer(turn, { text: words.some(size), parent: message.id });
  db.saveAnswer(turn, { text: words.some(size * 2), parent: message.id });
  const asked = { call: "c", tool: "shell", input: { command: words.some(size) } } as const;
  const answer = { parent: message.id, role: "assistant", at: Date.now(), provider: "guide", model: "guide" } as const;
  const parts = [
    { kind: "text", text: words.some(size) },
    { kind: "tool-call", ...asked },
  ] as const;
  const { calls } = db.append(turn, { ...answer, parts }, [{ ...asked, effect: "none" }]);
  const id = calls[0]?.id;
  if (id === undefined) throw new Error("no call");
  db.approveCall(turn, id, "mode");
  db.startCall(turn, id);
  const outcome = { kind: "ok", output: words.some(size) } as const;
  const wholeOutput = bytesOf(words.some(size));
  const { message: result } = db.finishCall(turn, { id, end: "succeeded", outcome, at: Date.now(), wholeOutput });
  const text = words.some(size);
  db.settle(turn, {
    outcome: "completed",
    at: Date.now(),
    last: { ...answer, parent: result.id, parts: [{ kind: "text", text }] },
  });
  db.releaseLease(lease);
  changeFiles(db, session, [edit("/work/app/a.txt", words.some(size), words.some(size))]);
  db.saveComposer(session.conversation, { window: "w", text: words.some(size) });
}

function wait(db: SessionDB, session: Session, text: string): void {
  const target = { kind: "session", asked: session.id } as const;
  db.admit({ request: requestId(), kind: "prompt", payload: prompt(text), target, session: session.id });
}

it("a deletion leaves no word of a conversation in the file, and those of another one", () => {
  const path = `${temporaryFolder(MEMORY)}/state.db`;
  const db = openLedger({ path });
  const [gone, kept] = [new Words(), new Words()];
  const [deleted, other] = [newSession(db, { title: gone.next() }), newSession(db, { title: kept.next() })];
  for (let turn = 0; turn < 10; turn += 1) {
    const size = [1, 3, 20, 100, 400][turn % 5] ?? 1;
    say(db, deleted, gone, size);
    say(db, other, kept, size);
    if (turn % 4 === 0) while (!db.indexStep());
  }
  wait(db, deleted, gone.some(20));
  while (!db.indexStep());
  expect(db.deleteConversation(deleted.id).kind).toBe("deleted");
  while (!db.purgeStep());
  expect(db.verify({ full: true })).toEqual([]);
  db.close();
  forget(db);
  const bytes = readFileSync(path, "latin1");
  expect(gone.leftIn(bytes)).toBe(0);
  expect(kept.leftIn(bytes)).toBeGreaterThan(kept.all.length / 3);
});
