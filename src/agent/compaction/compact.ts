// Compaction from the first look to the commit: whether there is room, what is folded, the summary, and the one
// transaction that puts it in place (ledger/compaction.ts). Until that commit nothing has changed: an attempt that is
// stopped, fails or comes late leaves the conversation as it was. Each step is told.
import { randomUUID } from "node:crypto";
import type { Compacted, Spent } from "../../ledger/compaction.ts";
import type { CompactionSkip } from "../../ledger/compaction-locks.ts";
import { sumOf, type TurnContext, type TurnState } from "../turn-context.ts";
import { type Attempt, type CompactionWish, fixedTokens, sizeOf } from "./attempt.ts";
import { type FoldRoom, planFold } from "./fold-plan.ts";
import { type Made, newSummary, summaryOf } from "./make-summary.ts";
import { skipWords } from "./skip-words.ts";

export type CompactionResult =
  | { readonly kind: "compacted"; readonly compacted: Compacted }
  | { readonly kind: "stopped" }
  /** Nothing was changed. */
  | { readonly kind: "left"; readonly why: string };

/** Of the window: what recent turns may take that stay as they are, and what the last one may take at the most. */
const KEPT = 0.2;
const MOST = 0.65;
/** Where the window is not known. */
const UNKNOWN: FoldRoom = { kept: 20_000, most: 60_000 };
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
  const plan = planFold(state.path, {
    room: foldRoom(size, { fixed: fixedTokens(context), isTooLong: wish.reason === "overflow" }),
    reason: wish.reason,
  });
  if (!plan) return { kind: "left", why: nothingWords(size, fixedTokens(context) * size.scale) };
  const attempt = randomUUID();
  const begun = await db.beginCompaction(turn, { attempt, isAsked });
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

type Size = ReturnType<typeof sizeOf>;

/**
 * By our estimate; the provider counts `scale` times as many. What the provider says is too long is more than its window,
 * whatever is known of that.
 */
function foldRoom(
  { window, tokens, scale }: Size,
  { fixed, isTooLong }: { fixed: number; isTooLong: boolean },
): FoldRoom {
  const known = isTooLong ? Math.min(window ?? tokens, tokens) : window;
  if (known === undefined) return UNKNOWN;
  const whole = known / scale;
  return { kept: whole * KEPT, most: Math.max(0, whole * MOST - fixed) };
}

function nothingWords({ tokens, window }: Size, fixed: number): string {
  const why = "Nothing to compact: there is nothing before the last turn.";
  if (window === undefined || fixed < window / 2) return why;
  const share = Math.round((100 * fixed) / window);
  return `${why} System prompt, its files and tools alone take about ${share} % of the window, all of it ${Math.round((100 * tokens) / window)} %.`;
}

function skipped(skip: CompactionSkip, now: number): string {
  return `Compaction skipped: ${skipWords(skip, now)}`;
}

async function finish(run: Attempt, { result, model }: Made): Promise<CompactionResult> {
  const { context, attempt } = run;
  const { db, turn } = context;
  const spent = result.usage ? [{ route: model.route, usage: result.usage }] : [];
  run.state.usage = sumOf(run.state.usage, result.usage);
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
