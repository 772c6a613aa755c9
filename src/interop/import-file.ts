// Imports export files: all are checked before anything is written, then each is read again and added in small steps that
// show nothing until the last. What goes wrong or is stopped on the way leaves nothing behind.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import { ledgerError } from "../ledger/errors.ts";
import type { ImportBegun, ImportRow } from "../ledger/import-rows.ts";
import type { CallRecord, SessionRecord } from "../ledger/transfer.ts";
import type { ConversationId, Refusal, SessionId } from "../ledger/types.ts";
import { checkFile } from "./check-file.ts";
import { newToken } from "./export-format.ts";
import { checkStopped, type Work } from "./export-records.ts";
import { type ImportPlan, planImport } from "./import-plan.ts";
import { BadFile, type Reading } from "./read-lines.ts";
import { type ReadRecord, readRecords } from "./read-records.ts";

export interface ImportedFile {
  readonly file: string;
  readonly kind: ImportPlan["kind"];
  readonly session: SessionId;
  readonly title?: string;
  readonly messages: number;
  /** Contents of files, images and outputs in it. */
  readonly contents: number;
  /** Calls that had no end. */
  readonly closedCalls: number;
  readonly branches: readonly SessionId[];
}

export type ImportResult = { readonly kind: "done"; readonly files: readonly ImportedFile[] } | Refusal;

/** Throws `BadFile`, before anything is written. */
export async function importFiles(
  db: AsyncSessionDB,
  files: readonly string[],
  work: Work & { readonly dryRun: boolean },
): Promise<ImportResult> {
  while (!(await db.purgeStep()));
  const checked = [];
  for (const file of files) {
    work.onProgress?.(`checking ${file}`);
    checked.push(await checkFile(file, work));
  }
  const done: ImportedFile[] = [];
  for (const each of checked) {
    const plan = await planImport(db, each);
    const isWritten = plan.kind !== "here" && !work.dryRun;
    const branches = isWritten ? await new Importer(db, plan, work).run() : [];
    if (!Array.isArray(branches)) return branches as Refusal;
    done.push(reported(plan, branches as readonly SessionId[]));
  }
  return { kind: "done", files: done };
}

function reported(
  { checked, kind, session, messages, closed }: ImportPlan,
  branches: readonly SessionId[],
): ImportedFile {
  return {
    file: checked.file,
    kind,
    session: session.id,
    ...(session.title !== undefined && { title: session.title }),
    messages: kind === "here" ? 0 : messages,
    contents: kind === "here" ? 0 : checked.contents,
    closedCalls: kind === "here" ? 0 : closed.length,
    branches,
  };
}

/** Nodes are not there yet. */
function withoutHead(session: SessionRecord): SessionRecord {
  const { head: _, fork: __, ...rest } = session;
  return rest;
}

const ROWS = 100;
const BYTES = 2_000_000;

class Importer {
  readonly #db: AsyncSessionDB;
  readonly #plan: ImportPlan;
  readonly #work: Work;
  readonly #token = newToken();
  readonly #conversations: ReadonlyMap<SessionId, ConversationId>;
  #rows: ImportRow[] = [];
  #bytes = 0;
  #written = 0;

  constructor(db: AsyncSessionDB, plan: ImportPlan, work: Work) {
    this.#db = db;
    this.#plan = plan;
    this.#work = work;
    this.#conversations = new Map(plan.checked.sessions.map(({ id, conversation }) => [id, conversation]));
  }

