// The only BEGIN of the ledger. Order of every write: sticky halt? · begin immediate, with patience ·
// same file? · same version and generation? · the fence, where it is a turn's · the verb · commit · same file?
// A `TurnTx` is made here alone, after the lease, the epoch and the admission were checked inside the same
// transaction: a transcript write that skipped the fence does not compile.
import { admissionQueries, type FenceRow } from "./admissions-table.ts";
import { blobQueries } from "./blobs.ts";
import { branchTreeQueries } from "./branch-tree-table.ts";
import { brokenRule } from "./broken-rule.ts";
import { compactionLockQueries } from "./compaction-locks.ts";
import { crashPoint, type WriteVerb } from "./crash-points.ts";
import { deletePreviewQueries } from "./delete-preview.ts";
import { draftQueries } from "./drafts.ts";
import { type LedgerError, ledgerError, mapSqliteError, sqliteCode } from "./errors.ts";
import { exportQueries } from "./export-rows.ts";
import { fileChangeQueries } from "./file-changes-table.ts";
import { FileWatch } from "./file-watch.ts";
import { goToQueries } from "./go-to.ts";
import { headMoveQueries } from "./head-moves.ts";
import { importQueries } from "./import-queries.ts";
import { leaseQueries, renewInside } from "./leases-table.ts";
import { loopQueries } from "./loops-table.ts";
import { type MessageRow, messageQueries } from "./messages.ts";
import { requestQueries } from "./model-requests.ts";
import { modelTitleQueries } from "./model-title.ts";
import type { Database, OpenedFile } from "./open.ts";
import { pathDiffQueries } from "./path-diff.ts";
import { pathListQueries } from "./path-lists.ts";
import { purgeQueries } from "./purge.ts";
import { SCHEMA_VERSION } from "./schema.ts";
import { searchQueries } from "./search.ts";
import { hitQueries } from "./search-rows.ts";
import { sessionGroupQueries } from "./session-groups.ts";
import { defineFold, sessionListQueries } from "./session-list.ts";
import { sessionQueries } from "./sessions-table.ts";
import { siblingQueries } from "./siblings.ts";
import { callQueries } from "./tool-calls-table.ts";
import type { AdmissionId, ProcessIdentity, TurnRef } from "./types.ts";
import { usageQueries } from "./usage.ts";

/** What no turn needs, a third of all: prepared when it is first asked for. */
const RARE = {
  listed: sessionListQueries,
  groups: sessionGroupQueries,
  lists: pathListQueries,
  diff: pathDiffQueries,
  goTo: goToQueries,
  siblings: siblingQueries,
  branches: branchTreeQueries,
  hits: hitQueries,
  purge: purgeQueries,
  transfer: exportQueries,
  imports: importQueries,
  deleting: deletePreviewQueries,
} as const;
type Rare = { readonly [K in keyof typeof RARE]: ReturnType<(typeof RARE)[K]> };

/** What a turn needs is prepared at open: a ledger that lacks a part of it is told before anything is begun. */
export function prepareQueries(db: Database) {
  defineFold(db);
  const often = {
    sessions: sessionQueries(db),
    messages: messageQueries(db),
    admissions: admissionQueries(db),
    leases: leaseQueries(db),
    calls: callQueries(db),
    moves: headMoveQueries(db),
    blobs: blobQueries(db),
    files: fileChangeQueries(db),
    drafts: draftQueries(db),
    usage: usageQueries(db),
    requests: requestQueries(db),
    locks: compactionLockQueries(db),
    loops: loopQueries(db),
    titles: modelTitleQueries(db),
    search: searchQueries(db),
    meta: {
      get: db.prepare<[string], string>("select value from state_meta where key = ?").pluck(),
      put: db.prepare<[string, string]>(
        "insert into state_meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value",
      ),
      drop: db.prepare<[string]>("delete from state_meta where key = ?"),
      withPrefix: db.prepare<[string, string], { key: string; value: string }>(
        "select key, value from state_meta where key >= ? and key < ? order by key",
      ),
      putPrompt: db.prepare<[string, string]>("insert or ignore into system_prompts (hash, text) values (?, ?)"),
      prompt: db.prepare<[string], string>("select text from system_prompts where hash = ?").pluck(),
      putEnvelope: db.prepare<[string, string]>("insert or ignore into turn_envelopes (hash, json) values (?, ?)"),
      envelope: db.prepare<[string], string>("select json from turn_envelopes where hash = ?").pluck(),
    },
  };
  for (const [name, prepare] of Object.entries(RARE)) {
    const get = () => {
      const value = prepare(db);
      Object.defineProperty(often, name, { value, enumerable: true });
      return value;
    };
    Object.defineProperty(often, name, { get, configurable: true, enumerable: true });
  }
  return often as typeof often & Rare;
}
export type Queries = ReturnType<typeof prepareQueries>;

