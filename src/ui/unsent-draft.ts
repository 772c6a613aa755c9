// Which unsent text comes back when a conversation is opened: the one of this window, else the newest of those whose
// windows are gone, else the newest of which nobody knows; never one of a window that is there, which may still send
// it, and never one that was sent, which a crash between the sending and the removal of its draft leaves behind. Pure.
import type { Admission, Draft, Message, Part } from "../ledger/types.ts";

export interface OpenedConversation {
  readonly drafts: readonly Draft[];
  /** The newest part of it. */
  readonly messages: readonly Message[];
  /** Of every conversation, for all that it matters. */
  readonly waiting: readonly Admission[];
}

export function unsentDraft(opened: OpenedConversation, window: string): Draft | undefined {
  const unsent = opened.drafts.filter((draft) => draft.kind === "composer" && !wasSent(draft, opened));
  const free = unsent.filter(({ holder }) => holder === "self" || holder === "dead");
  return (
    free.find(({ holder }) => holder === "self") ??
    free.find((draft) => draft.window === window) ??
    free.reduce<Draft | undefined>(newer, undefined) ??
    unsent.filter(({ holder }) => holder === "unproven").reduce<Draft | undefined>(newer, undefined)
  );
}

function newer(one: Draft | undefined, other: Draft): Draft {
  return one !== undefined && one.at >= other.at ? one : other;
}

function wasSent(draft: Draft, { messages, waiting }: OpenedConversation): boolean {
  const isIt = (parts: readonly Part[], at: number): boolean => at >= draft.at && textOf(parts) === draft.text;
  return (
    messages.some(({ role, parts, at }) => role === "user" && isIt(parts, at)) ||
    waiting.some(({ payload, queuedAt }) => isIt(payload.prompt, queuedAt))
  );
}

function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
}