  async run(): Promise<readonly SessionId[] | Refusal> {
    const { sessions, turns } = this.#plan.checked;
    const asked = turns.map(({ session, ...turn }) => ({ conversation: this.#conversationOf(session), ...turn }));
    const bare = sessions.map(withoutHead);
    const begun = await this.#db.beginImport({ token: this.#token, sessions: bare, turns: asked });
    if (begun.kind !== "begun") return begun;
    try {
      await this.#addAll(begun);
      return await this.#end(begun);
    } catch (error) {
      await this.#db.abandonImport(this.#token);
      while (!(await this.#db.purgeStep()));
      throw error;
    }
  }

  async #addAll(begun: ImportBegun): Promise<void> {
    const { checked, closed } = this.#plan;
    const reading: Reading = { ...(this.#work.signal && { signal: this.#work.signal }) };
    let hasClosed = false;
    for await (const read of readRecords(checked.file, reading)) {
      if (!hasClosed && read.record.type !== "session" && read.record.type !== "message") {
        hasClosed = true;
        for (const { node } of closed)
          await this.#add({ kind: "message", record: node, blobs: [], ...this.#placed(node, begun) });
      }
      const row = this.#rowOf(read, begun);
      if (row) await this.#add(row, read.blobs);
    }
    await this.#flush();
    if (reading.digest !== checked.digest) throw new BadFile(checked.file, "", "it changed while it was read.");
  }

  #placed({ hash, by }: { hash: Parameters<ImportPlan["isLive"]>[0]; by?: number }, begun: ImportBegun) {
    const seq = by === undefined ? undefined : begun.turns[by - 1]?.seq;
    return { isLive: this.#plan.isLive(hash), ...(seq !== undefined && { seq }) };
  }

  #rowOf({ record, blobs }: ReadRecord, begun: ImportBegun): ImportRow | undefined {
    switch (record.type) {
      case "message":
        return this.#plan.isNew(record.hash)
          ? { kind: "message", record, blobs, ...this.#placed(record, begun) }
          : undefined;
      case "turn": {
        const turn = begun.turns[record.n - 1];
        const origin = this.#conversationOf(record.session);
        if (!turn || turn.isHere) return undefined;
        return { kind: "turn", record, seq: turn.seq, origin, conversation: this.#countedIn(origin, begun) };
      }
      case "call": {
        const seq = begun.turns[record.by - 1]?.seq;
        const call = record.result === undefined ? this.#closedCall(record) : record;
        return seq === undefined || !call ? undefined : { kind: "call", record: call, seq, blobs };
      }
      case "move":
        return this.#plan.kind === "imported" ? { kind: "move", record } : undefined;
      default:
        return undefined;
    }
  }

  /** Without one: the conversation is here, and knows better how it ended. */
  #closedCall({ message, call, changes }: CallRecord): CallRecord | undefined {
    const closed = this.#plan.closed.find((each) => each.call.message === message && each.call.call === call);
    return closed && { ...closed.call, changes };
  }

  #conversationOf(id: SessionId): ConversationId {
    return this.#conversations.get(id) ?? this.#plan.conversation;
  }

  /** A turn of a conversation that goes on here must not stand beside the one that may run in it. */
  #countedIn(origin: ConversationId, begun: ImportBegun): ConversationId {
    const { here, kind, conversation } = this.#plan;
    if (!here.has(origin as string as SessionId)) return origin;
    return kind === "added" ? (begun.branch as string as ConversationId) : conversation;
  }

  async #add(row: ImportRow, blobs: ReadRecord["blobs"] = []): Promise<void> {
    this.#rows.push(row);
    this.#bytes += blobs.reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (row.kind === "message") this.#bytes += row.record.parts.length;
    if (row.kind === "message") this.#written += 1;
    if (this.#rows.length >= ROWS || this.#bytes > BYTES) await this.#flush();
  }

  async #flush(): Promise<void> {
    checkStopped(this.#work);
    if (this.#rows.length > 0) await this.#db.importStep(this.#token, this.#rows);
    this.#rows = [];
    this.#bytes = 0;
    this.#work.onProgress?.(`${this.#written} of ${this.#plan.messages} messages`);
  }

  async #end({ branch }: ImportBegun): Promise<readonly SessionId[]> {
    const { checked, kind, session, here, raise, tips } = this.#plan;
    const staged = checked.sessions.filter(({ id }) => !here.has(id));
    const own = checked.sessions.find(({ id, isWriter }) => !isWriter && here.has(id));
    const isAdded = kind === "added";
    const sessions = staged.map((each) =>
      isAdded ? { ...each, isWriter: true as const } : each.id === session.id ? session : each,
    );
    if (isAdded && !own) throw ledgerError("ledger_internal", "A conversation is here without a session.");
    const { branches } = await this.#db.endImport({
      ...{ token: this.#token, sessions, raise },
      usage: isAdded ? [] : checked.usage,
      ...(own && isAdded && { tips: { of: own.id, branch, hashes: tips } }),
    });
    return branches;
  }
}
