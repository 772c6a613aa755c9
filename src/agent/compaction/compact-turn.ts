// A turn that is for a compaction alone (/compress): it ends in the transaction that puts the summary in place, or says
// why there is none.
import type { Admission, TurnError } from "../../ledger/types.ts";
import { settledEvent } from "../events.ts";
import { sentences } from "../sentences.ts";
import { overLimit } from "../spending-limits.ts";
import { openTurn, type TurnContext } from "../turn-context.ts";
import { type CompactionResult, compact } from "./compact.ts";
import { doneWords } from "./skip-words.ts";

export async function runCompactTurn(context: TurnContext, admission: Admission): Promise<void> {
  const state = await openTurn(context);
  const other = (await compactedMeanwhile(context, admission)) ?? (await tooDear(context, admission));
  const result =
    other ?? (await compact(context, state, { reason: "asked", focus: focusOf(admission), endsTurn: true }));
  if (result.kind === "compacted" && result.compacted.settled)
    return context.emit(settledEvent(result.compacted.settled.admission));
  if (result.kind === "stopped")
    context.emit({ type: "compaction-left", admission: admission.id, why: "Stopped. Nothing was changed." });
  const { outcome, error } = endOf(result);
  const end = { outcome, at: context.now(), ...(error && { error }), ...(state.usage && { usage: state.usage }) };
  const settled = await context.db.settle(context.turn, end);
  context.emit(settledEvent(settled.admission));
}

function endOf(result: CompactionResult): { outcome: "interrupted" | "rejected"; error?: TurnError } {
  if (result.kind !== "left") return { outcome: "interrupted" };
  return { outcome: "rejected", error: { code: "compaction_skipped", message: result.why } };
}

/** Somebody else did it while this one waited for its turn: twice in a row is of no use to anybody. */
async function compactedMeanwhile(
  { db, turn, emit }: TurnContext,
  { queuedAt }: Admission,
): Promise<(CompactionResult & { kind: "left" }) | undefined> {
  const session = await db.canonical(turn.conversation);
  if (session.edge !== "compression" || session.startedAt < queuedAt) return undefined;
  const summary = await db.summaryAtEnd(session.id);
  if (summary?.admission === undefined) return undefined;
  const { submitter } = await db.admission(summary.admission);
  const why = `Compaction skipped: ${doneWords(submitter)}`;
  emit({ type: "compaction-left", admission: turn.admission, why });
  return { kind: "left", why };
}

async function tooDear(
  context: TurnContext,
  { id }: Admission,
): Promise<(CompactionResult & { kind: "left" }) | undefined> {
  const error = await overLimit(context, context.model.route);
  if (!error) return undefined;
  const why = `Compaction skipped: ${sentences(error.message, error.hint)}`;
  context.emit({ type: "compaction-left", admission: id, why });
  return { kind: "left", why };
}

function focusOf({ payload }: Admission): string {
  return payload.prompt
    .map((part) => (part.kind === "text" ? part.text : ""))
    .join(" ")
    .trim();
}
