// A compaction as a turn of its own, on a ledger of a test.
import { randomUUID } from "node:crypto";
import type { Compacted, NewSummary } from "../../src/ledger/compaction.ts";
import type { LeaseRef } from "../../src/ledger/leases.ts";
import type { SessionDB } from "../../src/ledger/session-db.ts";
import type { Message, Refusal, Session, TurnRef } from "../../src/ledger/types.ts";
import { acquire, envelope, prompt, ROUTE, requestId } from "./ledger.ts";

export interface StartedCompaction {
  readonly lease: LeaseRef;
  readonly turn: TurnRef;
  readonly attempt: string;
}

/** Admitted, claimed, and its lock taken. */
export function startCompaction(db: SessionDB, session: Session): StartedCompaction {
  const { lease, turn } = startCompactTurn(db, session);
  const attempt = randomUUID();
  const begun = db.beginCompaction(turn, { attempt, isAsked: true });
  if (begun.kind !== "began") throw new Error(`a compaction was skipped: ${begun.why}`);
  return { lease, turn, attempt };
}

export function startCompactTurn(db: SessionDB, session: Session): Omit<StartedCompaction, "attempt"> {
  db.admit({
    request: requestId(),
    kind: "compact",
    payload: { ...prompt(""), prompt: [] },
    target: { kind: "session", asked: session.id },
    session: session.id,
  });
  const lease = acquire(db, session);
  const claimed = db.claim(lease, { at: Date.now(), envelope: envelope(db) });
  if (claimed.kind !== "claimed") throw new Error(`claim says ${claimed.kind}`);
  return { lease, turn: claimed.turn };
}

export function newSummary(attempt: string, readUpTo: Message, more: Partial<NewSummary> = {}): NewSummary {
  return {
    attempt,
    text: "what was said before",
    readUpTo: readUpTo.id,
    folded: 2,
    before: 1_000,
    after: 100,
    isEffective: true,
    at: Date.now(),
    route: ROUTE,
    endsTurn: true,
    ...more,
  };
}

export function headMessage(db: SessionDB, session: Session): Message {
  const { head } = db.canonical(session.conversation);
  const message = head === undefined ? undefined : db.message(head);
  if (!message) throw new Error("the conversation is empty");
  return message;
}

/** From the first look to the release of the lease. */
export function tryCompact(db: SessionDB, session: Session, more: Partial<NewSummary> = {}): Compacted | Refusal {
  const { lease, turn, attempt } = startCompaction(db, session);
  const result = db.commitCompaction(turn, newSummary(attempt, headMessage(db, session), more));
  if (result.kind !== "compacted") {
    db.cancelCompaction({ conversation: session.conversation, attempt });
    db.settle(turn, { outcome: "rejected", at: Date.now() });
  }
  db.releaseLease(lease);
  return result;
}

export function compactNow(db: SessionDB, session: Session, more: Partial<NewSummary> = {}): Compacted {
  const result = tryCompact(db, session, more);
  if (result.kind !== "compacted") throw new Error(result.why);
  return result;
}
