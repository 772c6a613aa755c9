// Compaction from the first look to the commit: whether there is room, what is folded, the summary, and the one
// transaction that puts it in place (ledger/compaction.ts). Until that commit nothing has changed: an attempt that is
// stopped, fails or comes late leaves the conversation as it was. Each step is told.
import { randomUUID } from "node:crypto";
import type { Compacted, CompactionSkip, NewSummary, Spent } from "../../ledger/compaction.ts";
import type { Message, Usage } from "../../ledger/types.ts";
import type { Model } from "../models/model.ts";
import { estimateText } from "../tokens.ts";
import type { TurnContext, TurnState } from "../turn-context.ts";
import { estimateAll, requestSize } from "./context-size.ts";
import { extractSummary } from "./extract.ts";
import { type CompactionReason, type FoldPlan, planFold } from "./fold-plan.ts";
import { skipWords } from "./skip-words.ts";
import { type SummaryResult, summarise, sumOf } from "./summarise.ts";
import { ends, transcriptTexts } from "./transcript-text.ts";

export type CompactionResult =
  | { readonly kind: "compacted"; readonly compacted: Compacted }
  | { readonly kind: "stopped" }
  /** Nothing was changed. */
  | { readonly kind: "left"; readonly why: string };

export interface CompactionWish {
  readonly reason: CompactionReason;
  readonly focus?: string;
  /** The turn is for this alone, and ends with it. */
  readonly endsTurn?: boolean;
}

/** Of the window, what stays as it is. */
const KEPT = { usual: 0.2, overflow: 0.1 } as const;
/** In tokens, where the window is not known. */
const KEPT_UNKNOWN = 20_000;
/** Of the window that sums up, what one request may take of the text. */
const STAGE = 0.5;
const STAGE_UNKNOWN = 40_000;
/** Characters of a request that is told word for word beside the summary. */
const REQUEST = 20_000;
/** In ms (C 5.5), and how long an attempt may take, and how often its lock is renewed. */
const COOLDOWN = { provider: 600_000, commit: 60_000 } as const;
const CEILING_MS = 15 * 60_000;
const RENEW_MS = 60_000;

export function sizeOf(context: TurnContext, state: Pick<TurnState, "path" | "model">) {
  const window = context.compaction.windowOf(state.model.route);
  return { window, ...requestSize(state.path, { window, fixed: fixedTokens(context) }) };
}

function fixedTokens({ system, tools }: Pick<TurnContext, "system" | "tools">): number {
  const told = tools.listTools().map(({ name, description, schema }) => [name, description, schema]);
  return estimateText(system) + estimateText(JSON.stringify(told));
}

export async function compact(context: TurnContext, state: TurnState, wish: CompactionWish): Promise<CompactionResult> {
  const result = await attemptOf(context, state, wish);
  const { admission } = context.turn;
  if (result.kind === "left") context.emit({ type: "compaction-left", admission, why: result.why });
  if (result.kind !== "compacted") return result;
  const { session, message } = result.compacted;
  state.path.splice(0, state.path.length, ...(await context.db.contextPath(context.turn.conversation)));
  context.emit({ type: "message-added", message });
  context.emit({ type: "compacted", admission, session });
  return result;
}

async function attemptOf(context: TurnContext, state: TurnState, wish: CompactionWish): Promise<CompactionResult> {
  const { db, turn } = context;
  const size = sizeOf(context, state);
  const isAsked = wish.reason === "asked";
  const room = keptRoom(size, wish.reason);
  const plan = planFold(state.path, { room: room / size.scale, reason: wish.reason });
  if (!plan) return { kind: "left", why: "Nothing to compact: there is nothing before the last turn." };
  const attempt = randomUUID();
  const begun = await db.beginCompaction(turn, { attempt, isAsked: isAsked || wish.reason === "overflow" });
  if (begun.kind === "skipped") return { kind: "left", why: skipped(begun, context.now()) };
  context.emit({ type: "compaction-started", admission: turn.admission, reason: wish.reason, tokens: size.tokens });
  const run: Attempt = {
    context,
    state,
    wish,
    plan,
    attempt,
    before: size.tokens,
    scale: size.scale,
    window: size.window,
  };
  try {
    return await finish(run, await summaryOf(run));
  } catch (error) {
    await db.cancelCompaction({ conversation: turn.conversation, attempt }).catch(() => {
      // The ledger is in trouble, which the error says; the lock ends by itself.
    });
    throw error;
  }
}

function keptRoom(
  { window, tokens }: { window: number | undefined; tokens: number },
  reason: CompactionReason,
): number {
  if (reason === "overflow") return (window === undefined ? tokens : Math.min(window, tokens)) * KEPT.overflow;
  return window === undefined ? KEPT_UNKNOWN : window * KEPT.usual;
}

function skipped(skip: CompactionSkip, now: number): string {
  return `Compaction skipped: ${skipWords(skip, now)}`;
}

interface Attempt {
  readonly context: TurnContext;
  readonly state: TurnState;
  readonly wish: CompactionWish;
  readonly plan: FoldPlan;
  readonly attempt: string;
  readonly before: number;
  readonly scale: number;
  readonly window: number | undefined;
}

interface Made {
  readonly result: SummaryResult;
  readonly model: Model;
}

