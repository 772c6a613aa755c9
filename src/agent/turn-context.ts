// What one turn works with, and the little it keeps: shared by `turn.ts`, `ask-model.ts` and `run-calls.ts`.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { ApprovalMode, Message, MessageId, ModelRoute, ToolCall, TurnRef, Usage } from "../ledger/types.ts";
import type { Rules } from "./approvals.ts";
import type { SessionEvent } from "./events.ts";
import type { Scanner } from "./file-changes/scan.ts";
import type { Model } from "./models/model.ts";
import type { Standing } from "./models/open-named.ts";
import type { Opened } from "./models/registry.ts";
import type { Spending } from "./spending-limits.ts";
import type { FileGate } from "./tools/files.ts";
import type { ToolRegistry } from "./tools/registry.ts";

/** What a person is shown when a call waits for them. */
export interface ApprovalAsk {
  readonly call: ToolCall;
  readonly summary: string;
  readonly subject: string;
  readonly why: string;
  readonly preview?: string;
  /** In force now. */
  readonly mode: ApprovalMode;
  /** "Always" would store this rule. */
  readonly rule?: string;
  /** What that covers, where the rule does not say it. */
  readonly ruleMeans?: string;
  /** "Never" would store this one. */
  readonly deny?: string;
  /** Why one of both is missing. */
  readonly noRule?: string;
  /** The subject may be changed before it runs. */
  readonly isEditable: boolean;
  /** What a person made of it before, when that was not possible. */
  readonly edited?: string;
}
export type ApprovalReply =
  | { readonly kind: "once" }
  | { readonly kind: "always" | "never"; readonly rule: string }
  /** Another subject in place of the one that was asked for. */
  | { readonly kind: "edited"; readonly subject: string }
  | { readonly kind: "no"; readonly because?: string }
  /** There is no person. */
  | { readonly kind: "nobody" };

export type KeepRule = (
  kind: "allow" | "deny",
  rule: string,
) => Promise<{ readonly ok: true; readonly file?: string } | { readonly ok: false; readonly problem: string }>;

/** What is done about requests that fail. Time and chance come from outside. */
export interface Retrying {
  /** Requests after the first one. */
  readonly limit: number;
  /** Ends early, without an error, when it is stopped. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** In [0, 1). */
  readonly random: () => number;
  /** Opens the model that answers when the turn's own does not. */
  readonly fallback?: (from: ModelRoute) => Standing;
}

/** When and how a conversation is compacted. */
export interface Compacting {
  /** Off: only when a person asks, or when the provider says that it is too long. */
  readonly isAutomatic: boolean;
  /** Part of the window from which it is, in (0, 1). */
  readonly at: number;
  /** In tokens; undefined where it is not known. */
  readonly windowOf: (route: ModelRoute) => number | undefined;
  /** Opens the model that sums up; absent: the turn's own. */
  readonly summariser?: () => Opened;
}

export interface TurnContext {
  readonly db: AsyncSessionDB;
  readonly turn: TurnRef;
  readonly model: Model;
  readonly system: string;
  readonly tools: ToolRegistry;
  readonly files: FileGate;
  /** Where commands keep what outlives this program. */
  readonly spoolRoot: string;
  /** Looks at the folder around a command. */
  readonly scanner: Scanner;
  readonly cwd: string;
  readonly approval: { readonly mode: () => ApprovalMode; readonly rules: () => Rules };
  /** Rejects or answers `nobody` when nobody can be asked; is told to give up by the signal. */
  readonly ask: (ask: ApprovalAsk, signal: AbortSignal) => Promise<ApprovalReply>;
  readonly keepRule: KeepRule;
  readonly retrying: Retrying;
  readonly compaction: Compacting;
  /** Absent: nothing is limited. */
  readonly spending?: Spending;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly emit: (event: SessionEvent) => void;
}

export interface TurnState {
  /** What a model gets of the path, as it is stored; grows with what this turn writes. */
  readonly path: Message[];
  usage: Usage | undefined;
  /** Who is asked: the turn's model, or its fallback once that had to take over. */
  model: Model;
  hasFallenBack: boolean;
  /** Compactions that were tried in this turn. */
  compactions: number;
}

export async function openTurn({ db, turn, model }: TurnContext): Promise<TurnState> {
  const path = await db.contextPath(turn.conversation);
  return { path, usage: undefined, model, hasFallenBack: false, compactions: 0 };
}

export function sumOf(sum: Usage | undefined, usage: Usage | undefined): Usage | undefined {
  if (!usage) return sum;
  return {
    inputTokens: (sum?.inputTokens ?? 0) + usage.inputTokens,
    outputTokens: (sum?.outputTokens ?? 0) + usage.outputTokens,
    cacheReadTokens: (sum?.cacheReadTokens ?? 0) + (usage.cacheReadTokens ?? 0),
    cacheWriteTokens: (sum?.cacheWriteTokens ?? 0) + (usage.cacheWriteTokens ?? 0),
    reasoningTokens: (sum?.reasoningTokens ?? 0) + (usage.reasoningTokens ?? 0),
  };
}

export function headOf(state: TurnState): MessageId | undefined {
  return state.path.at(-1)?.id;
}

export function added(context: TurnContext, state: TurnState, message: Message): void {
  state.path.push(message);
  context.emit({ type: "message-added", message });
}
