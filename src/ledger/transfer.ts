// What a conversation is outside of a ledger: records that name nodes by hash, turns by number and calls by asking
// node and id, so that nothing in them means something in one file only. Written by `export-rows.ts`, read by
// `import-rows.ts`; `interop` makes lines of them. Absent is absent, never null.
import type {
  AdmissionKind,
  CallState,
  ChangeOrigin,
  ConversationId,
  Edge,
  Effect,
  Hash,
  HeadMoveKind,
  Json,
  Outcome,
  Payload,
  Role,
  SessionId,
  TitleSource,
  TurnError,
  Usage,
} from "./types.ts";

export interface SessionRecord {
  readonly type: "session";
  readonly id: SessionId;
  readonly conversation: ConversationId;
  readonly generation: number;
  /** Only named, because nodes of it are shown or it is an ancestor; its own conversation is not part of this. */
  readonly isWriter?: true;
  readonly parent?: SessionId;
  readonly edge?: Edge;
  /** In a file they stand in a record of their own, behind the nodes. */
  readonly fork?: Hash;
  readonly head?: Hash;
  readonly title?: string;
  readonly titleSource?: TitleSource;
  readonly provider: string;
  readonly model: string;
  readonly options?: Json;
  readonly cwd: string;
  readonly gitRoot?: string;
  readonly gitBranch?: string;
  readonly source: string;
  readonly startedAt: number;
  readonly lastActivityAt: number;
  /** Of a generation that a compaction ended. */
  readonly endedAt?: number;
  readonly rewinds: number;
}

export interface NodeRecord {
  readonly type: "message";
  readonly hash: Hash;
  readonly parent?: Hash;
  readonly session: SessionId;
  readonly role: Role;
  readonly at: number;
  /** Number of user turns on the path up to here. */
  readonly turn: number;
  /** Number of the turn record, from 1. */
  readonly by?: number;
  readonly provider?: string;
  readonly model?: string;
  readonly finishReason?: string;
  readonly usage?: Usage;
  /** Canonical JSON, as it is hashed. */
  readonly parts: string;
}

export interface TurnRecord {
  readonly type: "turn";
  readonly n: number;
  readonly request: string;
  readonly session: SessionId;
  readonly kind: Exclude<AdmissionKind, "steer">;
  readonly payload: Payload;
  readonly summary: string;
  /** Absent: it had no end yet. */
  readonly outcome?: Exclude<Outcome, "steered">;
  readonly user?: Hash;
  readonly last?: Hash;
  readonly error?: TurnError;
  readonly usage?: Usage;
  readonly attempts: number;
  readonly queuedAt: number;
  readonly startedAt?: number;
  readonly settledAt?: number;
}

export interface SideRecord {
  readonly hash: Hash;
  readonly mode: number;
  /** The content is a blob. */
  readonly kept: boolean;
}
export interface ChangeRecord {
  readonly path: string;
  readonly kind: "created" | "modified" | "deleted";
  readonly before?: SideRecord;
  readonly after?: SideRecord;
  readonly origin: ChangeOrigin;
  readonly restorable: boolean;
  readonly at: number;
}
export interface CallRecord {
  readonly type: "call";
  /** Hash of the message that asked. */
  readonly message: Hash;
  readonly by: number;
  readonly call: string;
  readonly tool: string;
  readonly input: Json;
  readonly effect: Effect;
  readonly state: CallState;
  readonly approval?: string;
  readonly attempts: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly evidence?: string;
  readonly result?: Hash;
  readonly changes: readonly ChangeRecord[];
}

export interface MoveRecord {
  readonly type: "move";
  readonly session: SessionId;
  readonly kind: HeadMoveKind;
  readonly from?: Hash;
  readonly to?: Hash;
  readonly at: number;
  readonly redoneAt?: number;
  readonly redoable: boolean;
}

export interface UsageRecord {
  readonly type: "usage";
  readonly session: SessionId;
  readonly provider: string;
  readonly model: string;
  readonly task: string;
  readonly day: string;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  readonly costUsd?: number;
}

export interface HeadRecord {
  readonly type: "head";
  readonly session: SessionId;
  readonly head?: Hash;
  readonly fork?: Hash;
}

export type TransferRecord =
  | SessionRecord
  | NodeRecord
  | TurnRecord
  | CallRecord
  | MoveRecord
  | HeadRecord
  | UsageRecord;

/** A content that a record of the same write is the first to name. */
export interface NewBlob {
  readonly hash: Hash;
  readonly bytes: Uint8Array;
}