async function summaryOf(run: Attempt): Promise<Made> {
  const { context, state, plan, wish } = run;
  const { compaction, db, turn } = context;
  const opened = compaction.summariser?.();
  const model = opened?.ok ? opened.model : state.model;
  if (opened?.ok === false)
    return {
      model,
      result: {
        kind: "failed",
        error: { code: "model_refused", message: `the model for summaries cannot be used: ${opened.problem}` },
      },
    };
  if (model.route.provider === "guide")
    return { model, result: { kind: "summary", text: extractSummary(plan.folded) } };
  const stop = new AbortController();
  const renewing = setInterval(() => {
    void db.renewCompaction({ conversation: turn.conversation, attempt: run.attempt }).then(
      (isMine) => isMine || stop.abort(),
      () => undefined, // the commit will meet the same trouble, and tell it
    );
  }, RENEW_MS);
  const window = compaction.windowOf(model.route);
  try {
    const result = await summarise({
      model,
      texts: transcriptTexts(plan.folded),
      focus: wish.focus ?? "",
      room:
        Math.floor(
          window === undefined
            ? Math.min(STAGE_UNKNOWN, run.before * (wish.reason === "overflow" ? STAGE : 1))
            : window * STAGE,
        ) / run.scale,
      loadBlob: (hash) => db.blob(hash as Parameters<typeof db.blob>[0]),
      retrying: context.retrying,
      signal: AbortSignal.any([context.signal, stop.signal, AbortSignal.timeout(CEILING_MS)]),
      onStage: (stage, of) => context.emit({ type: "compaction-stage", admission: turn.admission, stage, of }),
      onWait: ({ error: { code, message }, failures, ms }) =>
        context.emit({
          type: "retry-wait",
          admission: turn.admission,
          retry: failures,
          of: context.retrying.limit,
          waitMs: ms,
          at: context.now() + ms,
          error: { code, message },
        }),
    });
    return { model, result };
  } finally {
    clearInterval(renewing);
  }
}

async function finish(run: Attempt, { result, model }: Made): Promise<CompactionResult> {
  const { context, attempt } = run;
  const { db, turn } = context;
  const spent = result.usage ? [{ route: model.route, usage: result.usage }] : [];
  addUsage(run.state, result.usage);
  if (result.kind === "stopped") {
    await db.cancelCompaction({ conversation: turn.conversation, attempt });
    if (context.signal.aborted) return { kind: "stopped" };
    return { kind: "left", why: "Compaction skipped: it took too long." };
  }
  if (result.kind === "failed")
    return failed(run, { error: result.error.message, cooldownMs: COOLDOWN.provider, spent });
  const summary = newSummary(run, { text: result.text, model, spent });
  if (summary.after >= summary.before) {
    const error = "the summary is no smaller than what it would stand for";
    return failed(run, { error, cooldownMs: COOLDOWN.commit, isIneffective: true, spent });
  }
  const compacted = await db.commitCompaction(turn, summary);
  if (compacted.kind === "compacted") return { kind: "compacted", compacted };
  return failed(run, { error: compacted.why, cooldownMs: COOLDOWN.commit, spent });
}

async function failed(
  { context, attempt }: Attempt,
  failure: { error: string; cooldownMs: number; isIneffective?: boolean; spent: readonly Spent[] },
): Promise<CompactionResult> {
  await context.db.failCompaction(context.turn, attempt, failure);
  return { kind: "left", why: `Not compacted, and nothing was changed: ${failure.error}` };
}

function newSummary(run: Attempt, made: { text: string; model: Model; spent: readonly Spent[] }): NewSummary {
  const { context, state, plan, before, scale, wish, window } = run;
  const text = framed(made.text, plan, { endsTurn: wish.endsTurn ?? false, limit: requestLimit(window) });
  const after = Math.round((fixedTokens(context) + estimateText(text) + estimateAll(plan.kept)) * scale);
  const endsTurn = wish.endsTurn ?? false;
  return {
    attempt: run.attempt,
    text,
    readUpTo: newestOf(state.path),
    ...(plan.keptFrom !== undefined && { keptFrom: plan.keptFrom }),
    folded: plan.folded.filter(({ role }) => role !== "note").length,
    before,
    after,
    isEffective: window === undefined || after < context.compaction.at * window,
    at: context.now(),
    route: made.model.route,
    spent: made.spent,
    endsTurn,
    ...(endsTurn && state.usage && { usage: state.usage }),
  };
}

function newestOf(path: readonly Message[]): Message["id"] {
  const [last] = path.slice(-1);
  if (!last) throw new TypeError("a plan needs messages");
  return last.id;
}

/** What the model reads in the place of what is folded. A turn that goes on must not lose what it was asked. */
function framed(text: string, plan: FoldPlan, { endsTurn, limit }: { endsTurn: boolean; limit: number }): string {
  const summary = `This is your own summary of the conversation so far, which is not shown to you any more:\n\n${text}`;
  if (plan.keptFrom !== undefined || endsTurn) return summary;
  const request = plan.folded.findLast(({ role }) => role === "user");
  const words = request?.parts.map((part) => (part.kind === "text" ? part.text : "")).join("\n") ?? "";
  return `${summary}\n\nThe person's request that you are carrying out, in their words:\n\n${ends(words, limit)}\n\nGo on with it.`;
}

/** Characters: a tenth of the window at the most. */
function requestLimit(window: number | undefined): number {
  return window === undefined ? REQUEST : Math.min(REQUEST, Math.floor(window * 0.4));
}

function addUsage(state: TurnState, usage: Usage | undefined): void {
  if (usage) state.usage = sumOf(state.usage, usage);
}
