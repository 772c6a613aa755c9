// Compaction from the first look to the commit: whether there is room, what is folded, the summary, and the one
// transaction that puts it in place (ledger/compaction.ts). Until that commit nothing has changed: an attempt that is
// stopped, fails or comes late leaves the conversation as it was. Each step is told.
import { randomUUID } from "node:crypto";
import type { Compacted, CompactionSkip, Spent } from "../../ledger/compaction.ts";
import type { Usage } from "../../ledger/types.ts";
import type { TurnContext, TurnState } from "../turn-context.ts";
import { type Attempt, type CompactionWish, sizeOf } from "./attempt.ts";
import { type CompactionReason, planFold } from "./fold-plan.ts";
import { type Made, newSummary, summaryOf } from "./make-summary.ts";
import { skipWords } from "./skip-words.ts";
import { sumOf } from "./summarise.ts";

export type CompactionResult =
  | { readonly kind: "compacted"; readonly compacted: Compacted }
  | { readonly kind: "stopped" }
  /** Nothing was changed. */
  | { readonly kind: "left"; readonly why: string };

/** Of the window, what stays as it is. */
const KEPT = { usual: 0.2, overflow: 0.1 } as const;
/** In tokens, where the window is not known. */
const KEPT_UNKNOWN = 20_000;
/** In ms (C 5.5). */
const COOLDOWN = { provider: 600_000, commit: 60_000 } as const;

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

function addUsage(state: TurnState, usage: Usage | undefined): void {
  if (usage) state.usage = sumOf(state.usage, usage);
}
