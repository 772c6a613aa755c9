// Two holders over one file and the model beside them: each step asks both what a verb does and compares.
// The holders are two handles with different process identities and a probe whose word the test decides.
import { expect } from "vitest";
import { LedgerError } from "../../src/ledger/errors.ts";
import type { PidProbe } from "../../src/ledger/identity.ts";
import type { LeaseRef } from "../../src/ledger/leases.ts";
import { SessionDB } from "../../src/ledger/session-db.ts";
import type { NewMessage } from "../../src/ledger/turns.ts";
import type {
  AdmissionId,
  CallId,
  ConversationId,
  FileRevertId,
  MessageId,
  Part,
  ProcessIdentity,
  RequestId,
  SessionId,
  TurnRef,
} from "../../src/ledger/types.ts";
import {
  type Expected,
  LedgerModel,
  type ModelAdmission,
  type ModelSession,
  type Verdict,
  type Who,
} from "./ledger-model.ts";

export const ROUTE = { provider: "guide", model: "guide" } as const;

export interface LastAppend {
  readonly turn: TurnRef;
  readonly message: NewMessage;
  readonly calls: Parameters<SessionDB["append"]>[2];
  readonly id: MessageId;
}

export class LedgerWorld {
  readonly model = new LedgerModel();
  readonly dbs: readonly [SessionDB, SessionDB];
  /** What each holder believes it holds; may be stale. */
  readonly leases: readonly [Map<ConversationId, LeaseRef>, Map<ConversationId, LeaseRef>] = [new Map(), new Map()];
  readonly turns: readonly [Map<ConversationId, TurnRef>, Map<ConversationId, TurnRef>] = [new Map(), new Map()];
  readonly appends = new Map<Who, LastAppend>();
  /** Deleted ones too: verbs on them must say so. */
  readonly allSessions: SessionId[] = [];
  readonly allAdmissions: AdmissionId[] = [];
  readonly allCalls: CallId[] = [];
  readonly allReverts: FileRevertId[] = [];
  #counter = 0;

  constructor(path: string) {
    this.dbs = [this.#open(path, 0), this.#open(path, 1)];
  }

  #open(path: string, who: Who): SessionDB {
    const probe = (pid: number) => probeWord(this.model.verdicts[pid === 1001 ? 0 : 1], pid);
    return new SessionDB({ path, now: () => this.model.now, process: processOf(who), probe });
  }

  close(): void {
    for (const db of this.dbs) db.close();
  }

  unique(prefix: string): string {
    this.#counter += 1;
    return `${prefix}${this.#counter}`;
  }

  request(): RequestId {
    return this.unique("r") as RequestId;
  }

  lease(who: Who, conversation: ConversationId): LeaseRef {
    const holder = this.model.holders[who];
    if (!holder) throw new Error("no such holder");
    return this.leases[who].get(conversation) ?? { conversation, holder, epoch: 0 };
  }

  session(pick: number): SessionId | undefined {
    return this.allSessions[pick % Math.max(1, this.allSessions.length)];
  }

  conversation(pick: number): ConversationId | undefined {
    return this.session(pick) as string | undefined as ConversationId | undefined;
  }

  admission(pick: number): AdmissionId | undefined {
    return this.allAdmissions[pick % Math.max(1, this.allAdmissions.length)];
  }

  callId(pick: number): CallId | undefined {
    return this.allCalls[pick % Math.max(1, this.allCalls.length)];
  }

  modelOf(id: SessionId): ModelSession | undefined {
    return this.model.sessions.get(id);
  }

  /** Runs the verb; its answer must be the expected one. The value is returned only when both say fine. */
  agree<T>(verb: string, expected: Expected, action: () => T): T | undefined {
    const actual = answerOf(action);
    expect({ verb, answer: actual.answer }).toEqual({ verb, answer: expected });
    return expected === "ok" ? (actual.value as T) : undefined;
  }

  addAdmission(more: Omit<ModelAdmission, "status" | "outcome" | "isHeld" | "owner" | "epoch">): void {
    const fresh = { status: "queued", outcome: undefined, isHeld: false, owner: undefined, epoch: undefined } as const;
    this.model.admissions.set(more.id, { ...more, ...fresh });
    this.allAdmissions.push(more.id);
  }

  compare(): void {
    for (const db of this.dbs) this.#compareWith(db);
  }

