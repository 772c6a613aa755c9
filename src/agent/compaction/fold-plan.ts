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

/** In tokens as we estimate them. */
export interface FoldRoom {
  /** For turns that are kept because they are recent. */
  readonly kept: number;
  /** For the last turn, which is kept wherever it can be: what is left beside system prompt, tools and summary. */
  readonly most: number;
}

/**
 * `path`: what the model gets now, as it is stored. Undefined when there is nothing but the last turn and that has to
 * stay. What a person has just asked is never folded before something was done about it.
 */
export function planFold(
  path: readonly Message[],
  { room, reason }: { room: FoldRoom; reason: CompactionReason },
): FoldPlan | undefined {
  const told = asTold(path);
  const begins = turnBegins(told);
  const last = begins.at(-1) ?? told.length;
  const fitting = begins.find((at) => estimateAll(told.slice(at)) <= room.kept);
  const mayFoldAll = isFoldable(told.slice(last), { room, reason });
  if (fitting === undefined && mayFoldAll) return planAt(told, told.length);
  // All of it would fit, and yet it has to get smaller: only the last turn stays.
  const choices = [...(fitting === undefined ? [] : [fitting]), last];
  const at = choices.find((each) => isNews(told, each));
  if (at !== undefined) return planAt(told, at);
  return reason === "overflow" && mayFoldAll ? planAt(told, told.length) : undefined;
}

/** Its request is told word for word behind the summary, so there has to be room for that. */
function isFoldable(turn: readonly Message[], { room, reason }: { room: FoldRoom; reason: CompactionReason }): boolean {
  const isBegun = turn.some(({ role }) => role === "assistant");
  if (!isBegun) return false;
  if (reason === "asked") return estimateAll(turn) > room.most;
  const asked = turn.filter(({ role }) => role === "user");
  const isTooBig = reason === "overflow" || estimateAll(turn) > room.most;
  return isTooBig && estimateAll(asked) <= room.most / 2;
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
