// class SessionDB: the verbs of the ledger. Each write verb is one transaction; each refusal is a value.
// Synchronous and blocking: the program runs it in a worker thread (`async-session-db.ts`), tests directly.
import * as admissions from "./admissions.ts";
import { toAdmission } from "./admissions-table.ts";
import { unpackBlob } from "./blobs.ts";
import * as branches from "./branch-tree.ts";
import * as compaction from "./compaction.ts";
import * as locks from "./compaction-locks.ts";
import * as deleting from "./delete-preview.ts";
import * as drafts from "./drafts.ts";
import { type LedgerError, ledgerError, mapSqliteError, sqliteCode } from "./errors.ts";
import * as exporting from "./export-rows.ts";
import * as files from "./file-changes.ts";
import { toChange, toRevert } from "./file-changes-table.ts";
import { statOf } from "./file-header.ts";
import * as finding from "./find-sessions.ts";
import { FreshRows } from "./fresh-rows.ts";
import { goTo, type Went } from "./go-to.ts";
import { currentProcess } from "./identity.ts";
import { endImport, type ImportEnd, type Imported } from "./import-end.ts";
import { buryImports, importsOf, orphanImports } from "./import-marks.ts";
import * as importing from "./import-rows.ts";
import { type LateProof, storeLateEvidence } from "./late-evidence.ts";
import * as leases from "./leases.ts";
import { toLease } from "./leases-table.ts";
import * as loops from "./loops.ts";
import { toMessage } from "./messages.ts";
import { askModel, failRequest } from "./model-requests.ts";
import * as titles from "./model-title.ts";
import { closeAsItIs, highOf, type OpenedFile, type OpenOptions, openFile } from "./open.ts";
import { type PathDiff, type PathEnds, pathDiff } from "./path-diff.ts";
import * as lists from "./path-lists.ts";
import * as purge from "./purge.ts";
import * as queue from "./queue.ts";
import { FTS_STORAGE_VERSION, SCHEMA_VERSION } from "./schema.ts";
import { indexBatch, searchLag } from "./search.ts";
import { type SearchResult, type SearchWish, searchMessages } from "./search-messages.ts";
import type { ProjectGroup } from "./session-groups.ts";
import type { SessionFilter } from "./session-list.ts";
import * as sessions from "./sessions.ts";
import { toSession } from "./sessions-table.ts";
import { endBelow, type Sibling, siblingsOf } from "./siblings.ts";
import * as terminals from "./terminals.ts";
import * as calls from "./tool-calls.ts";
import { toCall } from "./tool-calls-table.ts";
import { type Queries, Transactions } from "./transaction.ts";
import type { UsageRecord } from "./transfer.ts";
import * as tree from "./tree.ts";
import * as turns from "./turns.ts";
import type {
  Admission,
  AdmissionId,
  CallId,
  ConversationId,
  Draft,
  Envelope,
  FileChange,
  FileRevert,
  FileRevertId,
  Hash,
  HeadMoveId,
  HolderId,
  Lease,
  Loop,
  LoopId,
  LoopPlan,
  LoopTick,
  Message,
  MessageId,
  ModelRoute,
  Payload,
  ProcessIdentity,
  Refusal,
  RequestId,
  Session,
  SessionId,
  TitleSource,
  ToolCall,
  TurnRef,
  UnsentBeginning,
} from "./types.ts";
import {
  type ModelUsage,
  type SpentBy,
  spentBy,
  turnTime,
  type UsageRow,
  type UsageWish,
  usageOfConversation,
  usageRows,
} from "./usage.ts";
import { type Violation, verifyLedger } from "./verify.ts";

export interface SessionDBOptions extends OpenOptions {
  readonly program?: string;
  readonly process?: ProcessIdentity;
  readonly sleep?: (ms: number) => void;
  readonly random?: () => number;
  readonly patienceMs?: number;
  readonly probe?: leases.Probe;
}

export interface LedgerInfo {
  readonly file: string;
  /** Hard links beside this name of it. */
  readonly otherNames: number;
  readonly bytes: number;
  readonly isNew: boolean;
  readonly schema: number;
  readonly searchLayout: number;
  readonly journal: "wal" | "delete";
  readonly journalReason?: string;
  readonly ledgerId: string;
  readonly generation: number;
  readonly findings: readonly string[];
  readonly sessions: number;
}

export interface LedgerStats {
  readonly bytes: number;
  readonly walBytes: number;
  readonly pages: number;
  readonly freePages: number;
  readonly journalMode: string;
  readonly synchronous: string;
  readonly sqlite: string;
  readonly counts: { readonly sessions: number; readonly messages: number; readonly admissions: number };
  readonly leases: readonly Lease[];
}

/** A window of a path, oldest first; `earlier` counts what lies before it. */
export interface PathWindow {
  readonly messages: readonly Message[];
  readonly earlier: number;
}

