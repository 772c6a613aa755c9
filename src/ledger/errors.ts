// The few exceptions of the ledger: one class a cause that needs its own advice. Expected refusals are
// values (`Refusal`), not exceptions. Class, code and hint survive the way out of a worker thread.

export type LedgerCode =
  | "ledger_busy"
  | "ledger_disk_full"
  | "ledger_io"
  | "ledger_corrupt"
  | "ledger_index_corrupt"
  | "ledger_replaced"
  | "ledger_lost_wal"
  | "ledger_newer"
  | "ledger_foreign"
  | "ledger_unreadable"
  | "ledger_read_only"
  | "ledger_closed"
  | "ledger_outcome_unknown"
  | "lease_lost"
  | "stale_head"
  | "request_differs"
  | "compression_closed"
  | "row_missing"
  | "admission_conflict"
  | "not_found"
  | "illegal_edge"
  | "bad_input"
  | "ledger_internal";

/** What to do about it, in the words a person gets. */
const HINTS: Record<LedgerCode, string> = {
  ledger_busy: "Another process is writing. Your text is kept; try again in a moment.",
  ledger_disk_full: "Free some space on that disk and try again; nothing that was saved is lost.",
  ledger_io: "The disk reported an error. Check it (dmesg, quota), then run: stele doctor",
  ledger_corrupt: "Copy the file, with its -wal, to a safe place before anything writes to it again. See: stele doctor",
  ledger_index_corrupt: "Conversations are fine, only search is degraded. Run: stele doctor --fix",
  ledger_replaced: "The file was swapped under this process. Quit and start stele again.",
  ledger_lost_wal:
    "The write-ahead log is no longer the one that this process opened, or not all of it. Quit and start stele again.",
  ledger_newer: "Install the newer stele that wrote it, or use another one with --ledger.",
  ledger_foreign: "Choose another file with --ledger, or another folder with --home.",
  ledger_unreadable: "Nothing was changed. `stele doctor --fix` sets the file aside and begins a new ledger.",
  ledger_read_only: "Make file and folder writable for you, or choose another folder with --home.",
  ledger_closed: "stele is shutting down; start it again.",
  ledger_outcome_unknown: "The writer stopped half-way. Start stele again: it tells what was saved.",
  lease_lost: "Another process took over this conversation; nothing more was written here.",
  stale_head: "The conversation moved on elsewhere; reload it and try again.",
  request_differs: "`/recover resume ID --changed` goes on all the same; `/recover settle ID` ends the turn.",
  compression_closed: "The conversation continues in a newer session; open that one.",
  row_missing: "The row this refers to is gone; run: stele doctor",
  admission_conflict: "Use a new --request id for another prompt.",
  not_found: "See: stele sessions",
  illegal_edge: "This is a defect in stele; the ledger refused it and kept what it had.",
  bad_input: "Correct the value and try again.",
  ledger_internal: "This is a defect in stele; the ledger kept what it had.",
};

export class SteleError extends Error {
  readonly code: string;
  readonly hint: string;

  constructor(code: string, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = options.hint ?? "";
  }
}

/** Everything the ledger throws; `code` tells the bucket. */
export class LedgerError extends SteleError {
  declare readonly code: LedgerCode;

  constructor(code: LedgerCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(code, message, { hint: HINTS[code], ...options });
  }
}
export class BusyError extends LedgerError {}
export class DiskFullError extends LedgerError {}
export class IoError extends LedgerError {}
export class CorruptError extends LedgerError {}
/** Only the search index: transcript writes go on. */
export class IndexCorruptError extends LedgerError {}
/** Sticky: the handle writes nothing any more. */
export class ReplacedError extends LedgerError {}
/** Sticky: the handle writes nothing any more. */
export class LostWalError extends LedgerError {}
export class NewerError extends LedgerError {}
export class ForeignError extends LedgerError {}
export class UnreadableError extends LedgerError {}
export class ReadOnlyError extends LedgerError {}
export class ClosedError extends LedgerError {}
export class OutcomeUnknownError extends LedgerError {}
/** No retry; the turn stops. */
export class LeaseLostError extends LedgerError {}
export class StaleHeadError extends LedgerError {}
/** A turn that a crash cut off would go on with another request: a person decides. */
export class RequestDiffersError extends LedgerError {}
export class CompressionClosedError extends LedgerError {}
export class RowMissingError extends LedgerError {}
export class AdmissionConflictError extends LedgerError {}
export class NotFoundError extends LedgerError {}
export class IllegalEdgeError extends LedgerError {}
export class BadInputError extends LedgerError {}