  #compareWith(db: SessionDB): void {
    const { model } = this;
    const live = model.live();
    for (const session of model.sessions.values()) {
      const { id } = db.canonical(session.id as string as ConversationId);
      const { messages, earlier } = db.path(id, { limit: 1000 });
      expect(earlier).toBe(0);
      const seen = messages.map(({ id, role, parts, turn }) => ({ id, role, turn, text: textOf(parts) }));
      expect(seen).toEqual(model.path(session.head).map(({ id, role, turn, text }) => ({ id, role, turn, text })));
      this.#compareSession(db, session);
    }
    this.#compareReverts(db);
    for (const node of model.nodes.values())
      if (live.has(node.id) || model.sessions.has(node.session))
        expect({ id: node.id, live: db.message(node.id)?.live }).toEqual({ id: node.id, live: live.has(node.id) });
    for (const admission of model.admissions.values()) {
      const { status, outcome, kind, position, held, owner, epoch, baseHead } = db.admission(admission.id);
      expect({ status, outcome, kind, position, isHeld: held !== undefined, owner, epoch, base: baseHead }).toEqual({
        status: admission.status,
        outcome: admission.outcome,
        kind: admission.kind,
        position: admission.position,
        isHeld: admission.isHeld,
        owner: admission.owner === undefined ? undefined : model.holders[admission.owner],
        epoch: admission.epoch,
        base: admission.base,
      });
    }
    for (const call of model.calls.values()) {
      if (!live.has(call.message)) continue;
      expect(db.changesOfCall(call.id).map(({ id }) => id)).toEqual(
        model.changes.get(call.id)?.map(({ id }) => id) ?? [],
      );
      const { state, attempts, result } = db.call(call.id);
      expect({ state, attempts, result }).toEqual({ state: call.state, attempts: call.attempts, result: call.result });
    }
  }

  #compareReverts(db: SessionDB): void {
    const planned = [...this.model.reverts.values()].filter(({ state }) => state === "planned");
    const words = (id: number, owner: string) => `${id} of ${owner}`;
    expect(db.plannedReverts().map(({ id, conversation }) => words(id, conversation))).toEqual(
      planned.map(({ id, session }) => words(id, session)),
    );
  }

  #compareDrafts(db: SessionDB, conversation: ConversationId): void {
    const answer = this.model.answers.get(conversation);
    const unsent = [...(this.model.composers.get(conversation) ?? [])].map(([key, text]) => {
      return { kind: "composer", window: key.split(" ")[0] ?? "", text };
    });
    const stored = db
      .drafts(conversation)
      .map((draft) => ({ ...draft, at: undefined, key: undefined, holder: undefined }));
    const byText = (one: { readonly text: string }, two: { readonly text: string }) => one.text.localeCompare(two.text);
    expect(stored.sort(byText)).toEqual(
      [...(answer ? [{ kind: "answer", window: "", ...answer }] : []), ...unsent].sort(byText),
    );
  }

  #compareSession(db: SessionDB, session: ModelSession): void {
    const { model } = this;
    const conversation = session.id as string as ConversationId;
    const { title, titleSource, archived, messages, turns } = db.canonical(conversation);
    const path = model.path(session.head);
    expect({ title, titleSource, archived, messages, turns }).toEqual({
      title: session.title,
      titleSource: session.titleSource,
      archived: session.archived,
      messages: path.length,
      turns: path.at(-1)?.turn ?? 0,
    });
    expect(db.openAdmissions(conversation).map((each) => each.id)).toEqual(
      model.open(conversation).map((each) => each.id),
    );
    this.#compareDrafts(db, conversation);
    const lease = model.leases.get(conversation);
    const stored = db.lease(conversation);
    expect({ holder: stored?.holder, epoch: stored?.epoch, expires: stored?.expiresAt }).toEqual({
      holder: lease?.holder === undefined ? undefined : model.holders[lease.holder],
      epoch: lease?.epoch,
      expires: lease?.holder === undefined ? undefined : lease.expires,
    });
    const isStarted = model.started(conversation) !== undefined;
    const isUnknown = isStarted || model.open(conversation).some((each) => each.status === "unknown");
    const { state } = db.sessionState(session.id);
    if (isStarted && model.isHeld(lease)) expect(state).toBe("running");
    else if (isUnknown) expect(state).toBe("unknown");
    else expect(["idle", "interrupted"]).toContain(state);
  }
}

function processOf(who: Who): ProcessIdentity {
  const pid = 1001 + who;
  return { pid, start: "5", boot: "boot", pidNamespace: "ns", machine: "m", host: "h", program: "test" };
}

function probeWord(verdict: Verdict, pid: number): PidProbe {
  if (verdict === "dead") return pid % 2 === 0 ? { kind: "gone" } : { kind: "there", start: "77" };
  if (verdict === "unproven") return pid % 2 === 0 ? { kind: "unreadable" } : { kind: "there" };
  return { kind: "there", start: "5" };
}

function answerOf(action: () => unknown): { answer: Expected; value?: unknown } {
  try {
    const value = action();
    const kind = (value as { kind?: unknown } | undefined)?.kind;
    return { answer: kind === "busy" || kind === "conflict" ? kind : "ok", value };
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    if (error.code === "ledger_internal") throw error;
    return { answer: error.code };
  }
}

export function textOf(parts: readonly Part[]): string {
  return parts
    .map((part) => {
      if (part.kind === "tool-result") return `result ${part.call} ${part.outcome.kind}`;
      if (part.kind === "tool-call") return `call ${part.call}`;
      if (part.kind === "shell") return `shell ${part.command}`;
      return part.kind === "file" ? part.blob : part.text;
    })
    .join("|");
}
