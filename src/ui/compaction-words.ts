// What is said of a compaction, while it runs and afterwards. Pure.
import type { SessionEvent } from "../agent/events.ts";
import type { Message } from "../ledger/types.ts";

type Started = Extract<SessionEvent, { readonly type: "compaction-started" }>;

/** One that is going on. */
export interface LiveCompaction extends Pick<Started, "reason" | "tokens"> {
  readonly stage?: { readonly stage: number; readonly of: number };
}

/** `compacting about 123,000 tokens · part 2 of 5` */
export function compactingWords({ reason, tokens, stage }: LiveCompaction): string {
  const why = { asked: "", full: ", the window is nearly full", overflow: ", they are too many for the model" }[reason];
  const part = stage && stage.of > 1 ? ` · part ${stage.stage} of ${stage.of}` : "";
  return `compacting about ${number(tokens)} tokens${why}${part}`;
}

/** `compacted 42 messages for the model: 123,000 → 18,000 tokens` */
export function compactedWords({ parts }: Pick<Message, "parts">): string {
  const part = parts.find(({ kind }) => kind === "summary");
  if (part?.kind !== "summary" || part.folded === undefined) return "compacted for the model";
  const { folded, before, after } = part;
  const sizes = before === undefined || after === undefined ? "" : `: ${number(before)} → ${number(after)} tokens`;
  return `compacted ${folded} ${folded === 1 ? "message" : "messages"} for the model${sizes}`;
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}
