// What the process says when it ends: scripts rely on these numbers. Front ends choose one for what a turn came to;
// errors are mapped here, once.
import type { LedgerCode } from "./ledger/errors.ts";

export const EXIT = {
  done: 0,
  turnFailed: 1,
  usage: 2,
  /** Somebody else holds the conversation or the file. */
  busy: 3,
  ledger: 4,
  /** An effect is `unknown`: only a person can say what happened. */
  needsPerson: 5,
  stopped: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Of an error's `code`. One that is neither wrong words nor the ledger's is a failed turn. */
export function exitCodeOf(errorCode: string): ExitCode {
  if (errorCode === "usage") return EXIT.usage;
  return isLedgerCode(errorCode) ? OF_LEDGER_CODE[errorCode] : EXIT.turnFailed;
}

function isLedgerCode(code: string): code is LedgerCode {
  return Object.hasOwn(OF_LEDGER_CODE, code);
}

const OF_LEDGER_CODE: Readonly<Record<LedgerCode, ExitCode>> = {
  admission_conflict: EXIT.usage,
  not_found: EXIT.usage,
  bad_input: EXIT.usage,
  compression_closed: EXIT.usage,
  ledger_busy: EXIT.busy,
  lease_lost: EXIT.busy,
  stale_head: EXIT.busy,
  request_differs: EXIT.needsPerson,
  ledger_disk_full: EXIT.ledger,
  ledger_io: EXIT.ledger,
  ledger_corrupt: EXIT.ledger,
  ledger_index_corrupt: EXIT.ledger,
  ledger_replaced: EXIT.ledger,
  ledger_lost_wal: EXIT.ledger,
  ledger_newer: EXIT.ledger,
  ledger_foreign: EXIT.ledger,
  ledger_unreadable: EXIT.ledger,
  ledger_read_only: EXIT.ledger,
  ledger_closed: EXIT.ledger,
  ledger_outcome_unknown: EXIT.ledger,
  ledger_internal: EXIT.ledger,
  row_missing: EXIT.ledger,
  illegal_edge: EXIT.ledger,
};
