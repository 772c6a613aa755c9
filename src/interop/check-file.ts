// Whether an export file holds together, before anything of it is written: every name leads somewhere, every hash is that
// of its content, every rule of the ledger that no single record shows is kept. Holds ids and hashes of all nodes, no texts.
import { messageHash } from "../ledger/ids.ts";
import type {
  CallRecord,
  HeadRecord,
  MoveRecord,
  NodeRecord,
  SessionRecord,
  TurnRecord,
  UsageRecord,
} from "../ledger/transfer.ts";
import type { Hash, Part, SessionId } from "../ledger/types.ts";
import { LIMITS } from "./export-format.ts";
import { BadFile, type Reading } from "./read-lines.ts";
import { type ReadRecord, readRecords } from "./read-records.ts";

export interface KnownNode {
  readonly parent?: Hash;
  readonly session: SessionId;
  readonly role: NodeRecord["role"];
  readonly at: number;
  readonly turn: number;
  readonly by?: number;
}

export interface CheckedFile {
  readonly file: string;
  readonly digest: string;
  readonly redacted: boolean;
  /** Ancestors first; heads and forks filled in. */
  readonly sessions: readonly SessionRecord[];
  readonly nodes: ReadonlyMap<Hash, KnownNode>;
  readonly turns: readonly (Pick<TurnRecord, "session" | "request"> & { readonly node?: Hash })[];
  /** Without an end, in their order. */
  readonly open: readonly CallRecord[];
  readonly usage: readonly UsageRecord[];
  readonly contents: number;
}

/** Throws `BadFile`. */
export async function checkFile(file: string, work: Pick<Reading, "signal"> = {}): Promise<CheckedFile> {
  const reading: Reading = { ...work };
  const check = new Check(file);
  let read = 0;
  for await (const record of readRecords(file, reading)) {
    check.take(record);
    read += 1;
    // Hashing is quick, but a keystroke must not wait for a whole file.
    if (read % 50 === 0) await new Promise(setImmediate);
  }
  return { ...check.end(), digest: reading.digest ?? "", redacted: reading.redacted ?? false };
}

const ORDER = ["session", "message", "turn", "call", "move", "head", "usage", "end"];

class Check {
  readonly #file: string;
  readonly #sessions = new Map<SessionId, SessionRecord>();
  readonly #nodes = new Map<Hash, KnownNode>();
  /** The first node of each session. */
  readonly #begins = new Map<SessionId, KnownNode>();
  readonly #turns: TurnRecord[] = [];
  /** The first node of each. */
  readonly #turnNodes = new Map<number, Hash>();
  readonly #calls: CallRecord[] = [];
  readonly #results = new Set<Hash>();
  readonly #callNames = new Set<string>();
  readonly #heads = new Map<SessionId, HeadRecord>();
  readonly #usage = new Map<string, UsageRecord>();
  readonly #blobs = new Set<Hash>();
  #rank = 0;
  #records = 0;
  #isEnded = false;
  #where = "";

  constructor(file: string) {
    this.#file = file;
  }