/** Inside one write transaction. */
export interface Tx {
  readonly q: Queries;
  readonly now: number;
  readonly ledgerId: string;
  readonly generation: number;
  readonly process: ProcessIdentity;
  readonly proven: Proven | undefined;
  /** The node that the head was moved to by an append, last of them. */
  newHead?: MessageRow;
}

/**
 * What the fence read in the last append of this connection, with the head that append made. True as long as
 * `data_version` says that nobody else has committed, and nothing else was written here: `write` drops it.
 */
interface Proven {
  readonly admission: AdmissionId;
  readonly row: FenceRow;
  readonly dataVersion: number;
}

declare const fenced: unique symbol;
/** Inside one write transaction whose lease, epoch and admission were checked. */
export interface TurnTx extends Tx {
  readonly [fenced]: true;
  readonly turn: TurnRef;
  readonly admission: FenceRow;
}

/** How long a verb waits for other writers, in ms (C 12.10). */
const PATIENCE_MS = { routine: 20_000, transcript: 60_000, heartbeat: 500 } as const;
export type Patience = keyof typeof PATIENCE_MS;

export interface TransactionOptions {
  readonly now: () => number;
  readonly process: ProcessIdentity;
  /** Blocks the thread: SQLite is synchronous here, and the thread is the ledger's own. */
  readonly sleep: (ms: number) => void;
  readonly random: () => number;
  readonly patienceMs?: number;
}

export class Transactions {
  readonly q: Queries;
  readonly #file: OpenedFile;
  readonly #options: TransactionOptions;
  readonly #watch: FileWatch;
  readonly #begin;
  readonly #commit;
  readonly #rollback;
  readonly #version;
  readonly #dataVersion;
  #confirmed: number | undefined;
  #proven: Proven | undefined;
  #halted: LedgerError | undefined;
  #generation: number;

  constructor(file: OpenedFile, options: TransactionOptions) {
    const { db } = file;
    this.#file = file;
    this.#options = options;
    this.#generation = file.generation;
    this.q = prepareQueries(db);
    this.#begin = db.prepare("begin immediate");
    this.#commit = db.prepare("commit");
    this.#rollback = db.prepare("rollback");
    this.#version = db.prepare<[], number>("pragma user_version").pluck();
    this.#dataVersion = db.prepare<[], number>("pragma data_version").pluck();
    this.#watch = new FileWatch(file);
  }

  /** Why nothing is written any more, if so: the file was replaced, upgraded or repaired under us. */
  get halted(): LedgerError | undefined {
    return this.#halted;
  }

  isLogOfOthers(): boolean {
    return this.#watch.isLogOfOthers();
  }

  read<T>(action: (q: Queries) => T): T {
    try {
      return action(this.q);
    } catch (error) {
      throw mapSqliteError(error);
    }
  }

