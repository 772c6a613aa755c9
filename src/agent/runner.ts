// One conversation's driver: admits prompts, holds the lease while turns run, runs what waits in order, stops,
// and tells what happens as one ordered stream of events. The session's id lives here and nowhere else.
// Losing the lease aborts the turn. Nothing depends on a clean exit.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import { type LedgerError, ledgerError } from "../ledger/errors.ts";
import { newHolderId, newRequestId } from "../ledger/ids.ts";
import type { LeaseRef } from "../ledger/leases.ts";
import { LEASE_NOTICE_MS, LEASE_POLL_MS, LEASE_REFRESH_MS } from "../ledger/leases-table.ts";
import { PROJECTION_VERSION } from "../ledger/projection.ts";
import type { RetryResult } from "../ledger/queue.ts";
import type {
  Admission,
  AdmissionId,
  ApprovalMode,
  Envelope,
  HolderId,
  Json,
  ModelRoute,
  Payload,
  Refusal,
  RequestId,
  Session,
  Target,
  TurnRef,
} from "../ledger/types.ts";
import { type Rules, stricterMode } from "./approvals.ts";
import { inspectWorkspace, readInstructions, systemPrompt } from "./context.ts";
import type { SessionEvent } from "./events.ts";
import type { ModelRegistry } from "./models/registry.ts";
import type { FileGate } from "./tools/files.ts";
import { type ToolRegistry, toolRegistry } from "./tools/registry.ts";
import { runTurn } from "./turn.ts";
import type { ApprovalAsk, ApprovalReply, TurnContext } from "./turn-context.ts";

export interface RunnerOptions {
  readonly db: AsyncSessionDB;
  readonly session: Session;
  readonly resumed: boolean;
  readonly models: ModelRegistry;
  readonly files: FileGate;
  readonly rules: () => Rules;
  readonly mode: ApprovalMode;
  readonly ask: TurnContext["ask"];
  /** "Always" was chosen: store the rule. */
  readonly onRule?: (rule: string) => Promise<void>;
  readonly program: string;
  readonly now?: () => number;
}

export interface SubmitOptions {
  readonly request?: RequestId;
  readonly target?: Target;
  readonly kind?: "prompt" | "steer";
}

type Listener = (event: SessionEvent) => void;

