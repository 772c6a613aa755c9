// Small events of a conversation for tests of the screen; every field that does not matter has a plain value.
import type { SessionEvent } from "../../../src/agent/events.ts";
import type { OpenTurn } from "../../../src/ledger/recovery.ts";
import type {
  AdmissionId,
  CallId,
  ConversationId,
  Draft,
  Hash,
  Message,
  MessageId,
  RequestId,
  Session,
  SessionId,
  ToolCall,
} from "../../../src/ledger/types.ts";
import { lineText } from "../../../src/ui/styled-line.ts";
import { createTheme } from "../../../src/ui/theme.ts";
import { blockLines } from "../../../src/ui/transcript.ts";
import { initialView, type UiAction, type ViewState, viewReducer } from "../../../src/ui/view-state.ts";

export const plainTheme = createTheme({ color: false, unicode: true });

export const session: Session = {
  id: "20260101-000000-aaaaaa" as SessionId,
  conversation: "20260101-000000-aaaaaa" as ConversationId,
  generation: 0,
  route: { provider: "here", model: "m" },
  cwd: "/",
  source: "screen",
  startedAt: 1,
  lastActivityAt: 1,
  archived: false,
  pinned: false,
  hidden: false,
  revision: 1,
  rewinds: 0,
  messages: 0,
  turns: 0,
  usage: { inputTokens: 0, outputTokens: 0 },
};

export const turnId = 7 as AdmissionId;

export function message(id: number, role: Message["role"], more: Partial<Message>): Message {
  return {
    id: id as MessageId,
    hash: "h" as Hash,
    session: session.id,
    depth: id,
    turn: 1,
    role,
    parts: [],
    at: 1,
    live: true,
    ...more,
  };
}

export function answer(id: number, text: string, more: Partial<Message> = {}): SessionEvent {
  return { type: "message-added", message: message(id, "assistant", { parts: [{ kind: "text", text }], ...more }) };
}

export function call(id: number, more: Partial<ToolCall>): ToolCall {
  return {
    id: id as CallId,
    message: 2 as MessageId,
    admission: turnId,
    call: `call-${id}`,
    tool: "shell",
    input: { command: "npm test" },
    effect: "external",
    effectKey: "k",
    state: "running",
    attempts: 1,
    ...more,
  };
}

export const halfAnswer: Draft = { kind: "answer", window: "", text: "The bug is in the", admission: turnId, at: 1 };

/** Of `fix it`, started at 0. */
export function openTurnOf(calls: OpenTurn["calls"], more: { attempts?: number; draft?: Draft } = {}): OpenTurn {
  const { attempts = 1, draft } = more;
  const admission = { id: turnId, summary: "fix it", startedAt: 0, attempts, payload: { prompt: [], cwd: "/" } };
  return { admission: admission as never, session, calls, ...(draft && { draft }) };
}

export function delta(text: string): SessionEvent {
  return { type: "text-delta", text };
}

export function admitted(id: number, text: string): SessionEvent {
  const admission = id as AdmissionId;
  return { type: "prompt-admitted", admission, request: "r" as RequestId, state: "queued", text };
}

export const started: SessionEvent = { type: "turn-started", admission: turnId };

export function settled(more: Partial<Extract<SessionEvent, { type: "turn-settled" }>> = {}): SessionEvent {
  return { type: "turn-settled", admission: turnId, outcome: "completed", ...more };
}

export function openView(): ViewState {
  return after(initialView(80), { type: "booted", session, mode: "ask", waiting: [] });
}

export function after(state: ViewState, ...events: readonly (SessionEvent | UiAction)[]): ViewState {
  return events.reduce(viewReducer, state);
}

/** What would be printed, as text at 80 columns. */
export function printed(state: ViewState): readonly string[] {
  const look = { width: 80, theme: plainTheme };
  return state.blocks.flatMap((block) => blockLines(block, look)).map(lineText);
}
