// A conversation as records, in an order that an import can take as it comes: sessions, nodes with parents first, turns,
// calls, moves, heads, usage. A content goes right before the first record that names it. Holds ids, never contents.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import { ledgerError } from "../ledger/errors.ts";
import type { ExportedCall, ExportedNode, ExportedTurn, ExportPlan, NodeRef } from "../ledger/export-rows.ts";
import type { CallRecord, NodeRecord, TurnRecord } from "../ledger/transfer.ts";
import type { AdmissionId, Hash, MessageId, SessionId } from "../ledger/types.ts";
import type { Item } from "./export-format.ts";

export interface Work {
  readonly signal?: AbortSignal;
  readonly onProgress?: (line: string) => void;
}

const PAGE = 100;

export function exportItems(db: AsyncSessionDB, plan: ExportPlan, work: Work = {}): AsyncGenerator<Item> {
  return new Exporter(db, plan, work).items();
}

/** Throws where the person waits no longer. */
export function checkStopped({ signal }: Work): void {
  if (signal?.aborted) throw ledgerError("bad_input", "Stopped; nothing was written.");
}

class Exporter {
  readonly #db: AsyncSessionDB;
  readonly #plan: ExportPlan;
  readonly #work: Work;
  readonly #own: ReadonlySet<SessionId>;
  readonly #outside: ReadonlySet<MessageId>;
  readonly #turns = new Map<AdmissionId, number>();
  readonly #written = new Set<Hash>();
  #messages = 0;

  constructor(db: AsyncSessionDB, plan: ExportPlan, work: Work) {
    this.#db = db;
    this.#plan = plan;
    this.#work = work;
    this.#own = new Set(plan.own);
    this.#outside = new Set(plan.outside);
  }

  async *items(): AsyncGenerator<Item> {
    const { sessions, own } = this.#plan;
    for (const { head: _, fork: __, ...session } of sessions) yield session;
    yield* this.#outsideNodes();
    for (const session of own) yield* this.#nodesOf(session);
    yield* this.#turnRecords();
    yield* this.#calls();
    for (const session of own) yield* this.#moves(session);
    for (const { id, isWriter, head, fork } of sessions)
      if (!isWriter) yield { type: "head", session: id, ...(head && { head }), ...(fork && { fork }) };
    for (const session of own) yield* await this.#db.exportUsage(session);
  }

  async *#outsideNodes(): AsyncGenerator<Item> {
    const { outside } = this.#plan;
    for (let at = 0; at < outside.length; ) {
      const { nodes } = await this.#db.exportOutside(outside.slice(at, at + PAGE));
      if (nodes.length === 0) throw ledgerError("row_missing", "A message was deleted while it was exported.");
      yield* this.#page(nodes);
      at += nodes.length;
    }
  }

  async *#nodesOf(session: SessionId): AsyncGenerator<Item> {
    for (let after: MessageId | undefined = 0 as MessageId; after !== undefined; ) {
      const { nodes, next } = await this.#db.exportNodes({ session, after, high: this.#plan.high });
      yield* this.#page(nodes);
      after = next;
    }
  }

  async *#page(nodes: readonly ExportedNode[]): AsyncGenerator<Item> {
    checkStopped(this.#work);
    for (const { node, by, blobs } of nodes) {
      yield* this.#blobs(blobs);
      yield by === undefined ? node : withTurn(node, this.#numberOf(by));
    }
    this.#messages += nodes.length;
    this.#work.onProgress?.(`${this.#messages} of ${this.#plan.messages} messages`);
  }

  #numberOf(turn: AdmissionId): number {
    const known = this.#turns.get(turn) ?? this.#turns.size + 1;
    this.#turns.set(turn, known);
    return known;
  }

  async *#blobs(hashes: readonly Hash[]): AsyncGenerator<Item> {
    for (const hash of hashes) {
      if (this.#written.has(hash)) continue;
      this.#written.add(hash);
      yield { type: "blob", hash, bytes: await this.#db.blob(hash) };
    }
  }

  #isShown(ref: NodeRef | undefined): ref is NodeRef {
    if (!ref || ref.id > this.#plan.high) return false;
    return this.#own.has(ref.session) || this.#outside.has(ref.id);
  }

  async *#turnRecords(): AsyncGenerator<Item> {
    for (const seqs of pages([...this.#turns.keys()])) {
      checkStopped(this.#work);
      for (const each of await this.#db.exportTurns(seqs)) yield this.#turnRecord(each);
    }
  }

  #turnRecord({ turn, seq, user, last }: ExportedTurn): TurnRecord {
    const n = this.#numberOf(seq);
    const ends = { ...(this.#isShown(user) && { user: user.hash }), ...(this.#isShown(last) && { last: last.hash }) };
    if (turn.outcome !== "completed" || "last" in ends) return { ...turn, n, ...ends };
    // Its end came later, or is not on the way to this conversation.
    return { ...turn, n, outcome: "interrupted", ...ends };
  }

  async *#calls(): AsyncGenerator<Item> {
    for (const seqs of pages([...this.#turns.keys()], 10)) {
      checkStopped(this.#work);
      for (const each of await this.#db.exportCalls(seqs)) {
        const record = this.#callRecord(each);
        if (!record) continue;
        yield* this.#blobs(each.blobs);
        yield record;
      }
    }
  }

  #callRecord({ call, by, asking, result }: ExportedCall): CallRecord | undefined {
    if (!this.#isShown(asking)) return undefined;
    const shown = { ...call, message: asking.hash, by: this.#numberOf(by) };
    if (this.#isShown(result)) return { ...shown, result: result.hash };
    if (!result) return shown;
    const { finishedAt: _, ...open } = shown;
    return { ...open, state: call.attempts > 0 ? "running" : "proposed" };
  }

  async *#moves(session: SessionId): AsyncGenerator<Item> {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const { moves, next } = await this.#db.exportMoves({ session, after });
      for (const { move, from, to } of moves) {
        if ((from && !this.#isShown(from)) || (to && !this.#isShown(to))) continue;
        yield { ...move, ...(from && { from: from.hash }), ...(to && { to: to.hash }) };
      }
      after = next;
    }
  }
}

/** Keys in one order, so that equal conversations are equal files. */
function withTurn({ parts, ...node }: Omit<NodeRecord, "by">, by: number): NodeRecord {
  return { ...node, by, parts };
}

function* pages<T>(list: readonly T[], size = PAGE): Generator<readonly T[]> {
  for (let at = 0; at < list.length; at += size) yield list.slice(at, at + size);
}
