// Keeps the loop of the open conversation: fires its ticks when they are due and nobody is in the way, and says what came
// of each. The ledger decides whether a tick is fired; here is only when it is asked. The person always comes first.
import type { AsyncSessionDB } from "../../ledger/async-session-db.ts";
import { isSameProcess } from "../../ledger/identity.ts";
import type {
  Admission,
  AdmissionId,
  ConversationId,
  Loop,
  LoopId,
  LoopPlan,
  ModelRoute,
  Payload,
  ProcessIdentity,
  Refusal,
  Usage,
} from "../../ledger/types.ts";
import type { SessionEvent } from "../events.ts";
import type { ModelRegistry } from "../models/registry.ts";
import type { Runner } from "../runner.ts";
import { overLimit, type Spending } from "../spending-limits.ts";
import { answerDigest } from "./answer-digest.ts";
import { tickVerdict } from "./tick-verdict.ts";
import { type Judged, judgeUntil } from "./until-judge.ts";

export interface LoopOptions {
  readonly db: AsyncSessionDB;
  readonly runner: Runner;
  readonly models: ModelRegistry;
  readonly self: ProcessIdentity;
  /** Nobody is typing, and no question is open. */
  readonly isFree: () => boolean;
  /** In US dollars; undefined where it is not known. */
  readonly costOf: (usage: Usage, route: ModelRoute, at: number) => number | undefined;
  /** Absent: nothing is limited. */
  readonly spending?: Spending;
  readonly now: () => number;
  /** Calls back once, in ms from now; returns how to call it off. */
  readonly timer?: (ms: number, call: () => void) => () => void;
}

/** Looked at again so soon while something is in the way, and at the latest after so long: clocks jump. In ms. */
const LOOK_MS = { busy: 1_000, orphan: 5_000, most: 30_000 };
const JUDGE_MS = 60_000;

/** Said to a model with each tick. */
const HOW_TO_END = "(This comes again by itself. When nothing is left to do, say LOOP_COMPLETE alone on a line.)";

export class LoopKeeper {
  readonly #options: LoopOptions;
  readonly #timer: NonNullable<LoopOptions["timer"]>;
  readonly #closing = new AbortController();
  #loop: Loop | undefined;
  #tick: { readonly id: LoopId; readonly slot: number; readonly admission: AdmissionId } | undefined;
  #lastFired: AdmissionId | undefined;
  #callOff: (() => void) | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#timer = options.timer ?? usualTimer;
    options.runner.listen((event) => this.#heard(event));
  }

  get loop(): Loop | undefined {
    return this.#loop;
  }

  /** The turn of the newest tick, over or not. */
  get lastFired(): AdmissionId | undefined {
    return this.#lastFired;
  }

  /** A tick of it has begun, and is not over. */
  get isTicking(): boolean {
    return this.#tick !== undefined;
  }

  /** Of the conversation that is open now. */
  async open(): Promise<Loop | undefined> {
    this.#tick = undefined;
    this.#set(await this.#options.db.openLoop(this.#conversation));
    return this.#loop;
  }

