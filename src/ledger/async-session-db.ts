// class AsyncSessionDB: the verbs of SessionDB as promises. A worker thread writes and reads; a second one,
// opened when first needed, runs what takes long in a file that is not small. The calling thread never loads
// SQLite, so no lock, check or search can freeze the screen. Errors keep class, code and hint.
import { existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { type LedgerError, ledgerError, type PlainError, reviveError } from "./errors.ts";
import type { LedgerInfo, SessionDB } from "./session-db.ts";

export type Verb = Exclude<keyof SessionDB, "info">;
export interface Question {
  readonly id: number;
  readonly verb: Verb;
  readonly args: readonly unknown[];
}
export type Answer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: PlainError };

type AsyncVerbs = {
  [K in Exclude<Verb, "close">]: (...args: Parameters<SessionDB[K]>) => Promise<ReturnType<SessionDB[K]>>;
};

/** How each verb is asked again after the thread died with it: by its key, by reading, or not at all. */
const VERBS: { readonly [K in Exclude<Verb, "close">]: "read" | "long-read" | "keyed" | "once" } = {
  stats: "read",
  verify: "long-read",
  quickCheck: "long-read",
  dataVersion: "read",
  indexStep: "keyed",
  searchLag: "read",
  searchMessages: "long-read",
  createSession: "once",
  session: "read",
  canonical: "read",
  resolveSession: "read",
  continued: "read",
  rememberTerminal: "keyed",
  listSessions: "read",
  sessionGroups: "long-read",
  sessionState: "read",
  setModel: "keyed",
  setTitle: "keyed",
  untitled: "read",
  improveTitle: "once",
  setFlags: "keyed",
  discardEmpty: "keyed",
  putSystemPrompt: "keyed",
  systemPrompt: "read",
  message: "read",
  path: "read",
  turns: "read",
  findTurns: "long-read",
  pathChanges: "read",
  undo: "once",
  redo: "once",
  retry: "keyed",
  goTo: "once",
  siblings: "read",
  endBelow: "read",
  branchTree: "read",
  pathDiff: "read",
  branch: "once",
  contextPath: "read",
  summaryAtEnd: "read",
  beginCompaction: "keyed",
  compactionLock: "read",
  renewCompaction: "keyed",
  cancelCompaction: "keyed",
  failCompaction: "keyed",
  commitCompaction: "keyed",
  deleteConversation: "once",
  deletePreview: "long-read",
  purgeStep: "keyed",
  exportPlan: "long-read",
  exportNodes: "read",
  exportOutside: "read",
  exportTurns: "read",
  exportCalls: "read",
  exportMoves: "read",
  exportUsage: "read",
  whatIsHere: "read",
  beginImport: "once",
  importStep: "keyed",
  endImport: "keyed",
  abandonImport: "keyed",
  appendNote: "keyed",
  lateEvidence: "keyed",
  admit: "keyed",
  admission: "read",
  admissionByRequest: "read",
  openAdmissions: "read",
  envelope: "read",
  lastEnvelope: "read",
  spent: "read",
  modelUsage: "read",
  usageRows: "read",
  turnTime: "read",
  admissionsOf: "read",
  promptHistory: "read",
  cancel: "keyed",
  edit: "keyed",
  reorder: "keyed",
  hold: "keyed",
  holdOrphans: "keyed",
  release: "keyed",
  claim: "keyed",
  append: "keyed",
  settle: "keyed",
  takeSteer: "once",
  markUnknown: "keyed",
  resumeUnknown: "once",
  settleUnknown: "keyed",
  acquireLease: "keyed",
  renewLease: "keyed",
  releaseLease: "keyed",
  lease: "read",
  heldLeases: "read",
  callsOf: "read",
  callsOfMessages: "read",
  callByKey: "read",
  approveCall: "keyed",
  startCall: "keyed",
  finishCall: "keyed",
  markCallUnknown: "keyed",
  reconcileCalls: "keyed",
  setSupervisor: "keyed",
  planChange: "keyed",
  suspectChanges: "keyed",
  changesOf: "read",
  changesOfCall: "read",
  planReverts: "keyed",
  revertsOf: "read",
  requestedReverts: "read",
  plannedReverts: "read",
  redoableMove: "read",
  markRevert: "keyed",
  saveComposer: "keyed",
  saveAnswer: "keyed",
  drafts: "read",
  unsentTexts: "read",
  deliver: "keyed",
  undelivered: "read",
  resolveCall: "once",
  call: "read",
  openLoop: "read",
  loopOf: "read",
  loopTicks: "read",
  startLoop: "once",
  fireLoop: "keyed",
  endTick: "keyed",
  pauseLoop: "keyed",
  resumeLoop: "keyed",
  stopLoop: "keyed",
  pauseOrphanLoops: "keyed",
  askModel: "once",
  failRequest: "keyed",
  blob: "read",
};

/** Of the file and its WAL, which alone grows to 4 MiB: the longest check of so much takes 12 ms. */
const SMALL_BYTES = 8 * 1024 * 1024;

/** Shutdown waits this long for the last write, then leaves the WAL as it is: that loses nothing. */
const CLOSE_MS = 3_000;

