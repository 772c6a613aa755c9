import { describe, expect, it } from "vitest";
import * as errors from "../../../src/ledger/errors.ts";
import {
  type LedgerCode,
  LedgerError,
  ledgerError,
  mapSqliteError,
  plainError,
  reviveError,
} from "../../../src/ledger/errors.ts";

const CLASS_OF: { readonly [code in LedgerCode]: new (...args: never[]) => LedgerError } = {
  ledger_busy: errors.BusyError,
  ledger_disk_full: errors.DiskFullError,
  ledger_io: errors.IoError,
  ledger_corrupt: errors.CorruptError,
  ledger_index_corrupt: errors.IndexCorruptError,
  ledger_replaced: errors.ReplacedError,
  ledger_lost_wal: errors.LostWalError,
  ledger_newer: errors.NewerError,
  ledger_foreign: errors.ForeignError,
  ledger_unreadable: errors.UnreadableError,
  ledger_read_only: errors.ReadOnlyError,
  ledger_closed: errors.ClosedError,
  ledger_outcome_unknown: errors.OutcomeUnknownError,
  lease_lost: errors.LeaseLostError,
  stale_head: errors.StaleHeadError,
  request_differs: errors.RequestDiffersError,
  compression_closed: errors.CompressionClosedError,
  row_missing: errors.RowMissingError,
  admission_conflict: errors.AdmissionConflictError,
  not_found: errors.NotFoundError,
  illegal_edge: errors.IllegalEdgeError,
  bad_input: errors.BadInputError,
  ledger_internal: LedgerError,
};

function sqlite(code: string, message = "words"): Error {
  return Object.assign(new Error(message), { code });
}

describe("a ledger error", () => {
  for (const [code, Class] of Object.entries(CLASS_OF) as [LedgerCode, (typeof CLASS_OF)[LedgerCode]][])
    it(`with code ${code} has its class and an advice, and keeps both on the way out of a thread`, () => {
      const error = ledgerError(code, "what happened", { cause: new Error("why") });
      expect(error.constructor).toBe(Class);
      expect(error).toMatchObject({ code, message: "what happened", name: Class.name });
      expect(error.hint).toMatch(/\w{3}/);
      const plain = plainError(error);
      expect(structuredClone(plain)).toEqual(plain);
      const revived = reviveError(structuredClone(plain));
      expect(revived.constructor).toBe(Class);
      expect(revived).toMatchObject({ code, message: "what happened", hint: error.hint, stack: error.stack });
    });

  it("of two causes never shares its advice, but for defects", () => {
    const hints = (Object.keys(CLASS_OF) as LedgerCode[]).map((code) => ledgerError(code, "x").hint);
    expect(new Set(hints).size).toBe(hints.length);
  });

  it("keeps an advice of its own across the thread", () => {
    const own = ledgerError("not_found", "x", { hint: "look there" });
    expect(reviveError(plainError(own)).hint).toBe("look there");
  });
});

describe("what SQLite says", () => {
  const TABLE: readonly (readonly [string, LedgerCode])[] = [
    ["SQLITE_BUSY", "ledger_busy"],
    ["SQLITE_BUSY_SNAPSHOT", "ledger_busy"],
    ["SQLITE_BUSY_RECOVERY", "ledger_busy"],
    ["SQLITE_LOCKED", "ledger_busy"],
    ["SQLITE_LOCKED_SHAREDCACHE", "ledger_busy"],
    ["SQLITE_PROTOCOL", "ledger_busy"],
    ["SQLITE_FULL", "ledger_disk_full"],
    ["SQLITE_IOERR", "ledger_io"],
    ["SQLITE_IOERR_FSYNC", "ledger_io"],
    ["SQLITE_IOERR_SHORT_READ", "ledger_io"],
    ["SQLITE_CORRUPT", "ledger_corrupt"],
    ["SQLITE_CORRUPT_INDEX", "ledger_corrupt"],
    ["SQLITE_CORRUPT_VTAB", "ledger_index_corrupt"],
    ["SQLITE_NOTADB", "ledger_corrupt"],
    ["SQLITE_READONLY", "ledger_read_only"],
    ["SQLITE_READONLY_DIRECTORY", "ledger_read_only"],
    ["SQLITE_CANTOPEN", "ledger_read_only"],
    ["SQLITE_CANTOPEN_ISDIR", "ledger_read_only"],
    ["SQLITE_PERM", "ledger_read_only"],
    ["SQLITE_CONSTRAINT_FOREIGNKEY", "row_missing"],
    ["SQLITE_CONSTRAINT_TRIGGER", "illegal_edge"],
    ["SQLITE_CONSTRAINT_CHECK", "illegal_edge"],
    ["SQLITE_CONSTRAINT_UNIQUE", "illegal_edge"],
    ["SQLITE_CONSTRAINT_PRIMARYKEY", "illegal_edge"],
    ["SQLITE_CONSTRAINT_DATATYPE", "bad_input"],
    ["SQLITE_CONSTRAINT_NOTNULL", "bad_input"],
    ["SQLITE_TOOBIG", "bad_input"],
    ["SQLITE_NOMEM", "ledger_internal"],
    ["SQLITE_ERROR", "ledger_internal"],
  ];
  for (const [code, wanted] of TABLE)
    it(`with ${code} is ${wanted}, whatever its words are`, () => {
      const cause = sqlite(code, "database disk image is malformed, locked and full");
      const mapped = mapSqliteError(cause);
      expect(mapped.code).toBe(wanted);
      expect(mapped.cause).toBe(cause);
      expect(mapped.message).toContain(code);
      expect(plainError(cause)).toMatchObject({ code: wanted, hint: mapped.hint });
    });

  it("is left alone when it is a ledger error already", () => {
    const error = ledgerError("stale_head", "x");
    expect(mapSqliteError(error)).toBe(error);
  });

  it("is internal when it is no error of SQLite, and nothing is lost of it", () => {
    const cause = new TypeError("x is not a function");
    expect(mapSqliteError(cause)).toMatchObject({ code: "ledger_internal", message: "x is not a function", cause });
    expect(mapSqliteError("words").message).toBe("words");
    expect(mapSqliteError(undefined).code).toBe("ledger_internal");
    expect(mapSqliteError(Object.assign(new Error("x"), { code: "ENOENT" })).code).toBe("ledger_internal");
  });
});
