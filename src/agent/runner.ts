// One conversation's driver: admits prompts, holds the lease while turns run, runs what waits in order, stops,
// and tells what happens as one ordered stream of events. The session's id lives here and nowhere else.
// Losing the lease aborts the turn. Nothing depends on a clean exit.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { LedgerError } from "../ledger/errors.ts";
import { newHolderId, newRequestId } from "../ledger/ids.ts";
import type { LeaseRef } from "../ledger/leases.ts";
import type { Edit, RetryResult } from "../ledger/queue.ts";
import type {
  Admission,
  AdmissionId,
  ApprovalMode,
  Envelope,
  HolderId,
  MessageId,
  ModelRoute,
  Payload,
  Refusal,
  RequestId,
  Session,
  Target,
  TurnRef,
} from "../ledger/types.ts";
import { runCommandTurn } from "./command-turn.ts";
import { runCompactTurn } from "./compaction/compact-turn.ts";
import { ContextWatch } from "./context-watch.ts";
import { currentEnvelope } from "./envelope.ts";
import type { SessionEvent } from "./events.ts";
import { giveUpTurn } from "./give-up.ts";
import { keepUnanswerable } from "./kept-prompts.ts";
import { awaitLease, keepLease } from "./lease-keeper.ts";
import { messagesSince } from "./messages-since.ts";
import { sentences } from "./sentences.ts";
import { runShellTurn } from "./shell-turn.ts";
import { runTurn } from "./turn.ts";
import type { ApprovalAsk, ApprovalReply, TurnContext } from "./turn-context.ts";
import { type TurnOptions, TurnSetup } from "./turn-setup.ts";

export interface RunnerOptions extends TurnOptions {
  readonly session: Session;
  readonly mode: ApprovalMode;
  readonly program: string;
  /** Files of the project that the model is told. */
  readonly contextFiles?: readonly string[];
  /** A person watches: go on trying to write when the ledger refuses. Else the first refusal ends it. */
  readonly isWatched?: boolean;
  readonly now?: () => number;
}

export interface SubmitOptions {
  readonly request?: RequestId;
  readonly target?: Target;
  /** `shell`: the prompt is of `typedPrompt`. `compact`: it is what the summary dwells on, and may be empty. */
  readonly kind?: "prompt" | "steer" | "shell" | "compact";
  /** Bytes of the prompt's file parts. */
  readonly blobs?: readonly Uint8Array[];
}

type Listener = (event: SessionEvent) => void;

export class Runner {
  readonly holder: HolderId = newHolderId(process.pid);
  /** Runs a command that a loop repeats, as it was typed; resolves to what it says. Absent: a model is asked. */
  runCommand: ((text: string) => Promise<string>) | undefined;
  readonly #options: RunnerOptions;
  readonly #context: ContextWatch;
  readonly #setup: TurnSetup;
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
  /** When the turn last said anything, and how many approvals wait for a person, which is no stall. */
  #heardAt = 0;
  #asking = 0;
  #toldProblem: LedgerError | undefined;
  #isWaiting = false;
  #known: MessageId | undefined;
  #isClosed = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#setup = new TurnSetup(options);
    this.#session = options.session;
    this.#known = options.session.head;
    this.#mode = options.mode;
    this.#now = options.now ?? Date.now;
    const { db, files, contextFiles: names = ["AGENTS.md"] } = options;
    this.#context = new ContextWatch({ db, files, names, emit: (event) => this.emit(event) });
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
  /** For the lease: somebody else holds the conversation. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }
  /** The newest node that was told, or the head of what was opened. */
  get known(): MessageId | undefined {
    return this.#known;
  }

