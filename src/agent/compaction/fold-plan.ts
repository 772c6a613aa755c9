// What a compaction folds and what it keeps as it is: whole turns from the end, as many as their share of the window
// holds. A cut is made only before a person's message that begins a turn, so no call is ever cut from its result. Pure.
import type { Message, MessageId } from "../../ledger/types.ts";
import { estimateAll } from "./context-size.ts";

export interface FoldPlan {
  /** In the order in which a model got them: an earlier summary first. */
  readonly folded: readonly Message[];
  readonly kept: readonly Message[];
  /** Absent: the last turn alone is too big to be kept. */
  readonly keptFrom?: MessageId;
}

/**
 * `path`: what the model gets now, as it is stored. `room`: tokens, as we estimate them, that may be kept. Undefined when
 * there is nothing but the last turn and that fits.
 */
export function planFold(
  path: readonly Message[],
  { room, reason }: { room: number; reason: CompactionReason },
): FoldPlan | undefined {
  const told = asTold(path);
  const begins = turnBegins(told);
  const fitting = begins.find((at) => estimateAll(told.slice(at)) <= room) ?? told.length;
  if (isNews(told, fitting)) return planAt(told, fitting);
  // All of it would fit, and yet it has to get smaller: only the last turn stays, and not even that where it is too much.
  const last = begins.at(-1) ?? told.length;
  if (isNews(told, last)) return planAt(told, last);
  return reason === "overflow" && isNews(told, told.length) ? planAt(told, told.length) : undefined;
}

/** The newest summary stands at the end of what it kept; a model gets it first. */
function asTold(path: readonly Message[]): readonly Message[] {
  const at = path.findLastIndex(({ role }) => role === "summary");
  const summary = path[at];
  return summary
    ? [summary, ...path.slice(0, at).filter(({ role }) => role !== "summary"), ...path.slice(at + 1)]
    : path;
}

function turnBegins(told: readonly Message[]): readonly number[] {
  return told.flatMap(({ role, turn }, at) => {
    const before = told[at - 1];
    const isFirst = before === undefined || before.role === "summary" || before.turn < turn;
    return role === "user" && isFirst ? [at] : [];
  });
}

/** asked: by a person · full: the window nearly is · overflow: the provider said that it is. */
export type CompactionReason = "asked" | "full" | "overflow";

/** Something but an earlier summary would be folded. */
function isNews(told: readonly Message[], at: number): boolean {
  return told.slice(0, at).some(({ role }) => role !== "summary" && role !== "note");
}

function planAt(told: readonly Message[], at: number): FoldPlan {
  const kept = told.slice(at);
  const [first] = kept;
  return { folded: told.slice(0, at), kept, ...(first && { keptFrom: first.id }) };
}
