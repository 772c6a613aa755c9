// The vocabulary of the ledger: every noun that is stored, as plain readonly data.
// Ids are branded so that a session id cannot be passed where a conversation id is meant.
// Times are integer milliseconds since the epoch; an absent value is absent, never null.

type Brand<T, Name extends string> = T & { readonly __brand: Name };

/** `YYYYMMDD-HHMMSS-xxxxxx` */
export type SessionId = Brand<string, "session">;
/** Id of the first session of a compression chain; owner of lease, queue, loop and title. */
export type ConversationId = Brand<string, "conversation">;
export type MessageId = Brand<number, "message">;
/** `admissions.seq` */
export type AdmissionId = Brand<number, "admission">;
/** `tool_calls.id`: the row, where `ToolCallPart.call` is the provider's id of it. */
export type CallId = Brand<number, "call">;
/** `file_changes.id` */
export type FileChangeId = Brand<number, "file-change">;
/** `file_reverts.id` */
export type FileRevertId = Brand<number, "file-revert">;
/** `head_moves.id` */
export type HeadMoveId = Brand<number, "head-move">;
export type LoopId = Brand<string, "loop">;
/** SHA-256 in lower-case hex. */
export type Hash = Brand<string, "hash">;
/** Chosen by a submitter; unique in the whole ledger, so that asking again is harmless. */
export type RequestId = Brand<string, "request">;
/** One runner of one process; a second runner of the same process is another holder. */
export type HolderId = Brand<string, "holder">;

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

// ---- parts: what a message is made of ----

/** Provider bytes that must be replayed verbatim to that provider (signatures, encrypted reasoning). */
export interface Opaque {
  readonly provider: string;
  readonly data: string;
}
export interface TextPart {
  readonly kind: "text";
  readonly text: string;
  readonly opaque?: Opaque;
}
export interface ReasoningPart {
  readonly kind: "reasoning";
  readonly text: string;
  readonly opaque?: Opaque;
}
export interface ToolCallPart {
  readonly kind: "tool-call";
  readonly call: string;
  readonly tool: string;
  readonly input: Json;
  readonly opaque?: Opaque;
}
export type ToolOutcomeKind = "ok" | "failed" | "cancelled" | "denied" | "unknown";
export interface ToolOutcome {
  readonly kind: ToolOutcomeKind;
  readonly output?: string;
  readonly exitCode?: number;
  readonly truncated?: boolean;
  /** The whole output, where `output` is only its head and tail. */
  readonly blob?: Hash;
}
export interface ToolResultPart {
  readonly kind: "tool-result";
  readonly call: string;
  readonly outcome: ToolOutcome;
}
/** Images too; `bytes` is the size, the content is the blob. */
export interface FilePart {
  readonly kind: "file";
  readonly blob: Hash;
  readonly mediaType: string;
  readonly name?: string;
  readonly bytes: number;
}
export interface SummaryPart {
  readonly kind: "summary";
  readonly text: string;
  /** The first node that a model still gets as it is, a user message; absent: all before the summary is folded. */
  readonly keptFrom?: MessageId;
  /** How many messages it stands for in what a model gets. */
  readonly folded?: number;
  /** Of the whole request, in tokens as they were estimated. */
  readonly before?: number;
  readonly after?: number;
}
export interface NotePart {
  readonly kind: "note";
  readonly text: string;
}
/** Beside the text that a person typed: the command they ran. Its call hangs on the same message. */
export interface ShellPart {
  readonly kind: "shell";
  readonly command: string;
  /** In s: after it the command goes on in the background. */
  readonly timeout: number;
  /** Whether command and output are part of what a model is asked. */
  readonly told: boolean;
}
export type Part =
  | TextPart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | FilePart
  | SummaryPart
  | NotePart
  | ShellPart;

// ---- messages and sessions ----

export type Role = "user" | "assistant" | "tool" | "summary" | "note";

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** A subset of `outputTokens`. */
  readonly reasoningTokens?: number;
}

export interface Message {
  readonly id: MessageId;
  readonly hash: Hash;
  readonly session: SessionId;
  readonly parent?: MessageId;
  /** 1 at the root: the number of messages on the path up to here. */
  readonly depth: number;
  /** Number of user turns on the path up to here. */
  readonly turn: number;
  readonly admission?: AdmissionId;
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly provider?: string;
  readonly model?: string;
  readonly finishReason?: string;
  readonly usage?: Usage;
  readonly at: number;
  readonly live: boolean;
}

/** What a session asks and how: one unit, restored at every resume. */
export interface ModelRoute {
  readonly provider: string;
  readonly model: string;
  readonly options?: { readonly [key: string]: Json };
}

export type Edge = "compression" | "branch" | "import";
export type EndReason = "compression" | "closed";
export type TitleSource = "derived" | "model" | "person";