const CLASSES: Partial<
  Record<LedgerCode, new (code: LedgerCode, message: string, options?: ErrorOptions) => LedgerError>
> = {
  ledger_busy: BusyError,
  ledger_disk_full: DiskFullError,
  ledger_io: IoError,
  ledger_corrupt: CorruptError,
  ledger_index_corrupt: IndexCorruptError,
  ledger_replaced: ReplacedError,
  ledger_lost_wal: LostWalError,
  ledger_newer: NewerError,
  ledger_foreign: ForeignError,
  ledger_unreadable: UnreadableError,
  ledger_read_only: ReadOnlyError,
  ledger_closed: ClosedError,
  ledger_outcome_unknown: OutcomeUnknownError,
  lease_lost: LeaseLostError,
  stale_head: StaleHeadError,
  request_differs: RequestDiffersError,
  compression_closed: CompressionClosedError,
  row_missing: RowMissingError,
  admission_conflict: AdmissionConflictError,
  not_found: NotFoundError,
  illegal_edge: IllegalEdgeError,
  bad_input: BadInputError,
};

/** The one way to make a ledger error: class follows code. */
export function ledgerError(code: LedgerCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
  const Class = CLASSES[code] ?? LedgerError;
  return new Class(code, message, options);
}

/** What crosses a thread; `reviveError` makes the same class again. */
export interface PlainError {
  readonly code: LedgerCode;
  readonly message: string;
  readonly hint: string;
  readonly stack?: string;
}

export function plainError(error: unknown): PlainError {
  const known = error instanceof LedgerError ? error : mapSqliteError(error);
  return { code: known.code, message: known.message, hint: known.hint, ...(known.stack && { stack: known.stack }) };
}

export function reviveError(plain: PlainError): LedgerError {
  const error = ledgerError(plain.code, plain.message, { hint: plain.hint });
  if (plain.stack) error.stack = plain.stack;
  return error;
}

/** Result code first, words never: SQLite's codes decide the bucket. */
export function mapSqliteError(error: unknown): LedgerError {
  if (error instanceof LedgerError) return error;
  const code = sqliteCode(error);
  const message = error instanceof Error ? error.message : String(error);
  return ledgerError(bucketOf(code, message), code ? `${message} (${code})` : message, { cause: error });
}

function bucketOf(code: string, message: string): LedgerCode {
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED") || code === "SQLITE_PROTOCOL")
    return "ledger_busy";
  if (code === "SQLITE_FULL") return "ledger_disk_full";
  if (code === "SQLITE_CORRUPT_VTAB") return "ledger_index_corrupt";
  if (code.startsWith("SQLITE_CORRUPT")) return "ledger_corrupt";
  // The header was checked before the first connection, so it is ours, and its first page is gone.
  if (code === "SQLITE_NOTADB") return "ledger_corrupt";
  if (code.startsWith("SQLITE_IOERR")) return "ledger_io";
  if (code.startsWith("SQLITE_READONLY") || code.startsWith("SQLITE_CANTOPEN") || code === "SQLITE_PERM")
    return "ledger_read_only";
  if (code === "SQLITE_CONSTRAINT_FOREIGNKEY") return "row_missing";
  if (code === "SQLITE_TOOBIG" || code === "SQLITE_CONSTRAINT_DATATYPE" || code === "SQLITE_CONSTRAINT_NOTNULL")
    return "bad_input";
  if (code.startsWith("SQLITE_CONSTRAINT")) return "illegal_edge";
  if (message.includes("database connection is not open")) return "ledger_closed";
  return "ledger_internal";
}

export function sqliteCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && code.startsWith("SQLITE_") ? code : "";
}
