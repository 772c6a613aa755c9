// What a turn tells its front ends: one ordered union. Every event is sent after the commit it speaks of;
// text-delta and reasoning-delta are provisional and the only ones without a commit.
// A restored session is the same events through the same reducer as a live one.
import type {
  Admission,
  AdmissionId,
  ConversationId,
  Loop,
  Message,
  MessageId,
  Outcome,
  ProcessIdentity,
  RequestId,
  Session,
  SessionId,
  ToolCall,
  TurnError,
  Usage,
} from "../ledger/types.ts";

export type SessionEvent =
  | { readonly type: "session"; readonly session: Session; readonly resumed: boolean }
  | {
      readonly type: "prompt-admitted";
      readonly admission: AdmissionId;
      readonly request: RequestId;
      readonly state: Admission["status"];
      /** First words of it. */
      readonly text: string;
      /** It goes into the turn that runs, before its next request. */
      readonly isSteer?: boolean;
    }
  /** A running turn took it as a message of its own, which came right before. */
  | { readonly type: "prompt-steered"; readonly admission: AdmissionId; readonly by: AdmissionId }
  | {
      readonly type: "lease-awaited";
      readonly conversation: ConversationId;
      readonly holder?: ProcessIdentity;
      readonly since?: number;
    }
  | { readonly type: "lease-acquired" }
  /** It is waited for no more: a person stopped the waiting, or nothing is left that wants it. */
  | { readonly type: "lease-given-up" }
  /** Another program runs a turn of this conversation, or, without a holder, does so no more. */
  | { readonly type: "held-elsewhere"; readonly holder?: { readonly pid: number; readonly program: string } }
  /** An interrupted turn has to be decided about before anything else runs. */
  | { readonly type: "turn-blocked"; readonly admission: Admission; readonly why?: string }
  /** Prompts whose model cannot be asked now wait, and why. */
  | { readonly type: "prompts-kept"; readonly admissions: readonly AdmissionId[]; readonly why: string }
  /** All that is open in the conversation: what waits, what runs, and what has to be decided about. */
  | { readonly type: "queue-changed"; readonly waiting: readonly Admission[] }
  /** Of the open conversation; absent: it has none, or none any more. `isSaid`: who changed it tells the person. */
  | { readonly type: "loop-changed"; readonly loop?: Loop; readonly isSaid?: boolean }
  /** Another program deleted the open conversation. */
  | { readonly type: "conversation-gone" }
  /** Title, model, counts: same conversation. */
  | { readonly type: "session-changed"; readonly session: Session }
  /** What is on the screen is not on disk, and why. */
  | { readonly type: "ledger-problem"; readonly error: TurnError }
  /** A person wants the turn to end; `turn-settled` says when it has. */
  | { readonly type: "stop-asked" }
  /** The next turn begins with a new system prompt, and there are such files, or were; `changed` names the new ones, where there was one. */
  | {
      readonly type: "context-files";
      readonly files: readonly { readonly name: string; readonly bytes: number; readonly isCut: boolean }[];
      readonly left: readonly { readonly name: string; readonly why: string }[];
      readonly changed?: readonly string[];
    }
  | { readonly type: "turn-started"; readonly admission: AdmissionId }
  /** The request failed and is made again at `at`; nothing of its answer so far is kept. */
  | {
      readonly type: "retry-wait";
      readonly admission: AdmissionId;
      /** The first retry is 1, of at most `of`. */
      readonly retry: number;
      readonly of: number;
      readonly waitMs: number;
      readonly at: number;
      readonly error: TurnError;
    }
  /** Its own model does not answer: another does, for the rest of the turn. The stored note says it too. */
  | {
      readonly type: "fallback";
      readonly admission: AdmissionId;
      /** `provider/model` */
      readonly from: string;
      readonly to: string;
      /** The effort that was set, and which the other model does not have. */
      readonly lostEffort?: string;
      readonly error: TurnError;
    }
  /** What came before is being summed up. asked: by a person · full: the window nearly is · overflow: so the provider says. */
  | {
      readonly type: "compaction-started";
      readonly admission: AdmissionId;
      readonly reason: "asked" | "full" | "overflow";
      /** Of the next request as it would be. */
      readonly tokens: number;
    }
  /** It takes several requests where the conversation is longer than what the model takes at once. */
  | {
      readonly type: "compaction-stage";
      readonly admission: AdmissionId;
      readonly stage: number;
      readonly of: number;
    }
  /** The conversation goes on in this session; its first message, the summary, came right before. */
  | { readonly type: "compacted"; readonly admission: AdmissionId; readonly session: Session }
  /** It is not compacted, and nothing was changed. */
  | { readonly type: "compaction-left"; readonly admission: AdmissionId; readonly why: string }
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "reasoning-delta"; readonly text: string }
  | {
      readonly type: "message-added";
      readonly message: Message;
      /** Written by another program that has this conversation open. */
      readonly elsewhere?: boolean;
    }
  | { readonly type: "call-changed"; readonly call: ToolCall }
  | { readonly type: "call-output"; readonly call: string; readonly chunk: string }
  /** "Always" or "never" was answered, and the rule is in this file. */
  | { readonly type: "rule-kept"; readonly kind: "allow" | "deny"; readonly rule: string; readonly file?: string }
  | {
      readonly type: "turn-settled";
      readonly admission: AdmissionId;
      readonly outcome: Outcome;
      readonly message?: MessageId;
      readonly usage?: Usage;
      readonly error?: TurnError;
    }
  /** The head moved: what is on the screen below `head` is no longer the conversation. */
  | { readonly type: "head-moved"; readonly session: SessionId; readonly head?: MessageId };

/** The end of a turn as it is stored: said when it ends, and said again to who asks later. */
export function settledEvent(admission: Admission): Extract<SessionEvent, { type: "turn-settled" }> {
  const { id, outcome = "failed", lastMessage, usage, error } = admission;
  return {
    type: "turn-settled",
    admission: id,
    outcome,
    ...(lastMessage !== undefined && { message: lastMessage }),
    ...(usage && { usage }),
    ...(error && { error }),
  };
}
