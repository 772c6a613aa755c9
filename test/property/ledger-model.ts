// The ledger as a person would explain it: sessions with a head in a tree, a queue, leases, calls; plain maps
// and no SQL. It answers what each verb must do; `ledger-world.ts` asks both and compares.
import type {
  AdmissionId,
  AdmissionKind,
  AdmissionStatus,
  CallId,
  CallState,
  ChangeOrigin,
  ConversationId,
  Effect,
  FileChangeId,
  FileRevertId,
  Hash,
  HolderId,
  MessageId,
  Outcome,
  Role,
  SessionId,
  TitleSource,
} from "../../src/ledger/types.ts";

export type Who = 0 | 1;
export type Verdict = "alive" | "dead" | "unproven";
export const TTL = 300_000;

export interface Node {
  readonly id: MessageId;
  readonly parent: MessageId | undefined;
  readonly role: Role;
  readonly text: string;
  readonly turn: number;
  readonly session: SessionId;
}
export interface ModelSession {
  readonly id: SessionId;
  head: MessageId | undefined;
  readonly undone: MessageId[];
  /** Where its head was moved away from. */
  readonly left: Set<MessageId>;
  title: string | undefined;
  titleSource: TitleSource | undefined;
  archived: boolean;
}
export interface ModelAdmission {
  readonly id: AdmissionId;
  readonly conversation: ConversationId;
  kind: AdmissionKind;
  readonly text: string;
  position: number;
  status: AdmissionStatus;
  outcome: Outcome | undefined;
  isHeld: boolean;
  submitter: Who;
  base: MessageId | undefined;
  owner: Who | undefined;
  epoch: number | undefined;
}
export interface ModelLease {
  holder: Who | undefined;
  epoch: number;
  expires: number;
}
export interface ModelCall {
  readonly id: CallId;
  readonly message: MessageId;
  readonly admission: AdmissionId;
  readonly effect: Effect;
  state: CallState;
  attempts: number;
  result: MessageId | undefined;
}
/** Text of an answer that is on its way; of no transcript. */
export interface HalfAnswer {
  readonly text: string;
  readonly admission: AdmissionId;
  readonly parent: MessageId | undefined;
}
export interface ModelChange {
  readonly id: FileChangeId;
  readonly path: string;
  readonly before: Hash;
  readonly after: Hash;
  readonly origin: ChangeOrigin;
}
export interface ModelRevert {
  readonly id: FileRevertId;
  readonly change: FileChangeId;
  /** Whose head moved, or who asked. */
  readonly session: SessionId;
  state: "planned" | "done" | "conflict";
}
export interface ModelLock {
  readonly who: Who;
  readonly attempt: string;
  expires: number;
}
/** What stands in the way of a compaction that nobody asked for. */
export interface Reluctance {
  until: number;
  ineffective: number;
}
/** What a holder remembers of its turn; it may be stale. */
export interface Turn {
  readonly conversation: ConversationId;
  readonly epoch: number;
  readonly admission: AdmissionId;
}

/** What a verb must answer: fine, a refusal by its kind, or an error by its code. */
export type Expected = "ok" | "busy" | "conflict" | (string & {});

export class LedgerModel {
  now = 1_800_000_000_000;
  readonly holders: readonly HolderId[] = ["a:1" as HolderId, "b:1" as HolderId];
  readonly verdicts: [Verdict, Verdict] = ["alive", "alive"];
  readonly nodes = new Map<MessageId, Node>();
  readonly sessions = new Map<SessionId, ModelSession>();
  readonly admissions = new Map<AdmissionId, ModelAdmission>();
  readonly leases = new Map<ConversationId, ModelLease>();
  readonly calls = new Map<CallId, ModelCall>();
  readonly changes = new Map<CallId, ModelChange[]>();
  readonly reverts = new Map<FileRevertId, ModelRevert>();
  readonly answers = new Map<ConversationId, HalfAnswer>();
  readonly locks = new Map<ConversationId, ModelLock>();
  readonly reluctances = new Map<ConversationId, Reluctance>();
  /** The attempt that made the newest generation, and its node. */
  readonly compacted = new Map<ConversationId, { readonly attempt: string; readonly message: MessageId }>();
  /** Unsent text by window. */
  readonly composers = new Map<ConversationId, Map<string, string>>();

  sessionOf(conversation: ConversationId): ModelSession | undefined {
    return this.sessions.get(conversation as string as SessionId);
  }

  path(head: MessageId | undefined): Node[] {
    const path: Node[] = [];
    for (let node = head === undefined ? undefined : this.nodes.get(head); node; ) {
      path.unshift(node);
      node = node.parent === undefined ? undefined : this.nodes.get(node.parent);
    }
    return path;
  }

  live(): Set<MessageId> {
    return new Set([...this.sessions.values()].flatMap((session) => this.path(session.head).map((node) => node.id)));
  }

  /** Of the calls on this path. */
  changesOn(head: MessageId | undefined): FileChangeId[] {
    const path = new Set(this.path(head).map((node) => node.id));
    const calls = [...this.calls.values()].filter((call) => path.has(call.message));
    return calls.flatMap((call) => this.changes.get(call.id) ?? []).map(({ id }) => id);
  }