  /** Events in order from now on; returns how to stop listening. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: SessionEvent): void {
    if (event.type === "message-added") this.#known = event.message.id;
    if (event.type === "head-moved") this.#known = event.head;
    if (event.type === "session") this.#known = event.session.head;
    if (event.type === "compacted") this.#session = event.session;
    this.#heardAt = performance.now();
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
      ...(options.blobs && { blobs: options.blobs }),
    });
    if (route) this.#nextRoute = undefined;
    this.admitted(admission);
    return admission;
  }

  /** Another text, or another way to go, for a prompt that waits; it keeps its place. */
  async edit(
    { id, payload }: Admission,
    edit: Omit<Edit, "request" | "payload"> & Partial<Payload>,
  ): Promise<Admission> {
    const { db } = this.#options;
    const { steers, blobs, ...changed } = edit;
    const more = { ...(steers !== undefined && { steers }), ...(blobs && { blobs }) };
    const edited = await db.edit(id, { request: newRequestId(), payload: { ...payload, ...changed }, ...more });
    await this.tellQueue();
    this.wake();
    return edited;
  }

  /** Something of it was changed from outside. */
  async tellQueue(): Promise<void> {
    const waiting = await this.#options.db.openAdmissions(this.#session.conversation);
    this.emit({ type: "queue-changed", waiting });
  }