/** Of prompts, for the up key and the search: pasted ones may have megabytes each. */
const HISTORY_CHARACTERS = 16_000_000;

export class SessionDB {
  readonly #file: OpenedFile;
  readonly #tx: Transactions;
  readonly #process: ProcessIdentity;
  readonly #probe: leases.Probe | undefined;
  readonly #now: () => number;
  readonly #fresh = new FreshRows();
  #isClosed = false;

  constructor(options: SessionDBOptions) {
    this.#now = options.now ?? Date.now;
    this.#process = options.process ?? currentProcess(options.program ?? "stele");
    this.#probe = options.probe;
    this.#file = openFile(options);
    try {
      this.#tx = new Transactions(this.#file, {
        now: this.#now,
        process: this.#process,
        sleep: options.sleep ?? blockFor,
        random: options.random ?? Math.random,
        ...(options.patienceMs !== undefined && { patienceMs: options.patienceMs }),
      });
      if (this.#file.findings.length > 0) this.#file.sidecar?.acknowledge(this.#tx.newGeneration());
    } catch (error) {
      this.#closeFile(false);
      throw damagedSchema(error);
    }
  }

  // ---- the file ----

  info(): LedgerInfo {
    const { path, otherNames, isNew, journal, journalReason, ledgerId, generation, findings } = this.#file;
    return {
      file: path,
      otherNames,
      bytes: statOf(path)?.size ?? 0,
      isNew,
      schema: SCHEMA_VERSION,
      searchLayout: FTS_STORAGE_VERSION,
      journal,
      ...(journalReason !== undefined && { journalReason }),
      ledgerId,
      generation,
      findings,
      sessions: this.#tx.read((q) => q.sessions.count.get() ?? 0),
    };
  }

  stats(): LedgerStats {
    return this.#tx.read((q) => this.#stats(q));
  }

  #stats(q: Queries): LedgerStats {
    const { db, path } = this.#file;
    const pragma = (name: string) => db.pragma(name, { simple: true });
    return {
      bytes: statOf(path)?.size ?? 0,
      walBytes: statOf(`${path}-wal`)?.size ?? 0,
      pages: Number(pragma("page_count")),
      freePages: Number(pragma("freelist_count")),
      journalMode: String(pragma("journal_mode")),
      synchronous: pragma("synchronous") === 2 ? "full" : `not full (${String(pragma("synchronous"))})`,
      sqlite: String(db.prepare("select sqlite_version()").pluck().get()),
      counts: {
        sessions: q.sessions.count.get() ?? 0,
        messages: Number(db.prepare("select count(*) from messages").pluck().get()),
        admissions: q.admissions.count.get() ?? 0,
      },
      leases: leases.heldLeases(q).map(toLease),
    };
  }

  verify(options: { full?: boolean } = {}): Violation[] {
    return this.#tx.read(() => verifyLedger(this.#file.db, options));
  }

  /** SQLite's own check of the pages; "ok" or what it found. Long on big files. */
  quickCheck(): string {
    return this.#tx.read(() => String(this.#file.db.pragma("quick_check(5)", { simple: true })));
  }

  /** Changes with every commit of another connection: the cheap question whether to look again. */
  dataVersion(): number {
    return this.#tx.read(() => Number(this.#file.db.pragma("data_version", { simple: true })));
  }

  /** True when the index has caught up. */
  indexStep(): boolean {
    return this.#tx.write("index", (tx) => indexBatch(tx), "heartbeat");
  }

  /** At most so many messages are not in the index yet. */
  searchLag(): number {
    return this.#tx.read(searchLag);
  }

  searchMessages(wish: SearchWish): SearchResult {
    return this.#tx.read((q) => searchMessages(q, this.#fresh, wish));
  }

  /** Twice is fine. Nothing may be called after it. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closeFile(this.#tx.isLogOfOthers());
  }

  #closeFile(isLogOfOthers: boolean): void {
    this.#fresh.close();
    const high = this.#high();
    if (isLogOfOthers) closeAsItIs(this.#file);
    else this.#file.db.close();
    this.#file.sidecar?.close(high);
  }

  /** Undefined when it cannot be read: then nothing is recorded at the close. */
  #high(): number | undefined {
    try {
      return this.#file.sidecar && highOf(this.#file.db);
    } catch {
      return undefined; // damaged or on a disk that fails: told by what was asked of it
    }
  }

  // ---- sessions ----

  createSession(wanted: sessions.NewSession): Session {
    return this.#tx.write("create-session", (tx) => sessions.createSession(tx, wanted));
  }

  session(id: SessionId): Session {
    return this.#tx.read((q) => toSession(sessions.sessionRow(q, id)));
  }

  /** The session this conversation is written in now. */
  canonical(conversation: ConversationId): Session {
    return this.#tx.read((q) => toSession(sessions.canonicalRow(q, conversation)));
  }

  resolveSession(asked: string): finding.Resolved {
    return this.#tx.read((q) => finding.resolveSession(q, asked));
  }

  /** What `-c` goes on with. Without a terminal: the newest of the folder. */
  continued(folder: string, terminal?: string): terminals.Continued | undefined {
    return this.#tx.read((q) => terminals.continued(q, { folder, terminal, now: this.#now() }));
  }

  rememberTerminal(terminal: string, conversation: ConversationId): void {
    this.#tx.write("remember-terminal", (tx) => terminals.rememberTerminal(tx, terminal, conversation), "heartbeat");
  }

  listSessions(filter: SessionFilter = {}): finding.SessionListing[] {
    return this.#tx.read((q) => finding.listSessions(q, filter, { ...this.#here(), probe: this.#probe }));
  }

  /** By project, over all that fit. */
  sessionGroups(filter: SessionFilter): ProjectGroup[] {
    return this.#tx.read((q) => finding.groupSessions(q, filter, { ...this.#here(), probe: this.#probe }));
  }

  sessionState(id: SessionId): Pick<finding.SessionListing, "state" | "holder"> {
    return this.#tx.read((q) =>
      finding.sessionState(q, sessions.sessionRow(q, id), { ...this.#here(), probe: this.#probe }),
    );
  }

  /** The route as one unit, and a note that says so; refused while a turn runs. */
  setModel(id: SessionId, route: ModelRoute, note: { text: string; at: number }): Session | Refusal {
    return this.#tx.write("set-model", (tx) => {
      const row = sessions.currentRow(tx.q, id);
      const refused = tree.refusalOf(tx, row, this.#probed({}));
      if (refused) return refused;
      sessions.setModel(tx, row, route);
      const parts = [{ kind: "note", text: note.text } as const];
      if (row.head_id !== null)
        tree.extendHead(tx, sessions.sessionRow(tx.q, row.id), { role: "note", parts, at: note.at });
      return toSession(sessions.sessionRow(tx.q, row.id));
    });
  }

  setTitle(id: SessionId, title: string, source: TitleSource): boolean {
    return this.#tx.write("set-title", (tx) => sessions.setTitle(tx, sessions.currentRow(tx.q, id), { title, source }));
  }

  untitled(conversation: ConversationId, settled: AdmissionId): titles.Untitled | undefined {
    return this.#tx.read((q) => titles.untitled(q, conversation, settled));
  }

  improveTitle(conversation: ConversationId, better: titles.ModelTitle): boolean {
    return this.#tx.write("improve-title", (tx) => titles.improveTitle(tx, conversation, better));
  }

  setFlags(id: SessionId, flags: Parameters<typeof sessions.setFlags>[2]): Session {
    return this.#tx.write("set-flags", (tx) => sessions.setFlags(tx, sessions.currentRow(tx.q, id), flags));
  }

  /** A session that nothing was ever said in and nobody asked to keep: gone. True when it was. */
  discardEmpty(id: SessionId): boolean {
    return this.#tx.write("discard-session", (tx) => tx.q.sessions.discardEmpty.run({ id }).changes === 1);
  }

  putSystemPrompt(text: string): Hash {
    return this.#tx.write("put-prompt", (tx) => sessions.putPrompt(tx, text));
  }

  systemPrompt(hash: Hash): string | undefined {
    return this.#tx.read((q) => q.meta.prompt.get(hash));
  }

  /** What was spent by a turn, a conversation or on a day, by model. */
  spent(by: SpentBy): ModelUsage[] {
    return this.#tx.read((q) => spentBy(q, by));
  }

  /** What the conversation of this session asked, by model. */
  modelUsage(id: SessionId): ModelUsage[] {
    return this.#tx.read((q) => usageOfConversation(q, id));
  }

  /** Totals over sessions, models and days. */
  usageRows(wish: UsageWish): UsageRow[] {
    return this.#tx.read((q) => usageRows(q, wish));
  }

  turnTime(id: SessionId): { turns: number; ms: number } {
    return this.#tx.read((q) => turnTime(q, id));
  }

  // ---- the tree ----

  message(id: MessageId): Message | undefined {
    return this.#tx.read((q) => {
      const row = q.messages.get.get(id);
      return row && toMessage(row);
    });
  }

  /**
   * The newest `limit` messages of the path that ends at `from` (default: the head). Flat cost. With `depth`, the
   * newest is the one of this depth: the way there is walked over ids alone.
   */
  path(id: SessionId, window: { from?: MessageId; depth?: number; limit: number }): PathWindow {
    return this.#tx.read((q) => {
      const end = window.from ?? sessions.sessionRow(q, id).head_id;
      const { depth } = window;
      const from = end !== null && depth !== undefined ? q.messages.ancestor.get({ from: end, depth }) : end;
      if (from === null || from === undefined) return { messages: [], earlier: 0 };
      const messages = q.messages.walk.all(from, window.limit).map(toMessage).reverse();
      return { messages, earlier: (messages[0]?.depth ?? 1) - 1 };
    });
  }

  /** The newest turns of the path that ends at `from` (default: the head), with what came of each. */
  turns(id: SessionId, window: { from?: MessageId; limit: number }): lists.TurnWindow {
    return this.#tx.read((q) => {
      const from = window.from ?? sessions.sessionRow(q, id).head_id;
      return from === null ? { turns: [] } : lists.pathTurns(q, from, window.limit);
    });
  }

  findTurns(id: SessionId, wanted: { words: string; limit: number }): lists.ListedTurn[] {
    return this.#tx.read((q) => {
      const from = sessions.sessionRow(q, id).head_id;
      return from === null ? [] : lists.findTurns(q, from, wanted);
    });
  }

  /** What calls of the newest turns did to files, newest first. */
  pathChanges(id: SessionId, window: { from?: MessageId; limit: number }): lists.ChangeWindow {
    return this.#tx.read((q) => {
      const from = window.from ?? sessions.sessionRow(q, id).head_id;
      return from === null ? { changes: [] } : lists.pathChanges(q, from, window.limit);
    });
  }

  undo(id: SessionId, count: number, options: tree.UndoOptions = {}): tree.Moved | Refusal {
    return this.#tx.write("undo", (tx) =>
      tree.undo(tx, sessions.currentRow(tx.q, id), this.#probed({ ...options, turns: count })),
    );
  }

  redo(id: SessionId, options: tree.MoveOptions = {}): tree.Moved | Refusal {
    return this.#tx.write("redo", (tx) => tree.redo(tx, sessions.currentRow(tx.q, id), this.#probed(options)));
  }

  retry(id: SessionId, wanted: Parameters<typeof queue.retry>[2]): queue.RetryResult {
    return this.#tx.write("retry", (tx) => queue.retry(tx, sessions.currentRow(tx.q, id), this.#probed(wanted)));
  }

  branch(id: SessionId, wanted: { at?: MessageId; title?: string } = {}): sessions.BranchResult {
    return this.#tx.write("branch", (tx) => sessions.branch(tx, sessions.currentRow(tx.q, id), wanted));
  }

  /** The head to another end of its own tree. */
  goTo(id: SessionId, options: tree.MoveOptions & { to: MessageId }): Went | Refusal {
    return this.#tx.write("go-to", (tx) => goTo(tx, sessions.currentRow(tx.q, id), this.#probed(options)));
  }

  siblings(id: SessionId): Sibling[] {
    return this.#tx.read((q) => siblingsOf({ q }, sessions.currentRow(q, id)));
  }

  endBelow(id: SessionId, first: MessageId): MessageId | undefined {
    return this.#tx.read((q) => endBelow({ q }, sessions.currentRow(q, id), first));
  }

  branchTree(id: SessionId, window: branches.TreeWish): branches.TreeWindow {
    return this.#tx.read((q) => branches.branchTree(q, id, { ...window, ...this.#here(), probe: this.#probe }));
  }

  pathDiff(wanted: PathEnds): PathDiff {
    return this.#tx.read((q) => pathDiff(q, wanted));
  }

  /** What a model is sent is made of these, oldest first. Costs what it returns, whatever came before. */
  contextPath(conversation: ConversationId): Message[] {
    return this.#tx.read((q) => compaction.contextPath(q, conversation));
  }

  /** The compaction that an undo of one turn would take back. */
  summaryAtEnd(id: SessionId): Message | undefined {
    return this.#tx.read((q) => {
      const row = tree.summaryAtEnd({ q }, sessions.currentRow(q, id));
      return row && toMessage(row);
    });
  }

  // ---- compaction ----

  beginCompaction(turn: TurnRef, wanted: { attempt: string; isAsked: boolean }): locks.BeginCompaction {
    return this.#tx.turn("begin-compaction", turn, (tx) => locks.beginCompaction(tx, this.#probed(wanted)));
  }

  /** Whose attempt goes on in this conversation now. */
  compactionLock(conversation: ConversationId): locks.CompactionSkip | undefined {
    return this.#tx.read((q) => locks.lockedBy({ q, ...this.#here() }, conversation, this.#probed({})));
  }

  renewCompaction(attempt: locks.CompactionAttempt): boolean {
    return this.#tx.write("renew-compaction", (tx) => locks.renewCompaction(tx, attempt), "heartbeat");
  }

  cancelCompaction(attempt: locks.CompactionAttempt): void {
    this.#tx.write("cancel-compaction", (tx) => locks.releaseLock(tx, attempt));
  }

  failCompaction(turn: TurnRef, attempt: string, failure: compaction.CompactionFailure): void {
    this.#tx.turn("fail-compaction", turn, (tx) => compaction.failCompaction(tx, attempt, failure));
  }

  commitCompaction(turn: TurnRef, summary: compaction.NewSummary): compaction.Compacted | Refusal {
    return this.#tx.turn("compact", turn, (tx) => compaction.commitCompaction(tx, summary));
  }

  deletePreview(conversation: ConversationId): deleting.DeletePreview {
    return this.#tx.read((q) => deleting.deletePreview(q, conversation));
  }

  deleteConversation(id: SessionId, options: tree.HeadOptions = {}): purge.DeleteResult {
    return this.#tx.write("delete", (tx) =>
      purge.deleteConversation(tx, sessions.currentRow(tx.q, id), this.#probed(options)),
    );
  }

  /** True when no deleted session has nodes left to take, nor an import that its program did not end. */
  purgeStep(): boolean {
    const orphans = this.#tx.read((q) => orphanImports(q, this.#process, this.#probe));
    if (orphans.length > 0) this.#tx.write("import-abandon", (tx) => buryImports(tx, orphans));
    if (this.#tx.read((q) => q.purge.pending.get()) === undefined) return true;
    return this.#tx.write("purge", (tx) => purge.purgeStep(tx));
  }

  // ---- export and import ----

  exportPlan(id: SessionId): exporting.ExportPlan {
    return this.#tx.read((q) => this.#file.db.transaction(() => exporting.exportPlan(q, id)).deferred());
  }

  exportNodes(from: Parameters<typeof exporting.exportNodes>[1]): exporting.NodePage {
    return this.#tx.read((q) => exporting.exportNodes(q, from));
  }

  exportOutside(ids: readonly MessageId[]): exporting.NodePage {
    return this.#tx.read((q) => exporting.exportOutside(q, ids));
  }

  exportTurns(turns: readonly AdmissionId[]): exporting.ExportedTurn[] {
    return this.#tx.read((q) => exporting.exportTurns(q, turns));
  }

  exportCalls(turns: readonly AdmissionId[]): exporting.ExportedCall[] {
    return this.#tx.read((q) => exporting.exportCalls(q, turns));
  }

  exportMoves(from: Parameters<typeof exporting.exportMoves>[1]): ReturnType<typeof exporting.exportMoves> {
    return this.#tx.read((q) => exporting.exportMoves(q, from));
  }

  exportUsage(session: SessionId): UsageRecord[] {
    return this.#tx.read((q) => exporting.exportUsage(q, session));
  }

  /** Which of these are here: sessions that are not deleted, and messages by their hash. */
  whatIsHere(asked: { sessions?: readonly SessionId[]; messages?: readonly Hash[] }): {
    sessions: SessionId[];
    messages: Hash[];
  } {
    const { sessions: ids = [], messages = [] } = asked;
    return this.#tx.read((q) => ({
      sessions: ids.filter((id) => q.sessions.get.get(id)?.deleted_at === null),
      messages: messages.filter((hash) => q.imports.idOf.get(hash) !== undefined),
    }));
  }

  beginImport(wanted: importing.ImportBegin): importing.ImportBegun | Refusal {
    return this.#tx.write("import-begin", (tx) => importing.beginImport(tx, wanted));
  }

  importStep(token: string, rows: readonly importing.ImportRow[]): void {
    this.#tx.write("import-rows", (tx) => importing.importStep(tx, token, rows));
  }

  endImport(end: ImportEnd): Imported {
    return this.#tx.write("import-end", (tx) => endImport(tx, end));
  }

  /** Nothing of it is shown, and the next purge takes what it wrote. */
  abandonImport(token: string): void {
    this.#tx.write("import-abandon", (tx) => buryImports(tx, importsOf(tx.q, token)));
  }

  /** For people, outside a turn; never sent to a model. */
  appendNote(id: SessionId, note: { text: string; at: number }): Message | Refusal {
    return this.#tx.write("append-note", (tx) => {
      const row = sessions.currentRow(tx.q, id);
      const refused = tree.refusalOf(tx, row, this.#probed({}));
      if (refused) return refused;
      const parts = [{ kind: "note", text: note.text } as const];
      return toMessage(tree.extendHead(tx, row, { role: "note", parts, at: note.at }).row);
    });
  }

  /** Of a call whose turn was ended with nobody knowing what became of it. Once. */
  lateEvidence(proof: LateProof): Message | Refusal | undefined {
    return this.#tx.write("late-evidence", (tx) => storeLateEvidence(tx, proof, this.#probe));
  }

  // ---- admissions ----

  admit(request: queue.AdmitRequest): queue.Admitted {
    return this.#tx.write("admit", (tx) => queue.admit(tx, request));
  }

  admission(id: AdmissionId): Admission {
    return this.#tx.read((q) => toAdmission(queue.admissionRow({ q }, id)));
  }

  admissionByRequest(request: RequestId): Admission | undefined {
    return this.#tx.read((q) => {
      const row = q.admissions.byRequest.get(request);
      return row && toAdmission(row);
    });
  }

  /** Queued, started and unknown ones of a conversation, or of all, in their order. */
  openAdmissions(conversation?: ConversationId): Admission[] {
    return this.#tx.read((q) =>
      (conversation === undefined ? q.admissions.allOpen.all() : q.admissions.openOf.all(conversation)).map(
        toAdmission,
      ),
    );
  }

  envelope(hash: Hash): Envelope | undefined {
    return this.#tx.read((q) => {
      const json = q.meta.envelope.get(hash);
      return json === undefined ? undefined : (JSON.parse(json) as Envelope);
    });
  }

  /** What fixed the newest started turn of this conversation. */
  lastEnvelope(conversation: ConversationId): Envelope | undefined {
    return this.#tx.read((q) => {
      const json = q.admissions.lastEnvelope.get(conversation);
      return json === undefined ? undefined : (JSON.parse(json) as Envelope);
    });
  }

  admissionsOf(session: SessionId): Admission[] {
    return this.#tx.read((q) => q.admissions.ofSession.all(session).map(toAdmission));
  }

  /** Text of the newest prompts of all conversations, oldest first; fewer where they are very long. */
  promptHistory(limit: number): string[] {
    return this.#tx.read((q) => {
      const found: string[] = [];
      let characters = 0;
      for (const prompt of q.admissions.prompts.iterate(limit)) {
        characters += prompt.length;
        if (characters > HISTORY_CHARACTERS) break;
        found.push(prompt);
      }
      return found.reverse();
    });
  }

  cancel(id: AdmissionId): Admission {
    return this.#tx.write("cancel", (tx) => queue.cancel(tx, id));
  }

  edit(id: AdmissionId, wanted: Parameters<typeof queue.edit>[2]): Admission {
    return this.#tx.write("edit", (tx) => queue.edit(tx, id, wanted));
  }

  reorder(id: AdmissionId, before?: AdmissionId): void {
    this.#tx.write("move", (tx) => queue.reorder(tx, id, before));
  }

  hold(id: AdmissionId, why: string, options: { takes?: boolean } = {}): void {
    this.#tx.write("hold", (tx) => queue.hold(tx, id, { why, ...options }));
  }

  /** Queued rows whose submitter is proven dead: held, and those of a loop cancelled. Returns how many. */
  holdOrphans(): number {
    const orphans = this.#tx.read((q) => queue.orphans(q, this.#here(), this.#probe));
    if (orphans.length === 0) return 0;
    return this.#tx.write("hold", (tx) => queue.holdOrphans(tx, orphans));
  }

  release(id: AdmissionId): Admission {
    return this.#tx.write("release", (tx) => queue.release(tx, id));
  }

  claim(lease: leases.LeaseRef, claimer: admissions.Claimer): admissions.ClaimResult {
    return this.#tx.write("claim", (tx) => admissions.claim(tx, lease, this.#probed(claimer)), "transcript");
  }

  /** Nothing of a turn is written without its lease: see `transaction.ts`. */
  append(turn: TurnRef, message: turns.NewMessage, proposed: readonly calls.ProposedCall[] = []): turns.Appended {
    return this.#tx.turn("append", turn, (tx) => turns.append(tx, message, proposed));
  }

  settle(turn: TurnRef, settlement: turns.Settlement): turns.Settled {
    return this.#tx.turn("settle", turn, (tx) => turns.settle(tx, settlement));
  }

  takeSteer(turn: TurnRef, at: number): turns.Steered | undefined {
    return this.#tx.turn("take-steer", turn, (tx) => turns.takeSteer(tx, at));
  }

  markUnknown(turn: TurnRef): void {
    this.#tx.turn("mark-unknown", turn, (tx) => turns.markUnknown(tx));
  }

  resumeUnknown(
    lease: leases.LeaseRef,
    id: AdmissionId,
    options: { readonly mayDiffer?: boolean } = {},
  ): turns.ResumeResult {
    return this.#tx.write("resume-unknown", (tx) => turns.resumeUnknown(tx, lease, { id, ...options }));
  }

  settleUnknown(lease: leases.LeaseRef, settlement: Parameters<typeof turns.settleUnknown>[2]): turns.Settled {
    return this.#tx.write("settle-unknown", (tx) => turns.settleUnknown(tx, lease, settlement));
  }

  // ---- loops ----

  openLoop(conversation: ConversationId): Loop | undefined {
    return this.#tx.read((q) => loops.openLoop(q, conversation));
  }

  loopOf(conversation: ConversationId): Loop | undefined {
    return this.#tx.read((q) => loops.loopOf(q, conversation));
  }

  loopTicks(id: LoopId, limit: number): LoopTick[] {
    return this.#tx.read((q) => loops.loopTicks(q, id, limit));
  }

  startLoop(id: SessionId, plan: LoopPlan): Loop | Refusal {
    return this.#tx.write("start-loop", (tx) =>
      loops.startLoop(tx, sessions.currentRow(tx.q, id), { plan, probe: this.#probe }),
    );
  }

  fireLoop(tick: { id: LoopId; slot: number }, payload: Payload): loops.FireResult {
    return this.#tx.write("fire-loop", (tx) => loops.fireLoop(tx, tick, payload));
  }

  endTick(tick: { id: LoopId; slot: number }, end: loops.TickEnd): Loop {
    return this.#tx.write("end-tick", (tx) => loops.endTick(tx, tick, end));
  }

  pauseLoop(conversation: ConversationId, why: string): Loop | undefined {
    return this.#tx.write("pause-loop", (tx) => loops.pauseLoop(tx, conversation, why));
  }

  resumeLoop(conversation: ConversationId): Loop | Refusal {
    return this.#tx.write("resume-loop", (tx) => loops.resumeLoop(tx, conversation, this.#probe));
  }

  stopLoop(conversation: ConversationId): Loop | undefined {
    return this.#tx.write("stop-loop", (tx) => loops.stopLoop(tx, conversation));
  }

  pauseOrphanLoops(): Loop[] {
    if (this.#tx.read((q) => q.loops.active.all()).length === 0) return [];
    return this.#tx.write("pause-orphan-loops", (tx) => loops.pauseOrphanLoops(tx, this.#probe));
  }

  // ---- leases ----

  acquireLease(wanted: { conversation: ConversationId; holder: HolderId }): leases.AcquireResult {
    return this.#tx.write("acquire-lease", (tx) => leases.acquireLease(tx, wanted, this.#probe));
  }

  renewLease(lease: leases.LeaseRef): boolean {
    return this.#tx.write("renew-lease", (tx) => leases.renewLease(tx, lease), "heartbeat");
  }

  releaseLease(lease: leases.LeaseRef): void {
    this.#tx.write("release-lease", (tx) => leases.releaseLease(tx, lease));
  }

  lease(conversation: ConversationId): Lease | undefined {
    return this.#tx.read((q) => {
      const row = q.leases.get.get(conversation);
      return row && toLease(row);
    });
  }

  /** Held leases, and whether their holder is there. */
  heldLeases(): (Lease & { readonly isHeld: boolean })[] {
    return this.#tx.read((q) =>
      leases.heldLeases(q).map((row) => ({ ...toLease(row), isHeld: leases.isHeld(row, this.#here(), this.#probe) })),
    );
  }

  // ---- tool calls and requests ----

  callsOf(admission: AdmissionId): ToolCall[] {
    return this.#tx.read((q) => q.calls.ofAdmission.all(admission).map(toCall));
  }

  callsOfMessages(messages: readonly MessageId[]): ToolCall[] {
    return this.#tx.read((q) => messages.flatMap((id) => q.calls.ofMessage.all(id)).map(toCall));
  }

  callByKey(effectKey: string): ToolCall | undefined {
    return this.#tx.read((q) => {
      const row = q.calls.byKey.get(effectKey);
      return row && toCall(row);
    });
  }

  approveCall(turn: TurnRef, id: CallId, by: calls.Approval): ToolCall {
    return this.#tx.turn("approve-call", turn, (tx) => calls.approveCall(tx, id, by));
  }

  startCall(turn: TurnRef, id: CallId, spool?: string): ToolCall {
    return this.#tx.turn("start-call", turn, (tx) => calls.startCall(tx, id, spool));
  }

  finishCall(turn: TurnRef, finished: calls.FinishedCall): { call: ToolCall; message: Message } {
    return this.#tx.turn("finish-call", turn, (tx) => calls.finishCall(tx, finished));
  }

  markCallUnknown(turn: TurnRef, id: CallId, evidence: string): ToolCall {
    return this.#tx.turn("call-unknown", turn, (tx) => calls.markCallUnknown(tx, id, evidence));
  }

  reconcileCalls(lease: leases.LeaseRef, admission: AdmissionId, found: Partial<calls.FoundProofs> = {}): ToolCall[] {
    return this.#tx.write("reopen-call", (tx) => calls.reconcileCalls(tx, lease, { ...found, admission }));
  }

  setSupervisor(turn: TurnRef, id: CallId, supervisor: ProcessIdentity): ToolCall {
    return this.#tx.turn("call-supervisor", turn, (tx) => calls.setSupervisor(tx, id, supervisor));
  }

  resolveCall(lease: leases.LeaseRef, word: Parameters<typeof calls.resolveCall>[2]): ToolCall {
    return this.#tx.write("resolve-call", (tx) => calls.resolveCall(tx, lease, word));
  }

  // ---- files that calls changed ----

  /** Before the edit is made. */
  planChange(turn: TurnRef, id: CallId, change: files.NewChange): FileChange[] {
    return this.#tx.turn("plan-change", turn, (tx) =>
      files.recordChanges(tx, id, { changes: [change], origin: "recorded" }),
    );
  }

  /** What a scan found after a command, before its call ends. */
  suspectChanges(turn: TurnRef, id: CallId, changes: readonly files.NewChange[]): FileChange[] {
    return this.#tx.turn("suspect-changes", turn, (tx) =>
      files.recordChanges(tx, id, { changes, origin: "suspected" }),
    );
  }

  changesOf(messages: readonly MessageId[]): FileChange[] {
    return this.#tx.read((q) => files.changesOf(q, messages));
  }

  changesOfCall(id: CallId): FileChange[] {
    return this.#tx.read((q) => q.files.ofCall.all(id).map(toChange));
  }

  /** Without a head move: the files of some turns alone. Asked again under its request it plans nothing twice. */
  planReverts(id: SessionId, wanted: tree.MoveOptions & { request: RequestId }): FileRevert[] | Refusal {
    return this.#tx.write("plan-reverts", (tx) => {
      const { request, reverts = [] } = wanted;
      const stored = files.revertsOf(tx.q, { request });
      if (stored.length > 0) return stored;
      const session = sessions.currentRow(tx.q, id);
      const refused = tree.moveRefusalOf(tx, session, this.#probed(wanted));
      return refused ?? files.planReverts(tx, { request, conversation: session.conversation_id }, reverts);
    });
  }

  revertsOf(owner: files.RevertOwner): FileRevert[] {
    return this.#tx.read((q) => files.revertsOf(q, owner));
  }

  /** Of the newest request about files alone. */
  requestedReverts(id: SessionId): FileRevert[] {
    return this.#tx.read((q) => {
      const request = q.files.newestRequest.get(sessions.sessionRow(q, id).conversation_id);
      return request === undefined ? [] : files.revertsOf(q, { request });
    });
  }

  /** Reverts that a crash left unfinished, of every conversation. */
  plannedReverts(): FileRevert[] {
    return this.#tx.read((q) => q.files.planned.all().map(toRevert));
  }

  /** The move that a redo would take back now. */
  redoableMove(id: SessionId): { readonly move: HeadMoveId; readonly to?: MessageId } | undefined {
    return this.#tx.read((q) => {
      const row = q.moves.newestRedoable.get(id);
      return row && { move: row.id, ...(row.from_id !== null && { to: row.from_id }) };
    });
  }

  markRevert(id: FileRevertId, state: "done" | "conflict"): FileRevert {
    return this.#tx.write("mark-revert", (tx) => files.markRevert(tx, id, state));
  }

  // ---- drafts and deliveries ----

  saveComposer(conversation: ConversationId, draft: drafts.ComposerText): void {
    this.#tx.write("save-draft", (tx) => drafts.saveComposer(tx, conversation, draft), "heartbeat");
  }

  saveAnswer(turn: TurnRef, answer: { text: string; parent: MessageId | undefined }): void {
    this.#tx.turn("save-draft", turn, (tx) => drafts.saveAnswer(tx, answer));
  }

  drafts(conversation: ConversationId): Draft[] {
    return this.#tx.read((q) => drafts.draftsOf(q, conversation, this.#process));
  }

  unsentTexts(): UnsentBeginning[] {
    return this.#tx.read((q) => drafts.unsentTexts(q, this.#process));
  }

  /** The answer was flushed to this terminal or stream. Twice is fine. */
  deliver(message: MessageId, channel: string): void {
    this.#tx.write("deliver", (tx) => drafts.deliver(tx, message, channel));
  }

  undelivered(since: number): Admission[] {
    return this.#tx.read((q) => drafts.undelivered(q, since));
  }

  call(id: CallId): ToolCall {
    return this.#tx.read((q) => toCall(calls.callRow({ q }, id)));
  }

  askModel(turn: TurnRef, request: { parent: MessageId | undefined; digest: Hash }): void {
    this.#tx.turn("ask-model", turn, (tx) => askModel(tx, request));
  }

  failRequest(turn: TurnRef): void {
    this.#tx.turn("answer-model", turn, failRequest);
  }

  blob(hash: Hash): Uint8Array {
    return this.#tx.read((q) => unpackBlob(q.blobs.get.get(hash), hash));
  }

  #here() {
    return { now: this.#now(), process: this.#process };
  }

  #probed<T extends object>(options: T): T & { probe?: leases.Probe } {
    return this.#probe ? { ...options, probe: this.#probe } : options;
  }
}

/** Version and application are ours, so a table that is missing now was lost. */
function damagedSchema(error: unknown): LedgerError {
  if (sqliteCode(error) !== "SQLITE_ERROR") return mapSqliteError(error);
  return ledgerError("ledger_corrupt", `A part of the ledger is missing: ${(error as Error).message}.`, {
    cause: error,
  });
}

/** Blocks the thread, which is the ledger's own. */
function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