export interface Session {
  readonly id: SessionId;
  readonly conversation: ConversationId;
  readonly generation: number;
  readonly parent?: SessionId;
  readonly edge?: Edge;
  readonly forkMessage?: MessageId;
  readonly head?: MessageId;
  readonly title?: string;
  readonly titleSource?: TitleSource;
  readonly route: ModelRoute;
  readonly cwd: string;
  readonly gitRoot?: string;
  readonly gitBranch?: string;
  readonly source: string;
  readonly startedAt: number;
  readonly lastActivityAt: number;
  readonly endedAt?: number;
  readonly endReason?: EndReason;
  readonly archived: boolean;
  readonly pinned: boolean;
  readonly hidden: boolean;
  readonly revision: number;
  readonly rewinds: number;
  /** Derived from the head. */
  readonly messages: number;
  readonly turns: number;
  readonly usage: Usage;
}

export type SessionState = "idle" | "running" | "interrupted" | "unknown";

// ---- admissions ----

/** From the most careful to the least: `plan` < `ask` < `edits` < `auto`. */
export type ApprovalMode = "plan" | "ask" | "edits" | "auto";
export type AdmissionKind = "prompt" | "retry" | "loop" | "shell" | "compact" | "steer";
export type AdmissionStatus = "queued" | "started" | "unknown" | "terminal";
export type Outcome = "completed" | "interrupted" | "failed" | "rejected" | "cancelled" | "steered";
/** The target as the person asked for it; part of the digest, where the session found is not. */
export type Target =
  | { readonly kind: "new" }
  | { readonly kind: "continue" }
  | { readonly kind: "session"; readonly asked: string };

export interface Payload {
  /** Of kind `shell`: the text as it was typed, then the command. */
  readonly prompt: readonly (TextPart | FilePart | ShellPart)[];
  readonly approval: ApprovalMode;
  readonly cwd: string;
  /** `/model … --once`: for this admission only. */
  readonly route?: ModelRoute;
}

export interface TurnError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

export interface Admission {
  readonly id: AdmissionId;
  readonly request: RequestId;
  readonly conversation: ConversationId;
  readonly session: SessionId;
  readonly kind: AdmissionKind;
  readonly payload: Payload;
  readonly digest: Hash;
  readonly summary: string;
  readonly position: number;
  /** Why it waits for a key. */
  readonly held?: string;
  readonly status: AdmissionStatus;
  readonly outcome?: Outcome;
  readonly submitter: ProcessIdentity;
  readonly owner?: HolderId;
  readonly epoch?: number;
  readonly baseHead?: MessageId;
  readonly envelope?: Hash;
  readonly userMessage?: MessageId;
  readonly lastMessage?: MessageId;
  readonly takenBy?: AdmissionId;
  readonly attempts: number;
  readonly error?: TurnError;
  readonly usage?: Usage;
  readonly queuedAt: number;
  readonly startedAt?: number;
  readonly settledAt?: number;
}

/** What fixes the next request besides the transcript; stored by hash. */
export interface Envelope {
  readonly systemPrompt: Hash;
  readonly tools: Json;
  readonly route: ModelRoute;
  readonly projection: number;
  readonly program: string;
}

// ---- loops ----

export type LoopState = "active" | "paused" | "done" | "stopped";

/** What a person asked to be done again and again. Times in ms. */
export interface LoopPlan {
  /** A prompt, or a command that may be repeated. */
  readonly text: string;
  readonly approval: ApprovalMode;
  readonly cwd: string;
  /** Absent: the loop sets its own pace, from `floorMs` up to `ceilingMs`. */
  readonly everyMs?: number;
  readonly floorMs: number;
  readonly ceilingMs: number;
  /** Done after so many ticks. */
  readonly times?: number;
  /** Done when this is so. */
  readonly until?: string;
  readonly budgetUsd?: number;
  /** Paused after so many ticks in a row; 0: never. */
  readonly maxTicks: number;
}

export interface Loop {
  readonly id: LoopId;
  readonly conversation: ConversationId;
  readonly plan: LoopPlan;
  readonly state: LoopState;
  /** Why it is paused or over. */
  readonly why?: string;
  /** Who alone fires it. */
  readonly runner?: ProcessIdentity;
  readonly nextSlot: number;
  /** Absent while it is not active. */
  readonly nextDueAt?: number;
  readonly delayMs: number;
  /** That ran. */
  readonly ticks: number;
  /** Of these, since a person last set it going. */
  readonly ticksOfRun: number;
  /** The newest ones in a row, since then. */
  readonly failures: number;
  /** Of all ticks, as far as their prices were known. */
  readonly spentUsd: number;
  /** Of the last answer. */
  readonly digest?: string;
  readonly createdAt: number;
}

export interface LoopTick {
  readonly slot: number;
  readonly admission?: AdmissionId;
  readonly dueAt: number;
  readonly firedAt?: number;
  /** Absent: it runs. Cancelled: it never did. */
  readonly outcome?: Outcome;
  /** Its answer is another one than that of the tick before. */
  readonly isChanged?: boolean;
  readonly tookMs?: number;
}

