// The gate reads and walks the folder of a ledger that is open here, while this process and another one write to it.
// Closing one descriptor of the ledger's files here would drop SQLite's locks: the other process would take itself for
// the last one when it closes, and remove the write-ahead log under this one, with rows already told.
import { link, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFileGate, type FileGate } from "../../../../src/agent/tools/files.ts";
import { walk } from "../../../../src/agent/tools/walk.ts";
import { sidecarPath } from "../../../../src/ledger/sidecar-path.ts";
import type { Message, Refusal, SessionId } from "../../../../src/ledger/types.ts";
import { newSession, openLedger, temporaryFolder } from "../../../helpers/ledger.ts";
import { LedgerProcess } from "../../../helpers/ledger-process.ts";

const NOTES_HERE = 150;

/** Every file of the home folder, by every name it has. Returns what was refused and how much was read. */
async function readHome(home: string, files: FileGate): Promise<{ refused: Set<string>; read: number }> {
  const refused = new Set<string>();
  let read = 0;
  for await (const path of walk(home, { files, signal: new AbortController().signal })) {
    const answer = await files.read(path);
    if (answer.ok) read += 1;
    else if (answer.problem.code === "ledger") refused.add(path.slice(home.length + 1));
  }
  return { refused, read };
}

/** A ledger's home as people have it: other files in it, and other names of the ledger's own. */
async function makeHome(): Promise<{ home: string; file: string }> {
  const home = temporaryFolder();
  await mkdir(join(home, "spool"));
  for (const name of ["config.json", "spool/output"]) await writeFile(join(home, name), "x".repeat(5000));
  return { home, file: join(home, "state.db") };
}

function stored(answer: Message | Refusal): Message {
  if ("kind" in answer) throw new Error(answer.why);
  return answer;
}

/** Opens, writes a few notes and closes, over and over: who closes last takes the write-ahead log away. */
async function writeUntilKilled(
  other: LedgerProcess,
  { file, session, told }: { file: string; session: SessionId; told: Message[] },
): Promise<void> {
  const step = async <T>(asked: Promise<T>) => asked.then((value) => ({ value })).catch(() => undefined);
  for (let n = 0; ; n += 1) {
    if (n % 5 === 0 && !(await step(other.ask("open", { path: file })))) return;
    const answer = await step(other.verb("appendNote", session, { text: `there ${n}`, at: Date.now() }));
    if (!answer) return; // it was killed
    told.push(stored(answer.value));
    if (n % 5 === 4 && !(await step(other.ask("close")))) return;
  }
}

test("reading the home folder while another process writes loses nothing that was told", async () => {
  const { home, file } = await makeHome();
  const db = openLedger({ path: file });
  const [mine, theirs] = [newSession(db), newSession(db)];
  await link(file, join(home, "spool/hard"));
  await symlink(`${file}-wal`, join(home, "spool/soft"));
  const files = createFileGate({ ledgerFiles: [file, sidecarPath(file)] });
  const told: Message[] = [];

  const other = new LedgerProcess();
  const writing = writeUntilKilled(other, { file, session: theirs.id, told });
  let isWriting = true;
  const refused = new Set<string>();
  let rounds = 0;
  const reading = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (isWriting) {
        const seen = await readHome(home, files);
        for (const name of seen.refused) refused.add(name);
        expect(seen.read).toBe(2);
        rounds += 1;
      }
    }),
  );
  for (let n = 0; n < NOTES_HERE; n += 1) {
    told.push(stored(db.appendNote(mine.id, { text: `here ${n}`, at: Date.now() })));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(() => told.length).toBeGreaterThan(NOTES_HERE); // the other one has written too
  await other.kill();
  await writing;
  isWriting = false;
  await reading;

  expect(rounds).toBeGreaterThan(4);
  expect([...refused]).toEqual(
    expect.arrayContaining(["spool/hard", "spool/soft", "state.db", "state.db-shm", "state.db-wal", "state.db.guard"]),
  );
  const next = new LedgerProcess();
  await next.ask("open", { path: file });
  for (const message of told) {
    expect((await next.verb("message", message.id))?.hash).toBe(message.hash);
    expect(db.message(message.id)?.hash).toBe(message.hash);
  }
  expect(await next.verb("verify", { full: true })).toEqual([]);
  await next.ask("close");
});
