// The checklist of a start (ledger.md §8) as a sequence of findings, each shown as it is made. It changes
// nothing it cannot prove, every write of it carries a lease it acquired, and being killed in it is harmless.
import type { AsyncSessionDB } from "./async-session-db.ts";
import type { LeaseRef } from "./leases.ts";
import type { LedgerInfo } from "./session-db.ts";
import type { CallProof } from "./tool-calls.ts";
import type { Admission, Draft, FileRevert, HolderId, Message, ProcessIdentity, Session, ToolCall } from "./types.ts";

export interface RecoveryStep {
  readonly name: "ledger" | "integrity" | "queue" | "leases" | "turns" | "files";
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly ms: number;
}

/** A turn that is not over, and what is known about its calls. */
export interface OpenTurn {
  readonly admission: Admission;
  readonly session: Session;
  readonly calls: readonly ToolCall[];
  /** The answer as far as it had streamed: not part of the conversation. */
  readonly draft?: Draft;
  /** Somebody else is at it: not ours to decide. */
  readonly holder?: ProcessIdentity;
}

/** A turn that was completed, and whose answer reached no terminal and no stream. */
export interface Undelivered {
  readonly admission: Admission;
  readonly session: Session;
  readonly message: Message;
}

export interface Recovered {
  readonly open: readonly OpenTurn[];
  /** Queued, and held until a key is pressed. */
  readonly waiting: readonly Admission[];
  readonly undelivered: readonly Undelivered[];
}

export type RecoveryEvent =
  | { readonly type: "step"; readonly step: RecoveryStep }
  | ({ readonly type: "done" } & Recovered);

/** What recovery may ask of the world outside of the ledger. */
export interface World {
  /** What the outside says about a call that was left without an end; undefined where nothing can be read. */
  readBack(call: ToolCall): Promise<CallProof | undefined>;
  /** Finishes planned file reverts of one conversation, whose lease is held. */
  finishReverts(reverts: readonly FileRevert[]): Promise<readonly FileRevert[]>;
  /** Removes what calls left behind whose results are stored. */
  sweep(): Promise<void>;
}

/** A whole-file check grows with the file: above this it is left to `doctor`, so that a start stays flat. */
const QUICK_CHECK_BYTES = 64 * 1024 * 1024;

export interface RecoveryOptions {
  readonly holder: HolderId;
  readonly world: World;
}

export async function* recover(db: AsyncSessionDB, options: RecoveryOptions): AsyncGenerator<RecoveryEvent> {
  const opened = await timed(() => db.opened);
  yield told("ledger", opened.ms, ledgerWords(opened.value));
  const integrity = await timed(() => checkIntegrity(db, opened.value));
  yield told("integrity", integrity.ms, integrity.value);
  const queue = await timed(() => holdOrphans(db));
  yield told("queue", queue.ms, queue.value.words);
  const leases = await timed(() => reclaim(db, options.holder));
  yield told("leases", leases.ms, leases.value);
  const turns = await timed(() => inspectTurns(db, options));
  yield told("turns", turns.ms, turnWords(turns.value));
  const files = await timed(() => finishReverts(db, options));
  if (files.value) yield told("files", files.ms, files.value);
  await options.world.sweep();
  yield { type: "done", open: turns.value, waiting: queue.value.waiting, undelivered: await findUndelivered(db) };
}

/**
 * What any start owes the next command: leases of the dead taken back, their turns unknown and their calls judged, the
 * files of a move that was cut short finished, whichever way it went. `tell` hears of those files, and of nothing else.
 */
export async function reclaimFromTheDead(
  db: AsyncSessionDB,
  options: RecoveryOptions,
  tell: (step: RecoveryStep) => void = () => {},
): Promise<void> {
  if ((await db.heldLeases()).some((lease) => !lease.isHeld)) {
    await reclaim(db, options.holder);
    await inspectTurns(db, options);
  }
  await db.pauseOrphanLoops();
  const { value, ms } = await timed(() => finishReverts(db, options));
  if (value) tell(step("files", ms, value));
}

type Words = readonly [RecoveryStep["status"], string];

function step(name: RecoveryStep["name"], ms: number, [status, detail]: Words): RecoveryStep {
  return { name, status, detail, ms };
}

function told(...finding: Parameters<typeof step>): RecoveryEvent {
  return { type: "step", step: step(...finding) };
}