  /** Another attempt records its edit anew: what an earlier one recorded goes, unless it happened or is named. */
  supersede(call: ModelCall, by: ModelChange): void {
    const named = new Set([...this.reverts.values()].map(({ change }) => change));
    const isKept = (known: ModelChange) =>
      known.path !== by.path ||
      known.origin !== "recorded" ||
      (known.before === by.before && known.after === by.after) ||
      known.after === by.before ||
      named.has(known.id);
    this.changes.set(call.id, (this.changes.get(call.id) ?? []).filter(isKept));
  }

  /** Open ones in the order in which they are claimed. */
  open(conversation: ConversationId): ModelAdmission[] {
    return [...this.admissions.values()]
      .filter((each) => each.conversation === conversation && each.status !== "terminal")
      .sort((a, b) => a.position - b.position || a.id - b.id);
  }

  started(conversation: ConversationId): ModelAdmission | undefined {
    return this.open(conversation).find((each) => each.status === "started");
  }

  openCalls(admission: AdmissionId): ModelCall[] {
    return [...this.calls.values()].filter((call) => call.admission === admission && call.result === undefined);
  }

  isHeld(lease: ModelLease | undefined): boolean {
    if (lease?.holder === undefined || lease.expires <= this.now) return false;
    return this.verdicts[lease.holder] !== "dead";
  }

  /** Why a head may not move: files of the last move that are not written yet come first. */
  moveRefusal(session: ModelSession, self: Who | undefined): Expected {
    const isPlanned = [...this.reverts.values()].some(
      (each) => each.session === session.id && each.state === "planned",
    );
    return isPlanned ? "busy" : this.refusal(session, self);
  }

  /** Why nothing is written beside a turn; a verb that names its holder is not stopped by its own lease. */
  refusal(session: ModelSession, self: Who | undefined): Expected {
    const conversation = session.id as string as ConversationId;
    const lease = this.leases.get(conversation);
    const isOwn = lease?.holder !== undefined && lease.holder === self;
    if (!isOwn && this.isHeld(lease)) return "busy";
    return this.open(conversation).some((each) => each.status !== "queued") ? "busy" : "ok";
  }

  /** The lease is mine: an expired one is renewed by the write itself. */
  mayWrite(who: Who, ref: { conversation: ConversationId; epoch: number }): boolean {
    const lease = this.leases.get(ref.conversation);
    return lease?.holder === who && lease.epoch === ref.epoch;
  }

  renewExpired(conversation: ConversationId): void {
    const lease = this.leases.get(conversation);
    if (lease && lease.expires <= this.now) lease.expires = this.now + TTL;
  }

  mayWriteTurn(who: Who, turn: Turn): boolean {
    const admission = this.admissions.get(turn.admission);
    return this.mayWrite(who, turn) && admission?.owner === who && admission.epoch === turn.epoch;
  }

  /** The first node of the n-th newest turn of this path, or of its oldest one. */
  turnBegin(session: ModelSession, turns: number): Node | undefined {
    const path = this.path(session.head);
    const newest = path.at(-1)?.turn ?? 0;
    const wanted = Math.max(1, newest - turns + 1);
    return newest === 0 ? undefined : path.find((node) => node.turn === wanted);
  }

  /** Nothing but notes came after it. */
  summaryAtEnd(session: ModelSession): Node | undefined {
    const last = this.path(session.head).findLast(({ role }) => role !== "note");
    return last?.role === "summary" ? last : undefined;
  }

  isOnPath(session: ModelSession, id: MessageId): boolean {
    return this.path(session.head).some((node) => node.id === id);
  }

  hasOpenCallAt(at: MessageId): boolean {
    const path = new Set(this.path(at).map((node) => node.id));
    return [...this.calls.values()].some(
      (call) => path.has(call.message) && (call.result === undefined || !path.has(call.result)),
    );
  }

  addNode(session: ModelSession, node: Omit<Node, "parent" | "turn" | "session">, beginsTurn = false): void {
    const above = session.head === undefined ? undefined : this.nodes.get(session.head);
    const turn = (above?.turn ?? 0) + (beginsTurn ? 1 : 0);
    this.nodes.set(node.id, { ...node, parent: session.head, turn, session: session.id });
    session.head = node.id;
    if (node.role === "user" || node.role === "assistant") session.undone.length = 0;
  }

  hasTitle(title: string, except: ModelSession): boolean {
    return [...this.sessions.values()].some(
      (each) => each !== except && !each.archived && each.titleSource === "person" && each.title === title,
    );
  }

  reopen(session: ModelSession): void {
    if (!session.archived) return;
    if (session.titleSource === "person" && this.hasTitle(session.title ?? "", session))
      session.titleSource = "derived";
    session.archived = false;
  }

  position(conversation: ConversationId, atFront: boolean): number {
    const positions = this.open(conversation).map((each) => each.position);
    return atFront ? Math.min(1, ...positions) - 1 : Math.max(0, ...positions) + 1;
  }

  steersBecomePrompts(conversation: ConversationId): void {
    for (const each of this.open(conversation))
      if (each.kind === "steer" && each.status === "queued") each.kind = "prompt";
  }

  forgetConversation(conversation: ConversationId): void {
    this.sessions.delete(conversation as string as SessionId);
    this.answers.delete(conversation);
    for (const each of [this.locks, this.reluctances, this.compacted]) each.delete(conversation);
    this.composers.delete(conversation);
    for (const revert of [...this.reverts.values()])
      if (revert.session === (conversation as string)) this.reverts.delete(revert.id);
    for (const each of [...this.admissions.values()])
      if (each.conversation === conversation) this.admissions.delete(each.id);
  }
}
