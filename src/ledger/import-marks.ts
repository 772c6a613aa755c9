// Who imports into which session, as `state_meta` key `import:ID`. Until its last step an import shows nothing: its
// sessions are rows as deleted ones leave them, and verify() exempts their nodes. What a dead program left behind
// becomes what a deletion in progress is, and goes the same way.
import { decodeProcess } from "./codec.ts";
import { ledgerError } from "./errors.ts";
import { livenessOf } from "./identity.ts";
import type { Probe } from "./leases.ts";
import type { Queries, Tx } from "./transaction.ts";
import type { ProcessIdentity, SessionId } from "./types.ts";

export interface ImportMark {
  readonly token: string;
  readonly process: ProcessIdentity;
  /** Numbers of its turns. */
  readonly from: number;
  readonly to: number;
}

function readMark(value: string): ImportMark {
  return JSON.parse(value) as ImportMark;
}

/** Throws when it was given up: a sweep of another program has taken the rows, or takes them now. */
export function requireMark(tx: Tx, token: string, session: SessionId): void {
  const value = tx.q.meta.get.get(`import:${session}`);
  if (value === undefined || readMark(value).token !== token)
    throw ledgerError("row_missing", "This import was given up meanwhile; nothing of it is shown.", {
      hint: "Import the file again.",
    });
}

/** Its turns are somebody else's from now on: what they did to files is taken back only when it is chosen by name. */
export function rememberTurns(tx: Tx, session: SessionId): void {
  const value = tx.q.meta.get.get(`import:${session}`);
  const { from, to } = value === undefined ? { from: 1, to: 0 } : readMark(value);
  if (to >= from) tx.q.meta.put.run(`imported:${from}`, String(to));
}

/** SQL: whether the turn with this number came with an import. */
export function cameByImport(turn: string): string {
  return `exists (select 1 from state_meta i where i.key >= 'imported:' and i.key < 'imported;'
    and ${turn} between cast(substr(i.key, 10) as integer) and cast(i.value as integer))`;
}

interface KeyedMark {
  readonly session: SessionId;
  readonly mark: ImportMark;
}

function marksOf(q: Queries): KeyedMark[] {
  return q.imports.marks.all().map(({ key, value }) => ({ session: key.slice(7) as SessionId, mark: readMark(value) }));
}

/** Sessions whose importer is proven dead. */
export function orphanImports(q: Queries, self: ProcessIdentity, probe?: Probe): SessionId[] {
  return marksOf(q)
    .filter(({ mark }) => livenessOf(decodeProcess(JSON.stringify(mark.process)), self, probe) === "dead")
    .map(({ session }) => session);
}

export function importsOf(q: Queries, token: string): SessionId[] {
  return marksOf(q)
    .filter(({ mark }) => mark.token === token)
    .map(({ session }) => session);
}

/** From here on the steps of a purge take the nodes: of a session that was here before only those that nothing shows. */
export function buryImports(tx: Tx, sessions: readonly SessionId[]): void {
  for (const id of sessions) {
    const value = tx.q.meta.get.get(`import:${id}`);
    if (value === undefined) continue;
    const { from, to } = readMark(value);
    if (to >= from) tx.q.imports.dropTurns.run(from, to);
    if (tx.q.sessions.get.get(id)?.deleted_at !== null) {
      tx.q.imports.dropTurnsOf.run(id);
      tx.q.moves.dropOfSession.run(id);
    }
    tx.q.meta.put.run(`purge:${id}`, String(tx.now));
    tx.q.meta.drop.run(`import:${id}`);
  }
}