function ledgerWords(info: LedgerInfo): Words {
  const sessions = info.isNew ? "new" : `${info.sessions} ${info.sessions === 1 ? "session" : "sessions"}`;
  const detail = `${info.file} · schema ${info.schema} · search ${info.searchLayout} · ${sessions}`;
  return info.journalReason ? ["warn", `${detail} · rollback journal: ${info.journalReason}`] : ["ok", detail];
}

async function checkIntegrity(db: AsyncSessionDB, info: LedgerInfo): Promise<Words> {
  const differs = [...info.findings, ...linkNotice(info)];
  const pages = info.bytes > QUICK_CHECK_BYTES ? undefined : await db.quickCheck();
  if (pages !== undefined && pages !== "ok") return ["fail", [pages, ...differs].join("; ")];
  if (differs.length > 0) return ["warn", differs.join("; ")];
  const same = "same file as at the last start";
  return ["ok", pages === undefined ? `${same}; whole check: stele doctor` : `quick check ok, ${same}`];
}

/** With where more is said of it. */
export function linkNotice(info: LedgerInfo): readonly string[] {
  return linkFinding(info).map((finding) => `${finding}; to find it: stele doctor`);
}

/** None where the file has the one name. */
export function linkFinding({ otherNames }: LedgerInfo): readonly string[] {
  if (otherNames === 0) return [];
  const names = otherNames === 1 ? "another name" : `${otherNames} other names`;
  return [`the file has ${names} (a hard link): opened by two of them at once, turns are lost`];
}

/** Rows whose submitter is proven dead wait for a key; what a dead loop queued is cancelled. */
async function holdOrphans(db: AsyncSessionDB): Promise<{ words: Words; waiting: readonly Admission[] }> {
  const held = await db.holdOrphans();
  const loops = await db.pauseOrphanLoops();
  const queued = (await db.openAdmissions()).filter((each) => each.status === "queued");
  const waiting = queued.filter((each) => each.held !== undefined);
  const paused = loops.length === 0 ? "" : `${loops.length} ${loops.length === 1 ? "loop is" : "loops are"} paused`;
  const facts = [
    ...(waiting.length > 0 ? [`${promptsWait(waiting.length)} for a key`] : []),
    ...(queued.length > waiting.length ? [turnsAwaited(queued.length - waiting.length)] : []),
    ...(paused === "" ? [] : [paused]),
  ];
  const isNews = loops.length > 0 || (held > 0 && waiting.length > 0);
  return { words: [isNews ? "warn" : "ok", facts.length === 0 ? "nothing waits" : facts.join("; ")], waiting };
}

function promptsWait(count: number): string {
  return `${count} ${count === 1 ? "prompt waits" : "prompts wait"}`;
}

/** In a window that lives: they run without a key. */
function turnsAwaited(count: number): string {
  return `${promptsWait(count)} ${count === 1 ? "its" : "their"} turn`;
}

/** Takes the leases of the dead, which makes their turns unknown, and gives them back at once. */
async function reclaim(db: AsyncSessionDB, holder: HolderId): Promise<Words> {
  const gone = (await db.heldLeases()).filter((lease) => !lease.isHeld);
  const pids: number[] = [];
  for (const { conversation } of gone) {
    const result = await db.acquireLease({ conversation, holder });
    if (result.kind !== "acquired") continue;
    if (result.reclaimedFrom) pids.push(result.reclaimedFrom.pid);
    await db.releaseLease(result.lease);
  }
  if (pids.length === 0) return ["ok", "none left behind"];
  return ["ok", `${pids.length} reclaimed from pid ${pids.join(", ")}, gone`];
}

async function inspectTurns(db: AsyncSessionDB, options: RecoveryOptions): Promise<OpenTurn[]> {
  const open = (await db.openAdmissions()).filter((each) => each.status === "started" || each.status === "unknown");
  const turns: OpenTurn[] = [];
  for (const admission of open) turns.push(await inspect(db, admission, options));
  return turns;
}

async function inspect(db: AsyncSessionDB, admission: Admission, options: RecoveryOptions): Promise<OpenTurn> {
  const { id, conversation } = admission;
  const session = await db.canonical(conversation);
  const taken = await db.acquireLease({ conversation, holder: options.holder });
  if (taken.kind === "held") {
    const calls = await db.callsOf(id);
    return { admission, session, calls, ...(taken.process && { holder: taken.process }) };
  }
  try {
    const calls = await judgeCalls(db, { lease: taken.lease, admission: id, world: options.world });
    // Results that were just read back are nodes: a half answer to what stood before them belongs to nothing.
    const { head } = await db.canonical(conversation);
    const drafts = await db.drafts(conversation);
    const draft = drafts.find((each) => each.kind === "answer" && each.admission === id && each.parent === head);
    return { admission: await db.admission(id), session, calls, ...(draft && { draft }) };
  } finally {
    await db.releaseLease(taken.lease);
  }
}