export class Runner {
  readonly holder: HolderId = newHolderId(process.pid);
  readonly #options: RunnerOptions;
  readonly #listeners = new Set<Listener>();
  readonly #now: () => number;
  #session: Session;
  #mode: ApprovalMode;
  #turn: AbortController | undefined;
  #waiting = new AbortController();
  #draining: Promise<void> | undefined;
  #again = false;
  #resumed: { lease: LeaseRef; turn: TurnRef; admission: Admission } | undefined;
  #nextRoute: ModelRoute | undefined;
  #isClosed = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#session = options.session;
    this.#mode = options.mode;
    this.#now = options.now ?? Date.now;
  }

  get session(): Session {
    return this.#session;
  }
  get mode(): ApprovalMode {
    return this.#mode;
  }
  set mode(mode: ApprovalMode) {
    this.#mode = mode;
  }
  /** The model of the next prompt only (`/model … --once`). */
  set nextRoute(route: ModelRoute | undefined) {
    this.#nextRoute = route;
  }
  get isRunning(): boolean {
    return this.#turn !== undefined;
  }

  /** Events in order from now on; returns how to stop listening. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: SessionEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** Resolves when the prompt is stored: it is safe then, whatever happens to this process. */
  async submit(prompt: Payload["prompt"], options: SubmitOptions = {}): Promise<Admission> {
    const kind = options.kind ?? "prompt";
    const route = kind === "prompt" ? this.#nextRoute : undefined;
    const { admission } = await this.#options.db.admit({
      request: options.request ?? newRequestId(),
      kind,
      payload: { prompt, approval: this.#mode, cwd: this.#session.cwd, ...(route && { route }) },
      target: options.target ?? { kind: "session", asked: this.#session.id },
      session: this.#session.id,
    });
    if (route) this.#nextRoute = undefined;
    this.#admitted(admission);
    return admission;
  }

  /** The last prompt again, before everything that waits; its old answer stays as a sibling. */
  async retry(): Promise<RetryResult> {
    const { id, cwd } = this.#session;
    const wanted = { request: newRequestId(), approval: this.#mode, cwd, holder: this.holder };
    const result = await this.#options.db.retry(id, wanted);
    if (result.kind !== "retried") return result;
    this.emit({ type: "head-moved", session: id, ...(result.head !== undefined && { head: result.head }) });
    await this.refresh();
    this.#admitted(result.admission);
    return result;
  }

  #admitted(admission: Admission): void {
    const { id, request, status } = admission;
    this.emit({ type: "prompt-admitted", admission: id, request, state: status, text: admission.summary });
    this.wake();
  }

  /** Looks at the queue; runs what it may. Safe to call at any time. */
  wake(): void {
    if (this.#isClosed) return;
    this.#again = true;
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = undefined;
    });
  }

  /** Resolves when nothing is running or waiting for the lease any more. */
  async idle(): Promise<void> {
    while (this.#draining) await this.#draining;
  }

  /** Stops the running turn; what was queued behind it waits for a key. */
  stop(): void {
    this.emit({ type: "stop-asked" });
    this.#turn?.abort();
    this.#waiting.abort();
    this.#waiting = new AbortController();
  }

  /** Ends the running turn as interrupted and gives the lease back. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.stop();
    await this.idle();
  }

  /** Another session from now on: after /new, /branch, /resume. Only while idle. */
  async open(session: Session, resumed: boolean): Promise<void> {
    this.stop();
    await this.idle();
    this.#session = session;
    this.#nextRoute = undefined;
    this.emit({ type: "session", session, resumed });
    this.wake();
  }

  /** What changed in the row: title, model, head. */
  async refresh(): Promise<Session> {
    this.#session = await this.#options.db.canonical(this.#session.conversation);
    this.emit({ type: "session-changed", session: this.#session });
    return this.#session;
  }

  /** An interrupted turn goes on from its last stored node; refused while a call of it is undecided. */
  async resume(id: AdmissionId): Promise<{ readonly kind: "resumed" } | Refusal> {
    const { db } = this.#options;
    await this.idle();
    const taken = await db.acquireLease({ conversation: this.#session.conversation, holder: this.holder });
    if (taken.kind === "held") return { kind: "busy", why: "Another program holds this conversation." };
    const resumed = await db.resumeUnknown(taken.lease, id);
    if (resumed.kind !== "resumed") {
      await db.releaseLease(taken.lease);
      return resumed;
    }
    this.#resumed = { lease: taken.lease, turn: resumed.turn, admission: resumed.admission };
    this.wake();
    return { kind: "resumed" };
  }

  // ---- the queue ----

  async #drain(): Promise<void> {
    while (this.#again && !this.#isClosed) {
      this.#again = false;
      try {
        await this.#drainOnce();
      } catch (error) {
        this.#problem(error as LedgerError);
      }
    }
  }

  async #drainOnce(): Promise<void> {
    const { db } = this.#options;
    const { conversation } = this.#session;
    const resumed = this.#resumed;
    this.#resumed = undefined;
    if (!resumed && !(await hasWork(db, this.#session))) return;
    const lease = resumed?.lease ?? (await this.#awaitLease());
    if (!lease) return;
    const beat = this.#heartbeat(lease);
    try {
      if (resumed) {
        this.emit({ type: "turn-started", admission: resumed.admission.id });
        await this.#run(resumed.turn, resumed.admission);
      }
      while (!this.#isClosed) {
        const claimed = await db.claim(lease, { at: this.#now(), envelope: await this.#envelope() });
        if (claimed.kind === "blocked") this.emit({ type: "turn-blocked", admission: claimed.admission });
        if (claimed.kind !== "claimed") break;
        this.emit({ type: "turn-started", admission: claimed.admission.id });
        if (claimed.message) this.emit({ type: "message-added", message: claimed.message });
        await this.#run(claimed.turn, claimed.admission);
        if (await this.#holdRestIfStopped(conversation, claimed.admission.id)) break;
      }
    } finally {
      clearInterval(beat);
      await db.releaseLease(lease).catch(() => {
        // Lost already, or the ledger is gone: both are told where they were found.
      });
    }
  }

  /** esc means stop: the next prompt does not start by itself right after it. */
  async #holdRestIfStopped(conversation: Session["conversation"], id: AdmissionId): Promise<boolean> {
    const { db } = this.#options;
    if ((await db.admission(id)).outcome !== "interrupted") return false;
    for (const each of await db.openAdmissions(conversation)) {
      if (each.status === "queued" && each.held === undefined && each.submitter.pid === process.pid)
        await db.hold(each.id, "the turn before it was stopped");
    }
    this.emit({ type: "queue-changed", waiting: await db.openAdmissions(conversation) });
    return true;
  }

  async #awaitLease(): Promise<LeaseRef | undefined> {
    const { db } = this.#options;
    const { conversation } = this.#session;
    const { signal } = this.#waiting;
    let noticedAt: number | undefined;
    for (;;) {
      const result = await db.acquireLease({ conversation, holder: this.holder });
      if (result.kind === "acquired") {
        if (noticedAt !== undefined) await this.#afterWaiting();
        return result.lease;
      }
      if (noticedAt === undefined || performance.now() - noticedAt >= LEASE_NOTICE_MS) {
        noticedAt = performance.now();
        const { process: holder, since } = result;
        this.emit({ type: "lease-awaited", conversation, ...(holder && { holder }), ...(since && { since }) });
      }
      await pause(LEASE_POLL_MS, signal);
      if (signal.aborted || this.#isClosed || !(await hasWork(db, this.#session))) return undefined;
    }
  }

  /** Somebody else wrote meanwhile: go on from what is there now (C 3.9). */
  async #afterWaiting(): Promise<void> {
    this.emit({ type: "lease-acquired" });
    await this.refresh();
  }

  /** A term is long; renewal is for suspended machines and slow models. A lost lease ends the turn. */
  #heartbeat(lease: LeaseRef): NodeJS.Timeout {
    return setInterval(() => {
      this.#options.db.renewLease(lease).then(
        (isMine) => {
          if (!isMine) this.#turn?.abort(ledgerError("lease_lost", "Another process took over this conversation."));
        },
        () => {
          // Busy or gone: the next beat tries again, and the fence of every write decides.
        },
      );
    }, LEASE_REFRESH_MS);
  }

  // ---- one turn ----

  async #run(turn: TurnRef, admission: Admission): Promise<void> {
    const { db } = this.#options;
    this.#turn = new AbortController();
    try {
      await runTurn(await this.#turnContext(turn, admission, this.#turn.signal));
    } catch (error) {
      this.#problem(error as LedgerError);
      await db.markUnknown(turn).catch(() => {
        // Not even that could be written: the next start finds it as started by a dead owner.
      });
      throw error;
    } finally {
      this.#turn = undefined;
      await this.refresh().catch(() => {
        // The problem that matters was told above.
      });
    }
  }

  async #turnContext(turn: TurnRef, admission: Admission, signal: AbortSignal): Promise<TurnContext> {
    const { db, files, models, ask, rules } = this.#options;
    const envelope = admission.envelope && (await db.envelope(admission.envelope));
    const route = admission.payload.route ?? envelope?.route ?? this.#session.route;
    const opened = models.open(route);
    return {
      db,
      turn,
      model: opened.ok ? opened.model : unusable(route, opened),
      system: (envelope && (await db.systemPrompt(envelope.systemPrompt))) ?? "",
      tools: await toolRegistry(),
      files,
      cwd: admission.payload.cwd,
      approval: { mode: () => stricterMode(this.#mode, admission.payload.approval), rules },
      ask: (question, stop) => this.#ask(ask, question, stop),
      signal,
      now: this.#now,
      emit: (event) => this.emit(event),
    };
  }

  async #ask(ask: TurnContext["ask"], question: ApprovalAsk, signal: AbortSignal): Promise<ApprovalReply> {
    const reply = await ask(question, signal);
    if (reply.kind === "always") await this.#options.onRule?.(reply.rule);
    return reply;
  }

  /** Built once a conversation: the newest turn's prompt is used again, by its hash. */
  async #envelope(): Promise<Envelope> {
    const { db, program } = this.#options;
    const before = await db.lastEnvelope(this.#session.conversation);
    const tools: ToolRegistry = await toolRegistry();
    return {
      systemPrompt: before?.systemPrompt ?? (await this.#newPrompt()),
      tools: tools.listTools().map((tool): Json => ({ name: tool.name, schema: tool.schema })),
      route: this.#session.route,
      projection: PROJECTION_VERSION,
      program,
    };
  }

  async #newPrompt(): Promise<Envelope["systemPrompt"]> {
    const workspace = await inspectWorkspace(this.#session.cwd, { status: true });
    const instructions = await readInstructions(this.#options.files, workspace);
    return this.#options.db.putSystemPrompt(systemPrompt({ workspace, instructions, at: this.#now() }));
  }

  #problem(error: LedgerError): void {
    const { code, message, hint } = error;
    this.emit({ type: "ledger-problem", error: { code, message, hint } });
  }
}

/** Something of this conversation waits that this process may run. */
async function hasWork(db: AsyncSessionDB, session: Session): Promise<boolean> {
  const open = await db.openAdmissions(session.conversation);
  return open.some((each) => each.status === "queued" && each.held === undefined && each.submitter.pid === process.pid);
}

/** A model that cannot be opened answers like one that refuses: the turn fails with the reason. */
function unusable(route: Session["route"], why: { problem: string; hint: string }): TurnContext["model"] {
  return {
    route,
    async *stream() {
      yield { type: "error", error: { code: "model_auth", message: why.problem, hint: why.hint, retryable: false } };
    },
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}