export interface AsyncOptions {
  readonly path: string;
  readonly program?: string;
  readonly readOnly?: boolean;
  /** Absent: the built one beside this code. */
  readonly workerFile?: string;
}

// eslint-disable-next-line typescript/no-unsafe-declaration-merging -- the constructor adds every verb of the table
export interface AsyncSessionDB extends AsyncVerbs {}

export class AsyncSessionDB {
  readonly #options: AsyncOptions;
  #writer: LedgerThread;
  #reader: LedgerThread | undefined;
  #closing: Promise<void> | undefined;

  /** Opens in the background: verbs may be called at once, `opened` says how it went. */
  constructor(options: AsyncOptions) {
    this.#options = options;
    this.#writer = new LedgerThread(options);
    for (const [verb, kind] of Object.entries(VERBS)) {
      Object.defineProperty(this, verb, {
        value: (...args: unknown[]) => this.#ask(verb as Verb, args, kind),
      });
    }
  }

  /** Rejects with the reason when the file cannot be opened. */
  get opened(): Promise<LedgerInfo> {
    return this.#writer.opened;
  }

  /** Waits for the last write. Twice is fine. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    await this.#reader?.close();
    await this.#writer.close();
  }

  async #ask(verb: Verb, args: readonly unknown[], kind: "read" | "long-read" | "keyed" | "once"): Promise<unknown> {
    if (this.#closing) throw ledgerError("ledger_closed", "The ledger is closed.");
    if (kind === "long-read" && this.#isLarge()) return this.#longReader().ask(verb, args);
    const thread = this.#writer;
    try {
      return await thread.ask(verb, args);
    } catch (error) {
      if (!isThreadDeath(error) || kind === "once") throw error;
      return this.#successorOf(thread).ask(verb, args);
    }
  }

  /** The writer thread died: a new one takes its place, once for all who waited. */
  #successorOf(dead: LedgerThread): LedgerThread {
    if (this.#writer === dead) this.#writer = new LedgerThread({ ...this.#options, secondary: true });
    return this.#writer;
  }

  /** Of a small file nothing takes as long as the start of a thread, and every start of the program checks it. */
  #isLarge(): boolean {
    return this.#reader !== undefined || bytesOf(this.#options.path) > SMALL_BYTES;
  }

  #longReader(): LedgerThread {
    if (!this.#reader || this.#reader.isDead) this.#reader = new LedgerThread({ ...this.#options, secondary: true });
    return this.#reader;
  }
}

function bytesOf(file: string): number {
  try {
    const sizes = [file, `${file}-wal`].map((each) => statSync(each, { throwIfNoEntry: false })?.size ?? 0);
    return sizes.reduce((sum, size) => sum + size, 0);
  } catch {
    return Number.POSITIVE_INFINITY; // not ours to look at: the thread that asks tells why
  }
}

interface Pending {
  readonly verb: Verb;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: LedgerError) => void;
}

class LedgerThread {
  readonly opened: Promise<LedgerInfo>;
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  isDead = false;

  constructor(options: AsyncOptions & { secondary?: boolean }) {
    this.#worker = new Worker(options.workerFile ?? builtWorker(), { workerData: options });
    this.opened = new Promise((resolve, reject) => {
      this.#pending.set(0, { verb: "stats", resolve: (value) => resolve(value as LedgerInfo), reject });
    });
    // Who cares awaits it; a verb asked of a file that did not open gets its own answer.
    this.opened.catch(() => {});
    this.#worker.on("message", (answer: Answer) => this.#receive(answer));
    this.#worker.on("error", (error) => this.#die(error));
    this.#worker.on("exit", () => this.#die(undefined));
  }

  async ask(verb: Verb, args: readonly unknown[]): Promise<unknown> {
    await this.opened;
    if (this.isDead) throw outcomeUnknown(verb, undefined);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { verb, resolve, reject });
      this.#worker.postMessage({ id, verb, args } satisfies Question);
    });
  }

  async close(): Promise<void> {
    const isOpen = await this.opened.then(
      () => true,
      () => false,
    );
    if (isOpen && !this.isDead) await withinTime(this.ask("close", []), CLOSE_MS);
    await this.#worker.terminate();
  }

  #receive(answer: Answer): void {
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if ("error" in answer) pending?.reject(reviveError(answer.error));
    else pending?.resolve(answer.value);
  }

  #die(cause: unknown): void {
    this.isDead = true;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const each of pending) each.reject(outcomeUnknown(each.verb, cause));
  }
}

function outcomeUnknown(verb: Verb, cause: unknown): LedgerError {
  return ledgerError("ledger_outcome_unknown", `The ledger's thread ended during ${verb}.`, { cause });
}

function isThreadDeath(error: unknown): boolean {
  return (error as LedgerError).code === "ledger_outcome_unknown";
}

/** Resolves when the promise settles or the time is over, whichever comes first. */
async function withinTime(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise.then(ignore, ignore), limit]);
  clearTimeout(timer);
}

function ignore(): void {}

/** Beside every chunk of the bundle; tests that run the sources take the last build. */
function builtWorker(): string {
  const places = ["./worker.cjs", "../../dist/worker.cjs"];
  const file = places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((each) => existsSync(each));
  if (!file) throw ledgerError("ledger_internal", "The ledger's worker is not built.", { hint: "Run: npm start" });
  return file;
}