  /** Another window may have begun, paused or ended it, or fired a tick. */
  look(): void {
    this.#do(async () => {
      const known = this.#loop;
      const found = await this.#options.db[known ? "loopOf" : "openLoop"](this.#conversation);
      if (this.#loop === known && JSON.stringify(found) !== JSON.stringify(known)) this.#set(found);
    });
  }

  async start(plan: LoopPlan): Promise<Loop | Refusal> {
    const loop = await this.#options.db.startLoop(this.#options.runner.session.id, plan);
    if ("kind" in loop) return loop;
    this.#set(loop);
    return loop;
  }

  /** What of it runs goes on; nothing more is fired. `isSaid`: the caller tells the person. */
  async pause(why: string, isSaid = false): Promise<Loop | undefined> {
    const loop = await this.#options.db.pauseLoop(this.#conversation, why);
    this.#set(loop, isSaid);
    return loop;
  }

  async resume(): Promise<Loop | Refusal> {
    const loop = await this.#options.db.resumeLoop(this.#conversation);
    if (!("kind" in loop)) this.#set(loop);
    return loop;
  }

  async stop(): Promise<Loop | undefined> {
    const loop = await this.#options.db.stopLoop(this.#conversation);
    this.#set(loop);
    return loop;
  }

  /** A loop runs only while its conversation is open: the next start shows it paused. */
  async close(why = "stele was closed"): Promise<void> {
    this.#callOff?.();
    this.#closing.abort();
    await this.#work;
    if (this.#loop && this.#isMine(this.#loop)) await this.#options.db.pauseLoop(this.#loop.conversation, why);
  }

  /** Resolves when what has ended is written. */
  async settled(): Promise<void> {
    await this.#work;
  }

  get #conversation(): ConversationId {
    return this.#options.runner.session.conversation;
  }

  #isMine({ state, runner }: Loop): boolean {
    return state === "active" && runner !== undefined && isSameProcess(runner, this.#options.self);
  }

  #set(loop: Loop | undefined, isSaid = false): void {
    this.#loop = loop;
    this.#options.runner.emit({ type: "loop-changed", ...(loop && { loop }), isSaid });
    this.#arm();
  }

  #arm(): void {
    this.#callOff?.();
    this.#callOff = undefined;
    const loop = this.#loop;
    // Who is killed writes nothing about it.
    if (loop?.state === "active" && !this.#isMine(loop) && !this.#closing.signal.aborted)
      this.#callOff = this.#timer(LOOK_MS.orphan, () => this.#do(() => this.#lookAtRunner()));
    if (!loop || !this.#isMine(loop) || this.#tick || this.#closing.signal.aborted) return;
    const left = (loop.nextDueAt ?? 0) - this.#options.now();
    const wait = left > 0 ? Math.min(left, LOOK_MS.most) : this.#mayFire() ? 0 : LOOK_MS.busy;
    this.#callOff = this.#timer(wait, () => this.#do(() => this.#fire()));
  }

  async #lookAtRunner(): Promise<void> {
    const paused = await this.#options.db.pauseOrphanLoops();
    if (paused.some(({ id }) => id === this.#loop?.id)) await this.open();
    else this.#arm();
  }

  #mayFire(): boolean {
    const { runner, isFree } = this.#options;
    return !runner.isRunning && !runner.isWaiting && isFree();
  }

  async #fire(): Promise<void> {
    const loop = this.#loop;
    const isDue = loop && this.#isMine(loop) && this.#options.now() >= (loop.nextDueAt ?? 0);
    if (!isDue || !this.#mayFire()) return this.#arm();
    const { db, runner } = this.#options;
    const fired = await db.fireLoop({ id: loop.id, slot: loop.nextSlot }, this.#payload(loop));
    if (fired.kind === "fired") {
      this.#tick = { id: loop.id, slot: loop.nextSlot, admission: fired.admission.id };
      this.#lastFired = fired.admission.id;
      runner.admitted(fired.admission);
    }
    this.#set(fired.loop);
  }

  #payload({ plan }: Loop): Payload {
    const { runner } = this.#options;
    const isForModel = runner.session.route.provider !== "guide" && !plan.text.startsWith("/");
    const text = isForModel ? `${plan.text}\n\n${HOW_TO_END}` : plan.text;
    return { prompt: [{ kind: "text", text }], approval: plan.approval, cwd: plan.cwd };
  }

  #heard(event: SessionEvent): void {
    if (event.type === "session") this.#do(() => this.#moved());
    if (event.type === "turn-settled" && event.admission === this.#tick?.admission) this.#do(() => this.#ended());
  }

  /** A loop stays with its conversation. */
  async #moved(): Promise<void> {
    const left = this.#loop;
    if (left && this.#isMine(left) && left.conversation !== this.#conversation)
      await this.#options.db.pauseLoop(left.conversation, "another conversation was opened");
    await this.open();
  }

  async #ended(): Promise<void> {
    const tick = this.#tick;
    const { db } = this.#options;
    if (!tick) return;
    const admission = await db.admission(tick.admission);
    const loop = await db.loopOf(admission.conversation);
    if (!loop || loop.id !== tick.id || admission.outcome === undefined) return;
    const answer = await this.#answerOf(admission);
    const digest = answer === "" ? undefined : answerDigest(answer);
    const { usage, ...judged } = await this.#judge(loop, admission, answer);
    const route = admission.payload.route ?? this.#options.runner.session.route;
    const usd = this.#costOf(route, admission.usage, usage);
    const said = { ...(digest !== undefined && { digest }), ...(usd !== undefined && { usd }) };
    const { outcome, error } = admission;
    const ended = { loop, outcome, answer, judged, ...said, ...(error && { error }) };
    const next = await db.endTick(tick, {
      ...{ ...said, next: tickVerdict(ended) },
      ...(usage && { judging: { route, usage } }),
    });
    if (this.#tick === tick) this.#tick = undefined;
    if (next.conversation === this.#conversation) this.#set(next);
  }

  async #answerOf({ outcome, lastMessage }: Admission): Promise<string> {
    if (outcome !== "completed" || lastMessage === undefined) return "";
    const message = await this.#options.db.message(lastMessage);
    const texts = message?.role === "assistant" ? message.parts : [];
    return texts
      .flatMap((part) => (part.kind === "text" ? [part.text] : []))
      .join("\n")
      .trim();
  }

  async #judge({ plan }: Loop, admission: Admission, answer: string): Promise<Judged> {
    if (plan.until === undefined || answer === "") return { kind: "open" };
    const { db, models, runner } = this.#options;
    const opened = models.open(admission.payload.route ?? runner.session.route);
    if (!opened.ok) return { kind: "open" };
    const asker = { ...this.#options, turn: { admission: admission.id, session: admission.session } };
    // The next tick will be told so.
    if (await overLimit(asker, opened.model.route)) return { kind: "open" };
    const calls = await db.callsOf(admission.id);
    const result = calls.findLast(({ tool }) => tool === "shell")?.result;
    const exitCode = result === undefined ? undefined : await this.#exitCodeOf(result);
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(JUDGE_MS)]);
    const question = { model: opened.model, until: plan.until, answer, signal };
    return judgeUntil({ ...question, ...(exitCode !== undefined && { exitCode }) });
  }

  async #exitCodeOf(id: Parameters<AsyncSessionDB["message"]>[0]): Promise<number | undefined> {
    const message = await this.#options.db.message(id);
    const results = (message?.parts ?? []).flatMap((part) => (part.kind === "tool-result" ? [part.outcome] : []));
    const last = results.at(-1);
    return last && "exitCode" in last ? last.exitCode : undefined;
  }

  /** Of the turn and of what was asked about it. */
  #costOf(route: ModelRoute, ...spent: readonly (Usage | undefined)[]): number | undefined {
    const { costOf, now } = this.#options;
    const costs = spent.flatMap((usage) => (usage ? [costOf(usage, route, now())] : []));
    return costs.reduce<number | undefined>(
      (sum, usd) => (sum === undefined || usd === undefined ? undefined : sum + usd),
      0,
    );
  }

  /** One after the other. A ledger that refuses is told by the runner's own writes; the tick is looked at again later. */
  #do(action: () => Promise<void>): void {
    this.#work = this.#work.then(action).catch(() => {
      this.#callOff = this.#timer(LOOK_MS.most, () => this.#do(() => this.open().then(() => undefined)));
    });
  }
}

function usualTimer(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}