  /** The last prompt again, before everything that waits; its old answer stays as a sibling. */
  async retry(): Promise<RetryResult> {
    const { id, cwd } = this.#session;
    const wanted = { request: newRequestId(), approval: this.#mode, cwd, holder: this.holder };
    const result = await this.#options.db.retry(id, wanted);
    if (result.kind !== "retried") return result;
    this.emit({ type: "head-moved", session: id, ...(result.head !== undefined && { head: result.head }) });
    await this.refresh();
    this.admitted(result.admission);
    return result;
  }

  /** It is stored and waits: tells so, and runs it when its turn comes. */
  admitted(admission: Admission): void {
    const { id, request, status, summary: text, kind } = admission;
    const how = kind === "steer" && { isSteer: true };
    this.emit({ type: "prompt-admitted", admission: id, request, state: status, text, ...how });
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

  /** A turn of ours runs; resolves once it is sure that none of what was admitted is about to. */
  async isBusy(): Promise<boolean> {
    while (this.#draining && !this.#turn && !this.#isWaiting) await this.#nextChange(this.#draining);
    return this.#turn !== undefined;
  }

  #nextChange(drained: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const unlisten = this.listen(({ type }) => {
        if (type === "turn-started" || type === "lease-awaited") changed();
      });
      const changed = (): void => {
        unlisten();
        resolve();
      };
      void drained.then(changed);
    });
  }

  /** Stops the running turn; what was queued behind it waits for a key. Little time is left after a hang-up. */
  stop(why: "asked" | "hang-up" = "asked"): void {
    this.emit({ type: "stop-asked" });
    this.#turn?.abort(why === "hang-up" ? new HangUp() : undefined);
    this.#waiting.abort();
    this.#waiting = new AbortController();
  }

  /** Ends the running turn as interrupted and gives the lease back. */
  async close(why: "asked" | "hang-up" = "asked"): Promise<void> {
    this.#isClosed = true;
    this.stop(why);
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

  /** What a first prompt in this folder would be sent with; of another folder the settings are not known. */
  async promptAhead(session: Session): Promise<string | undefined> {
    return session.cwd === this.#session.cwd ? this.#context.ahead(session, this.#now()) : undefined;
  }

  /** What changed in the row: title, model, head. */
  async refresh(): Promise<Session> {
    const { conversation } = this.#session;
    const session = await this.#options.db.canonical(conversation);
    if (this.#session.conversation !== conversation) return this.#session; // another one was opened meanwhile
    this.#session = session;
    this.emit({ type: "session-changed", session });
    return session;
  }

  /** Somebody else wrote meanwhile: tells it, and goes on from what is there now (C 3.9). */
  async catchUp(): Promise<void> {
    const { db } = this.#options;
    const known = this.#known;
    const session = await db.canonical(this.#session.conversation);
    if (session.id === this.#session.id && session.revision === this.#session.revision) return;
    const added = session.head === known ? [] : await messagesSince(db, session, known);
    // A turn of our own began meanwhile: it tells its messages itself.
    if (this.#known !== known || session.conversation !== this.#session.conversation) return;
    await this.refresh();
    if (!added) {
      const { id, head } = session;
      return this.emit({ type: "head-moved", session: id, ...(head !== undefined && { head }) });
    }
    for (const message of added) {
      this.emit({ type: "message-added", message, elsewhere: true });
      for (const call of await db.callsOfMessages([message.id])) this.emit({ type: "call-changed", call });
    }
  }

  /** An interrupted turn goes on from its last stored node; refused while a call of it is undecided. */
  async resume(
    id: AdmissionId,
    options: { readonly mayDiffer?: boolean } = {},
  ): Promise<{ readonly kind: "resumed" } | Refusal> {
    const { db, models } = this.#options;
    await this.idle();
    // It would be spent on a fault that is none of its own.
    const opened = models.open(await this.#setup.routeOf(await db.admission(id), this.#session.route));
    if (!opened.ok)
      return { kind: "conflict", why: sentences(`The model cannot be asked: ${opened.problem}`, opened.hint) };
    const taken = await db.acquireLease({ conversation: this.#session.conversation, holder: this.holder });
    if (taken.kind === "held") return { kind: "busy", why: "Another program holds this conversation." };
    try {
      const resumed = await db.resumeUnknown(taken.lease, id, options);
      if (resumed.kind !== "resumed") return resumed;
      this.#resumed = { lease: taken.lease, turn: resumed.turn, admission: resumed.admission };
    } finally {
      if (!this.#resumed) await db.releaseLease(taken.lease);
    }
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
    await this.#keepUnanswerable();
    if (!resumed && !(await hasWork(db, this.#session))) return;
    const lease = resumed?.lease ?? (await this.#takeLease());
    if (!lease) return this.#giveUpWaiting(conversation);
    const stopKeeping = keepLease(db, lease, {
      onLost: (lost) => this.#turn?.abort(lost),
      isStalled: () => this.#asking === 0 && performance.now() - this.#heardAt > WATCHDOG_MS,
    });
    try {
      if (resumed) {
        this.emit({ type: "turn-started", admission: resumed.admission.id });
        await this.#run(resumed.turn, resumed.admission);
      }
      while (!this.#isClosed) {
        await this.#keepUnanswerable(); // again: more may have come meanwhile
        const claimed = await db.claim(lease, { at: this.#now(), envelope: await this.#envelope() });
        if (claimed.kind === "blocked") this.emit({ type: "turn-blocked", admission: claimed.admission });
        if (claimed.kind !== "claimed") break;
        this.emit({ type: "turn-started", admission: claimed.admission.id });
        if (claimed.message) this.emit({ type: "message-added", message: claimed.message });
        await this.#run(claimed.turn, claimed.admission);
        if (await this.#holdRestIfStopped(conversation, claimed.admission.id)) break;
      }
    } finally {
      stopKeeping();
      await db.releaseLease(lease).catch(() => {
        // Lost already, or the ledger is gone: both are told where they were found.
      });
    }
  }

  /** esc means stop: the next prompt does not start by itself right after it. */
  async #holdRestIfStopped(conversation: Session["conversation"], id: AdmissionId): Promise<boolean> {
    if ((await this.#options.db.admission(id)).outcome !== "interrupted") return false;
    await this.#holdWaiting(conversation, "the turn before it was stopped");
    return true;
  }

  async #holdWaiting(conversation: Session["conversation"], why: string): Promise<void> {
    const { db } = this.#options;
    for (const each of await db.openAdmissions(conversation)) if (isOwn(each)) await db.hold(each.id, why);
    await this.tellQueue();
  }

  async #giveUpWaiting(conversation: Session["conversation"]): Promise<void> {
    try {
      await this.#holdWaiting(conversation, "you stopped waiting");
    } finally {
      this.emit({ type: "lease-given-up" });
    }
  }

  /** Waits for whoever holds the conversation; undefined when the waiting was stopped. */
  async #takeLease(): Promise<LeaseRef | undefined> {
    const { db } = this.#options;
    const { conversation } = this.#session;
    const taken = await awaitLease(db, {
      conversation,
      holder: this.holder,
      signal: this.#waiting.signal,
      stillWanted: async () => !this.#isClosed && (await hasWork(db, this.#session)),
      onHeld: (holder, since) => {
        this.#isWaiting = true;
        this.emit({ type: "lease-awaited", conversation, ...(holder && { holder }), ...(since && { since }) });
      },
    });
    this.#isWaiting = false;
    if (taken?.waited) {
      this.emit({ type: "lease-acquired" });
      await this.catchUp();
    }
    return taken?.lease;
  }

  async #keepUnanswerable(): Promise<void> {
    const { db, models, isWatched } = this.#options;
    const session = this.#session;
    const kept = isWatched ? await keepUnanswerable({ db, models, session }, isOwn) : undefined;
    if (!kept) return;
    const { admissions, why } = kept;
    await this.tellQueue();
    this.emit({ type: "prompts-kept", admissions, why: `Kept, not sent: ${why} Then /queue run sends it.` });
  }

  // ---- one turn ----

  async #run(turn: TurnRef, admission: Admission): Promise<void> {
    this.#turn = new AbortController();
    try {
      await this.#runOf(admission, await this.#turnContext(turn, admission, this.#turn.signal));
    } catch (error) {
      const why = error as LedgerError;
      if (why.code === "request_differs") return await this.#handBack(turn, why);
      await this.#giveUp(turn, why);
      throw error;
    } finally {
      this.#turn = undefined;
      await this.refresh().catch(() => {
        // The problem that matters was told above.
      });
    }
  }

  #runOf(admission: Admission, context: TurnContext): Promise<void> {
    if (admission.kind === "shell") return runShellTurn(context);
    if (admission.kind === "compact") return runCompactTurn(context, admission);
    const { runCommand } = this;
    const isCommand = admission.kind === "loop" && admission.summary.startsWith("/");
    return isCommand && runCommand ? runCommandTurn(context, admission, runCommand) : runTurn(context);
  }

  /** It cannot go on as it was: a person decides. */
  async #handBack(turn: TurnRef, { message, hint }: LedgerError): Promise<void> {
    const { db } = this.#options;
    await db.markUnknown(turn);
    this.emit({ type: "turn-blocked", admission: await db.admission(turn.admission), why: sentences(message, hint) });
  }

  /** The turn could not be written to its end. */
  async #giveUp(turn: TurnRef, why: LedgerError): Promise<void> {
    this.#problem(why);
    const stop = new AbortController();
    if (this.#isClosed) stop.abort();
    const unlisten = this.listen((event) => {
      if (event.type === "stop-asked") stop.abort();
    });
    const { db, isWatched = false } = this.#options;
    await giveUpTurn(db, turn, { signal: stop.signal, isWatched }).finally(unlisten);
  }

  #turnContext(turn: TurnRef, admission: Admission, signal: AbortSignal): Promise<TurnContext> {
    return this.#setup.context({
      turn,
      admission,
      route: this.#session.route,
      mode: () => this.#mode,
      ask: (question, stop) => this.#ask(question, stop),
      signal,
      now: this.#now,
      emit: (event) => this.emit(event),
    });
  }

  #ask(question: ApprovalAsk, signal: AbortSignal): Promise<ApprovalReply> {
    this.#asking += 1;
    return this.#options.ask(question, signal).finally(() => {
      this.#asking -= 1;
      this.#heardAt = performance.now();
    });
  }

  #envelope(): Promise<Envelope> {
    const { db, program } = this.#options;
    return currentEnvelope({ db, context: this.#context, program, session: this.#session, at: this.#now() });
  }

  /** Once each: a turn that is given up for it ends the queue with the same one. */
  #problem(error: LedgerError): void {
    if (error === this.#toldProblem) return;
    this.#toldProblem = error;
    const { code, message, hint } = error;
    this.emit({ type: "ledger-problem", error: { code, message, hint } });
  }
}

/** The reason of a stop that tools must not take their time for. */
class HangUp extends Error {
  override readonly name = "HangUp";
}

/** A turn without a word for this long has stalled: no model, command or person is waited for longer. */
const WATCHDOG_MS = 30 * 60_000;

/** Something of this conversation waits that this process may run. */
async function hasWork(db: AsyncSessionDB, session: Session): Promise<boolean> {
  return (await db.openAdmissions(session.conversation)).some(isOwn);
}

function isOwn(each: Admission): boolean {
  return each.status === "queued" && each.held === undefined && each.submitter.pid === process.pid;
}
