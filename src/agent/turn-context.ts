// What one turn works with, and the little it keeps: shared by `turn.ts`, `ask-model.ts` and `run-calls.ts`.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { ApprovalMode, Message, MessageId, ToolCall, TurnRef, Usage } from "../ledger/types.ts";
import type { Rules } from "./approvals.ts";
import type { SessionEvent } from "./events.ts";
import type { Scanner } from "./file-changes/scan.ts";
import type { Model } from "./models/model.ts";
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
  /** "Never" would store this one. */
  readonly deny?: string;
  /** Why there is none of both. */
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
  | { readonly kind: "no"; readonly because?: string };

export type KeepRule = (
  kind: "allow" | "deny",
  rule: string,
) => Promise<{ readonly ok: true } | { readonly ok: false; readonly problem: string }>;

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
  /** Rejects or answers `no` when nobody can be asked; is told to give up by the signal. */
  readonly ask: (ask: ApprovalAsk, signal: AbortSignal) => Promise<ApprovalReply>;
  readonly keepRule: KeepRule;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly emit: (event: SessionEvent) => void;
}

export interface TurnState {
  /** The path as it is stored; grows with what this turn writes. */
  readonly path: Message[];
  usage: Usage | undefined;
}

export function headOf(state: TurnState): MessageId | undefined {
  return state.path.at(-1)?.id;
}

export function added(context: TurnContext, state: TurnState, message: Message): void {
  state.path.push(message);
  context.emit({ type: "message-added", message });
}