/** Reads back every call of an interrupted turn that has no end, and stores what is proven. */
export async function judgeCalls(
  db: AsyncSessionDB,
  { lease, admission, world }: { lease: LeaseRef; admission: Admission["id"]; world: World },
): Promise<readonly ToolCall[]> {
  const calls = await db.callsOf(admission);
  const proofs: CallProof[] = [];
  for (const call of calls) {
    if (call.result !== undefined || (call.state !== "running" && call.state !== "unknown")) continue;
    const proof = await world.readBack(call);
    if (proof) proofs.push(proof);
  }
  return db.reconcileCalls(lease, admission, { proofs, at: Date.now() });
}

/** A move with files that a crash cut between two of them: the rest is written, or reported as a conflict. */
async function finishReverts(db: AsyncSessionDB, { holder, world }: RecoveryOptions): Promise<Words | undefined> {
  const planned = await db.plannedReverts();
  if (planned.length === 0) return undefined;
  const seen: FileRevert[] = [];
  let elsewhere = 0;
  for (const conversation of new Set(planned.map((revert) => revert.conversation))) {
    const isOwn = (revert: FileRevert) => revert.conversation === conversation;
    const done = await withLease(db, { conversation, holder }, async () => {
      // Who held it until now may have finished them, and moved on: what was read before the lease is not to be written.
      return world.finishReverts((await db.plannedReverts()).filter(isOwn));
    });
    if ("kind" in done) elsewhere += planned.filter(isOwn).length;
    else seen.push(...done);
  }
  return revertWords(seen, elsewhere);
}

/** `elsewhere`: how many another program is at. */
function revertWords(seen: readonly FileRevert[], elsewhere: number): Words | undefined {
  if (seen.length + elsewhere === 0) return undefined;
  const pathsOf = (state: FileRevert["state"]) => seen.filter((each) => each.state === state).map(({ path }) => path);
  const [done, changed, waiting] = [pathsOf("done"), pathsOf("conflict"), pathsOf("planned")];
  const words = [
    `writing files was cut short: ${done.length} ${done.length === 1 ? "file" : "files"} finished`,
    ...(changed.length > 0 ? [`left alone because they changed: ${changed.join(", ")}`] : []),
    ...(waiting.length > 0 ? [`could not be written, and wait: ${waiting.join(", ")}`] : []),
    ...(elsewhere > 0 ? [`${elsewhere} held elsewhere`] : []),
  ];
  return [words.length > 1 ? "warn" : "ok", words.join(", ")];
}

/** An answer of longer ago than this was missed for good. */
const DELIVERY_DAYS = 7;

async function findUndelivered(db: AsyncSessionDB): Promise<readonly Undelivered[]> {
  const since = Date.now() - DELIVERY_DAYS * 24 * 3_600_000;
  const found: Undelivered[] = [];
  for (const admission of await db.undelivered(since)) {
    const message = admission.lastMessage === undefined ? undefined : await db.message(admission.lastMessage);
    if (message) found.push({ admission, message, session: await db.canonical(admission.conversation) });
  }
  return found;
}

function turnWords(open: readonly OpenTurn[]): Words {
  const own = open.filter((turn) => turn.holder === undefined);
  const elsewhere = open.length - own.length;
  const running = elsewhere > 0 ? ` · ${elsewhere} running elsewhere` : "";
  if (own.length === 0) return ["ok", `nothing was interrupted${running}`];
  return ["warn", `${own.length} ${own.length === 1 ? "turn was" : "turns were"} interrupted${running}`];
}

/** Under a lease of its own; `busy` names who stands in the way. */
export async function withLease<T>(
  db: AsyncSessionDB,
  wanted: { conversation: Admission["conversation"]; holder: HolderId },
  action: (lease: LeaseRef) => Promise<T>,
): Promise<T | { readonly kind: "busy"; readonly why: string }> {
  const taken = await db.acquireLease(wanted);
  if (taken.kind === "held") {
    const who = taken.process ? `${taken.process.program}, pid ${taken.process.pid}` : "another program";
    return { kind: "busy", why: `The conversation is held by ${who}.` };
  }
  try {
    return await action(taken.lease);
  } finally {
    await db.releaseLease(taken.lease);
  }
}

async function timed<T>(action: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const start = performance.now();
  const value = await action();
  return { value, ms: Math.round(performance.now() - start) };
}