  take({ where, record, blobs }: ReadRecord): void {
    this.#where = where;
    if (this.#isEnded) this.#fail("something stands behind the end");
    const rank = ORDER.indexOf(record.type);
    if (rank < this.#rank) this.#fail(`a ${record.type} stands behind a ${ORDER[this.#rank]}`);
    this.#rank = rank;
    const named = new Set(namedBlobs(record));
    for (const { hash } of blobs) {
      if (!named.has(hash)) this.#fail(`the content ${hash} before it is needed by nothing`);
      if (this.#blobs.has(hash)) this.#fail(`the content ${hash} is there twice`);
      this.#blobs.add(hash);
    }
    for (const hash of named) if (!this.#blobs.has(hash)) this.#fail(`the content ${hash} is missing`);
    if (record.type !== "end") this.#records += 1;
    this.#takeRecord(record);
  }

  #takeRecord(record: ReadRecord["record"]): void {
    switch (record.type) {
      case "session":
        return this.#session(record);
      case "message":
        return this.#node(record);
      case "turn":
        return this.#turn(record);
      case "call":
        return this.#call(record);
      case "move":
        return this.#move(record);
      case "head":
        return this.#head(record);
      case "usage":
        return this.#usageRow(record);
      case "end":
        this.#isEnded = true;
        if (record.records !== this.#records)
          this.#fail(`it says ${record.records} records, there are ${this.#records}`);
    }
  }

  #session(session: SessionRecord): void {
    const { id, parent, edge, conversation, generation, endedAt } = session;
    if (this.#sessions.has(id)) this.#fail(`session ${id} is there twice`);
    if (this.#sessions.size >= LIMITS.sessions) this.#fail(`more than ${LIMITS.sessions} sessions`);
    if ((parent === undefined) !== (edge === undefined)) this.#fail("a session has a parent and an edge, or neither");
    if (parent !== undefined && !this.#sessions.has(parent)) this.#fail(`the parent ${parent} is not there before it`);
    if (((conversation as string) === id) !== (generation === 0))
      this.#fail("the first session of a conversation gives it its id");
    const before = parent === undefined ? undefined : this.#sessions.get(parent);
    const goesOn = before?.conversation === conversation && before.generation === generation - 1;
    if ((generation > 0 || edge === "compression") && !(edge === "compression" && goesOn))
      this.#fail(`generation ${generation} of ${conversation} does not follow the one before it`);
    if ((session.title === undefined) !== (session.titleSource === undefined))
      this.#fail("a title has a source, and no source is without one");
    if (endedAt !== undefined && session.isWriter) this.#fail("an ancestor has no end here");
    this.#sessions.set(id, session);
  }

  #node(record: NodeRecord): void {
    const { hash, parent, session, role, at, turn, by, parts } = record;
    if (this.#nodes.has(hash)) this.#fail(`message ${hash} is there twice`);
    if (this.#nodes.size >= LIMITS.messages)
      this.#fail(`more than ${LIMITS.messages} messages, the most a file may have`);
    if (!this.#sessions.has(session)) this.#fail(`its session ${session} is not there`);
    const above = parent === undefined ? undefined : this.#nodes.get(parent);
    if (parent !== undefined && !above) this.#fail(`its parent ${parent} is not there before it`);
    const begins = turn - (above?.turn ?? 0);
    if (begins !== 0 && begins !== 1) this.#fail(`turn ${turn} does not follow turn ${above?.turn ?? 0}`);
    if (at <= (above?.at ?? -1)) this.#fail("it is not younger than its parent");
    if (by === 0) this.#fail("turns are counted from 1");
    if (messageHash({ parentHash: parent, session, role, at, parts }) !== hash)
      this.#fail(`message ${hash} is not what its hash says: it was changed after it was exported`);
    for (const part of JSON.parse(parts) as readonly Part[]) {
      if (part.kind !== "summary" || part.keptFrom === undefined) continue;
      const kept = this.#nodes.get(part.keptFrom as unknown as Hash);
      if (kept?.role !== "user" || role !== "summary" || !this.#isAbove(part.keptFrom as unknown as Hash, parent))
        this.#fail(`it keeps from ${part.keptFrom}, which is no prompt above it`);
    }
    const known = { ...(parent && { parent }), session, role, at, turn, ...(by !== undefined && { by }) };
    this.#nodes.set(hash, known);
    if (!this.#begins.has(session)) this.#begins.set(session, known);
    if (by !== undefined && !this.#turnNodes.has(by)) this.#turnNodes.set(by, hash);
  }

  /** The way there costs what is between them. */
  #isAbove(wanted: Hash, from: Hash | undefined): boolean {
    for (let node = from; node !== undefined; node = this.#nodes.get(node)?.parent) if (node === wanted) return true;
    return false;
  }

  #turn(turn: TurnRecord): void {
    const { n, kind, user, last, session, outcome, payload } = turn;
    if (n !== this.#turns.length + 1) this.#fail(`turn ${n} stands where turn ${this.#turns.length + 1} is due`);
    if (!this.#sessions.has(session)) this.#fail(`its session ${session} is not there`);
    if (turn.request.length > 1024) this.#fail("its request has more than 1024 characters");
    if ((kind === "shell") !== (payload.prompt[1]?.kind === "shell"))
      this.#fail("a shell turn has a command, and no other");
    if (user === undefined ? kind !== "compact" && outcome !== "cancelled" : this.#nodes.get(user)?.role !== "user")
      this.#fail("the message it began with is not there");
    if (last !== undefined && !this.#nodes.has(last)) this.#fail(`its last message ${last} is not there`);
    const ends = kind === "shell" ? "tool" : kind === "compact" ? "summary" : "assistant";
    if (outcome === "completed" && (last === undefined || this.#nodes.get(last)?.role !== ends))
      this.#fail(`a completed ${kind} ends in a message of kind ${ends}`);
    this.#turns.push(turn);
  }

  #call(call: CallRecord): void {
    const { message, by, call: id, result, state, changes } = call;
    const asking = this.#nodes.get(message);
    const turn = this.#turns[by - 1];
    const isTyped = turn?.kind === "shell";
    if (!asking || !turn || asking.by !== by)
      this.#fail("the message that asked for it is not there, or of another turn");
    if (isTyped ? turn.user !== message || this.#callNames.has(`shell ${by}`) : asking.role !== "assistant")
      this.#fail("a model asks in its answer, a person once, in the message of a shell turn");
    if (isTyped) this.#callNames.add(`shell ${by}`);
    if (this.#callNames.has(`${message} ${id}`)) this.#fail(`call ${id} of that message is there twice`);
    this.#callNames.add(`${message} ${id}`);
    const isOpen = state === "proposed" || state === "approved" || state === "running";
    if (isOpen && result !== undefined) this.#fail(`a ${state} call has no result yet`);
    if (!isOpen && state !== "unknown" && result === undefined) this.#fail(`a ${state} call has a result`);
    if (state === "unknown" && call.attempts === 0) this.#fail("a call that was never started is not unknown");
    if (result !== undefined) {
      if (this.#nodes.get(result)?.role !== "tool") this.#fail(`its result ${result} is not there`);
      if (this.#results.has(result)) this.#fail(`message ${result} answers two calls`);
      this.#results.add(result);
    }
    for (const { before, after, restorable } of changes) {
      if (!before && !after) this.#fail("a changed file is there neither before nor after");
      if (restorable && [before, after].some((side) => side && !side.kept))
        this.#fail("a restorable file lacks its content");
    }
    this.#calls.push({ ...call, ...(isOpen || result === undefined ? {} : { input: null }), changes: [] });
  }

  #own(id: SessionId): SessionRecord {
    const session = this.#sessions.get(id);
    if (!session || session.isWriter) return this.#fail(`session ${id} is not part of the conversation`);
    return session;
  }

  #move({ session, from, to, kind, redoable, redoneAt }: MoveRecord): void {
    this.#own(session);
    for (const hash of [from, to])
      if (hash !== undefined && !this.#nodes.has(hash)) this.#fail(`message ${hash} is not there`);
    if (redoable && (kind !== "undo" || redoneAt !== undefined)) this.#fail("only an undo that was not redone can be");
  }

  #head(head: HeadRecord): void {
    this.#own(head.session);
    if (this.#heads.has(head.session)) this.#fail(`session ${head.session} has two heads`);
    for (const hash of [head.head, head.fork])
      if (hash !== undefined && !this.#nodes.has(hash)) this.#fail(`message ${hash} is not there`);
    this.#heads.set(head.session, head);
  }

  #usageRow(row: UsageRecord): void {
    this.#own(row.session);
    const key = [row.session, row.provider, row.model, row.task, row.day].join("\n");
    if (this.#usage.has(key)) this.#fail("the same usage is there twice");
    this.#usage.set(key, row);
  }

  end(): Omit<CheckedFile, "digest" | "redacted"> {
    this.#where = "the end";
    if (!this.#isEnded) this.#fail("it was cut off: the end is missing");
    const sessions = [...this.#sessions.values()].map((session) => {
      const { head, fork } = this.#heads.get(session.id) ?? {};
      return { ...session, ...(head && { head }), ...(fork && { fork }) };
    });
    const own = sessions.filter((session) => !session.isWriter);
    this.#checkGenerations(own);
    let most = 0;
    for (const { by = 0 } of this.#nodes.values()) most = Math.max(most, by);
    if (most > this.#turns.length) this.#fail(`turn ${most} is missing`);
    const open = this.#calls.filter(({ result }) => result === undefined);
    for (const { head } of own) if (head !== undefined) this.#checkCalls(head, new Set(open));
    return {
      ...{ file: this.#file, sessions, nodes: this.#nodes, open },
      turns: this.#turns.map(({ session, request, n }) => {
        const node = this.#turnNodes.get(n);
        return { session, request, ...(node && { node }) };
      }),
      usage: [...this.#usage.values()],
      contents: this.#blobs.size,
    };
  }

  #checkGenerations(own: readonly SessionRecord[]): void {
    const [first] = own;
    if (!first) return this.#fail("there is no conversation in it");
    for (const [at, session] of own.entries()) {
      if (session.conversation !== first.conversation || session.generation !== at)
        this.#fail(`session ${session.id} is not generation ${at} of ${first.conversation}`);
      if ((session.endedAt === undefined) !== (at === own.length - 1))
        this.#fail("each generation but the last is ended by a compaction");
      const begin = this.#begins.get(session.id);
      if (at > 0 && (begin?.role !== "summary" || begin.parent !== own[at - 1]?.head))
        this.#fail(`session ${session.id} does not begin with a summary of the one before it`);
    }
  }

  /** Calls and results never cross the beginning of a turn; what is open stands in the last turn, and is ended there. */
  #checkCalls(head: Hash, open: ReadonlySet<CallRecord>): void {
    const path = new Set<Hash>();
    for (let node: Hash | undefined = head; node !== undefined; node = this.#nodes.get(node)?.parent) path.add(node);
    const lastTurn = this.#nodes.get(head)?.turn;
    for (const call of this.#calls) {
      if (!path.has(call.message)) continue;
      if (
        call.result !== undefined
          ? !path.has(call.result)
          : !open.has(call) || this.#nodes.get(call.message)?.turn !== lastTurn
      )
        this.#fail(`call ${call.call} of message ${call.message} has no result on the way to its end`);
    }
  }

  #fail(what: string): never {
    throw new BadFile(this.#file, this.#where, `${what}.`);
  }
}

function namedBlobs(record: ReadRecord["record"]): Hash[] {
  if (record.type === "message") {
    return (JSON.parse(record.parts) as readonly Part[]).flatMap((part) => {
      if (part.kind === "file") return [part.blob];
      return part.kind === "tool-result" && part.outcome.blob ? [part.outcome.blob] : [];
    });
  }
  if (record.type !== "call") return [];
  const sides = record.changes.flatMap(({ before, after }) => [before, after]);
  return sides.flatMap((side) => (side?.kept ? [side.hash] : []));
}