  write<T>(verb: WriteVerb, action: (tx: Tx) => T, patience: Patience = "routine"): T {
    crashPoint(`before:${verb}`);
    if (this.#halted) throw this.#halted;
    this.#beginPatiently(patience);
    const proven = this.#proven;
    this.#proven = undefined;
    const result = this.#inside(action, proven);
    const lost = this.#watch.problemSince();
    if (lost) throw this.#halt(lost);
    crashPoint(`after:${verb}`);
    return result;
  }

  /** A transcript write of a running turn. */
  turn<T>(verb: WriteVerb, turn: TurnRef, action: (tx: TurnTx) => T): T {
    let fenced: TurnTx | undefined;
    const result = this.write(
      verb,
      (tx) => {
        fenced = fence(tx, turn);
        return action(fenced);
      },
      "transcript",
    );
    // An append changes nothing that the fence read but the head: the next one of this turn may build on it.
    if (verb === "append" && fenced) this.#proven = provenBy(fenced, this.#confirmed);
    return result;
  }

  /** After a repair or a found difference: everybody who has the old generation open halts. */
  newGeneration(): number {
    const next = this.write("new-generation", (tx) => {
      tx.q.meta.put.run("ledger_generation", String(this.#generation + 1));
      return this.#generation + 1;
    });
    this.#generation = next;
    return next;
  }

  #inside<T>(action: (tx: Tx) => T, proven: Proven | undefined): T {
    try {
      this.#confirmSameFile();
      const { now, process } = this.#options;
      const { ledgerId } = this.#file;
      const isCurrent = proven !== undefined && proven.dataVersion === this.#confirmed;
      const known = isCurrent ? proven : undefined;
      const tx: Tx = { q: this.q, now: now(), process, ledgerId, generation: this.#generation, proven: known };
      const result = action(tx);
      this.#commit.run();
      return result;
    } catch (error) {
      const known = mapSqliteError(error);
      // Damage of the file itself: whatever is written now makes saving it harder.
      if (known.code === "ledger_corrupt" || known.code === "ledger_foreign") this.#halt(known);
      if (this.#file.db.inTransaction) this.#rollback.run();
      throw known;
    }
  }

  #confirmSameFile(): void {
    const lost = this.#watch.problem();
    if (lost) throw this.#halt(lost);
    // Unchanged: no other connection has committed since these two were read, and this one never changes them.
    const dataVersion = this.#dataVersion.get();
    if (dataVersion === this.#confirmed) return;
    if (this.#version.get() !== SCHEMA_VERSION)
      throw this.#halt(
        ledgerError("ledger_newer", "The ledger was upgraded by a newer stele while this one had it open."),
      );
    if (Number(this.q.meta.get.get("ledger_generation")) !== this.#generation)
      throw this.#halt(
        ledgerError("ledger_replaced", "The ledger was repaired or restored while this one had it open."),
      );
    this.#confirmed = dataVersion;
  }

  #halt(error: LedgerError): LedgerError {
    this.#halted = error;
    return error;
  }

  #beginPatiently(patience: Patience): void {
    const started = performance.now(); // a wall clock that is set meanwhile must not end or stretch the wait
    const limit = this.#options.patienceMs ?? PATIENCE_MS[patience];
    for (;;) {
      try {
        this.#begin.run();
        return;
      } catch (error) {
        const waited = Math.round(performance.now() - started);
        if (!sqliteCode(error).startsWith("SQLITE_BUSY")) throw mapSqliteError(error);
        if (waited >= limit)
          throw ledgerError("ledger_busy", `Other programs kept the ledger locked for ${waited} ms.`, { cause: error });
        this.#options.sleep(this.#pause(waited));
      }
    }
  }

  /** Short jittered pauses at first, longer ones when somebody is really busy: no ladder that starves one writer. */
  #pause(waited: number): number {
    const { random } = this.#options;
    return waited < 2000 ? 20 + random() * 130 : 250 + random() * 750;
  }
}

/** ledger.md §6 and C 3.12: mine and unexpired → write; mine and expired → renew and write; else nothing. */
function fence(tx: Tx, turn: TurnRef): TurnTx {
  const row = tx.proven?.admission === turn.admission ? tx.proven.row : tx.q.admissions.fence.get(turn.admission);
  if (brokenRule === "fence" && row) return asFenced(tx, turn, row);
  const isOfThis = row?.conversation_id === turn.conversation;
  if (isOfThis && (row.holder !== turn.holder || row.lease_epoch !== turn.epoch))
    throw ledgerError("lease_lost", "This conversation was taken over by another process.");
  if (!isOfThis || row.owner !== turn.holder || row.epoch !== turn.epoch)
    throw ledgerError("lease_lost", "This turn belongs to another process now.");
  renewInside(tx, row);
  return asFenced(tx, turn, row);
}

/** Both belong to this transaction alone, so they are filled in place: after a commit every copy is made in a cold cache. */
function asFenced(tx: Tx, turn: TurnRef, admission: FenceRow): TurnTx {
  return Object.assign(tx, { turn, admission }) as TurnTx;
}

function provenBy({ turn, admission, newHead }: TurnTx, dataVersion: number | undefined): Proven | undefined {
  if (!newHead || dataVersion === undefined) return undefined;
  const row = admission as { -readonly [K in keyof FenceRow]: FenceRow[K] };
  row.head_id = newHead.id;
  row.head_hash = newHead.hash;
  row.head_depth = newHead.depth;
  row.head_turn = newHead.turn;
  row.head_at = newHead.created_at;
  if (newHead.role !== "note") row.redoable = 0;
  return { admission: turn.admission, row, dataVersion };
}