// ---- processes and leases ----

export interface ProcessIdentity {
  readonly pid: number;
  /** Start of the process in the kernel's own unit; tells a recycled pid from the first owner of it. */
  readonly start?: string;
  readonly boot?: string;
  readonly pidNamespace?: string;
  readonly machine?: string;
  readonly host: string;
  readonly program: string;
}

export interface Lease {
  readonly conversation: ConversationId;
  readonly holder?: HolderId;
  readonly process?: ProcessIdentity;
  readonly epoch: number;
  readonly acquiredAt?: number;
  readonly expiresAt?: number;
}

/** `dead` only by the kernel's word about that very process; everything doubtful is `unproven`. */
export type Liveness = "alive" | "dead" | "unproven";

/** The right to write one turn: checked inside the transaction of every transcript write. */
export interface TurnRef {
  readonly conversation: ConversationId;
  readonly session: SessionId;
  readonly holder: HolderId;
  readonly epoch: number;
  readonly admission: AdmissionId;
}

// ---- tool calls ----

/** none: reads only · idempotent: twice is once · reversible: hashes before and after kept · external: the rest. */
export type Effect = "none" | "idempotent" | "reversible" | "external";
export type CallState =
  | "proposed"
  | "approved"
  | "running"
  | "succeeded"
  | "failed"
  | "cancelled"
  | "denied"
  | "skipped"
  | "unknown";

export interface ToolCall {
  readonly id: CallId;
  readonly message: MessageId;
  readonly admission: AdmissionId;
  readonly call: string;
  readonly tool: string;
  readonly input: Json;
  readonly effect: Effect;
  readonly effectKey: string;
  readonly state: CallState;
  /** Who allowed it: `person`, `mode`, or the rule. */
  readonly approval?: string;
  readonly attempts: number;
  readonly process?: ProcessIdentity;
  readonly spool?: string;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly evidence?: string;
  readonly result?: MessageId;
}

// ---- files ----

/** What a file was at a moment; absent where there was none. */
export interface FileState {
  readonly hash: Hash;
  /** Permission bits. */
  readonly mode: number;
}

/** recorded: an edit of ours, stored before it was made · suspected: found by comparing the folder around a command. */
export type ChangeOrigin = "recorded" | "suspected";

export interface FileChange {
  readonly id: FileChangeId;
  readonly call: CallId;
  /** Of the call: only an edit that succeeded, or may have, changed anything. */
  readonly callState: CallState;
  /** Absolute, links resolved. */
  readonly path: string;
  /** The folder of the session the call ran in. */
  readonly cwd: string;
  readonly kind: "created" | "modified" | "deleted";
  readonly before?: FileState;
  readonly after?: FileState;
  readonly origin: ChangeOrigin;
  /** Both contents are stored. */
  readonly restorable: boolean;
  /** It came with an import: nobody vouches for its path. */
  readonly isImported?: boolean;
  readonly at: number;
}

export type RevertDirection = "undo" | "redo";

/** One file to be written or removed after a head moved, or because a person asked for it. */
export interface FileRevert {
  readonly id: FileRevertId;
  readonly change: FileChangeId;
  readonly conversation: ConversationId;
  readonly path: string;
  readonly cwd: string;
  readonly direction: RevertDirection;
  /** What the file has to be now; absent: it must not exist. */
  readonly expected?: Hash;
  readonly expectedMode?: number;
  /** What it shall be; absent: removed. */
  readonly target?: Hash;
  readonly mode?: number;
  readonly state: "planned" | "done" | "conflict";
}

// ---- drafts ----

/** Who holds an unsent text: this process, another one that is there, one that is gone, or nobody knows. */
export type DraftHolder = "self" | Liveness;

/** What is not part of the conversation yet: unsent text of a window, or an answer as far as it had streamed. */
export interface Draft {
  readonly kind: "composer" | "answer";
  /** Terminal of the composer; empty for an answer. */
  readonly window: string;
  /** Of a composer's: its row, for who takes it over, and who holds it. */
  readonly key?: string;
  readonly holder?: DraftHolder;
  readonly text: string;
  readonly admission?: AdmissionId;
  readonly parent?: MessageId;
  readonly at: number;
}

export interface UnsentBeginning {
  readonly session: SessionId;
  readonly conversation: ConversationId;
  readonly beginning: string;
  readonly at: number;
}

// ---- answers of verbs that can be refused ----

/** An expected refusal: nothing was written. */
export type Refusal =
  | {
      readonly kind: "busy";
      readonly why: string;
      readonly holder?: ProcessIdentity;
      readonly since?: number;
      /** An interrupted turn waits for a person's decision, or an undo for its files: `/recover` is the way on. */
      readonly undecided?: true;
    }
  | { readonly kind: "conflict"; readonly why: string };

export type HeadMoveKind = "undo" | "redo" | "branch" | "compact" | "recover";
