// What of a checked file the ledger has, and what would come: the whole conversation, new ends of one that is here, or
// nothing. Decides for each new node whether it is shown at once; changes nothing.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import { canonicalJson, messageHash } from "../ledger/ids.ts";
import type { CallRecord, NodeRecord, SessionRecord } from "../ledger/transfer.ts";
import type { ConversationId, Hash, SessionId, ToolOutcome } from "../ledger/types.ts";
import type { CheckedFile, KnownNode } from "./check-file.ts";
import { LIMITS } from "./export-format.ts";
import { BadFile } from "./read-lines.ts";

export interface ImportPlan {
  readonly checked: CheckedFile;
  /** `added`: new ends of a conversation that is here become branches. */
  readonly kind: "imported" | "added" | "here";
  /** The newest generation of the conversation. */
  readonly session: SessionRecord;
  readonly conversation: ConversationId;
  /** Sessions of the file that the ledger has. */
  readonly here: ReadonlySet<SessionId>;
  readonly isNew: (hash: Hash) => boolean;
  readonly messages: number;
  /** Results of calls that had none, under the head, with their calls. */
  readonly closed: readonly { readonly node: NodeRecord; readonly call: CallRecord }[];
  readonly isLive: (hash: Hash) => boolean;
  readonly raise: readonly Hash[];
  readonly tips: readonly Hash[];
}

export async function planImport(db: AsyncSessionDB, checked: CheckedFile): Promise<ImportPlan> {
  const own = checked.sessions.filter((session) => !session.isWriter);
  const last = own.at(-1);
  if (!last) throw new BadFile(checked.file, "", "there is no conversation in it.");
  const { sessions } = await db.whatIsHere({ sessions: checked.sessions.map(({ id }) => id) });
  const here = new Set(sessions);
  const isHere = own.some(({ id }) => here.has(id));
  const stored = await storedNodes(db, [...checked.nodes.keys()]);
  const isNew = (hash: Hash) => !stored.has(hash);
  const isFinished = isHere && last.head !== undefined && !isNew(last.head);
  const closed = isFinished ? [] : closeCalls(checked, last);
  const nodes = new Map<Hash, KnownNode>([...checked.nodes, ...closed.map(({ node }) => [node.hash, node] as const)]);
  const session = { ...last, ...(closed.length > 0 && { head: closed.at(-1)?.node.hash as Hash }) };
  const fresh = [...nodes.keys()].filter(isNew);
  const kind = !isHere ? "imported" : fresh.length === 0 || checked.redacted ? "here" : "added";
  const shown = kind === "imported" ? shownAtOnce(nodes, { head: session.head, here, isNew }) : NOTHING;
  const conversation = last.conversation;
  const plan = { checked, kind, session, conversation, here, isNew, closed, messages: fresh.length } as const;
  checkSize(checked.file, kind === "added" ? fresh.length : shown.raise.length);
  const tips = kind === "added" ? newEnds(nodes, fresh, session.head) : [];
  return { ...plan, isLive: (hash) => shown.live.has(hash), raise: shown.raise, tips };
}

function checkSize(file: string, added: number): void {
  if (added > LIMITS.messagesAdded)
    throw new BadFile(
      file,
      "",
      `it adds ${added} messages to what is here; up to ${LIMITS.messagesAdded} can be added.`,
    );
}

const HASHES = 500;

async function storedNodes(db: AsyncSessionDB, hashes: readonly Hash[]): Promise<ReadonlySet<Hash>> {
  const stored = new Set<Hash>();
  for (let at = 0; at < hashes.length; at += HASHES)
    for (const hash of (await db.whatIsHere({ messages: hashes.slice(at, at + HASHES) })).messages) stored.add(hash);
  return stored;
}

interface Shown {
  readonly live: ReadonlySet<Hash>;
  /** On the way to the head, but on what is here: shown by the last step, so that nothing here changes before it. */
  readonly raise: readonly Hash[];
}
const NOTHING: Shown = { live: new Set(), raise: [] };

function shownAtOnce(
  nodes: ReadonlyMap<Hash, KnownNode>,
  { head, here, isNew }: { head: Hash | undefined; here: ReadonlySet<SessionId>; isNew: (hash: Hash) => boolean },
): Shown {
  const live = new Set<Hash>();
  const raise: Hash[] = [];
  const isStaged = (hash: Hash) => isNew(hash) && !here.has(nodes.get(hash)?.session as SessionId);
  for (let hash = head; hash !== undefined; hash = nodes.get(hash)?.parent) {
    const parent = nodes.get(hash)?.parent;
    if (isStaged(hash) && (parent === undefined || isStaged(parent))) live.add(hash);
    else if (isNew(hash)) raise.push(hash);
  }
  return { live, raise };
}

/** The end that the conversation has in the file first. */
function newEnds(nodes: ReadonlyMap<Hash, KnownNode>, fresh: readonly Hash[], head: Hash | undefined): Hash[] {
  const parents = new Set([...nodes.values()].map(({ parent }) => parent));
  const ends = fresh.filter((hash) => hash === head || !parents.has(hash));
  return ends.sort((a, b) => Number(b === head) - Number(a === head));
}

/** What was open when the file was written has ended, one way or the other, as a crash ends it. */
function closeCalls({ open, nodes }: CheckedFile, { id: session, head }: SessionRecord): ImportPlan["closed"] {
  const closed: { node: NodeRecord; call: CallRecord }[] = [];
  let parent = head;
  let at = head === undefined ? 0 : (nodes.get(head)?.at ?? 0);
  const turn = head === undefined ? 0 : (nodes.get(head)?.turn ?? 0);
  for (const call of open) {
    at += 1;
    const began = call.state === "running" || call.state === "unknown" || call.attempts > 0;
    const outcome: ToolOutcome = began
      ? { kind: "unknown", output: "Whether this happened is not known: the conversation was exported while it ran." }
      : { kind: "cancelled", output: "Not run: the conversation was exported before it was allowed." };
    const parts = canonicalJson([{ kind: "tool-result", call: call.call, outcome }]);
    const hash = messageHash({ parentHash: parent, session, role: "tool", at, parts });
    const node = {
      type: "message",
      hash,
      ...(parent && { parent }),
      session,
      role: "tool",
      at,
      turn,
      by: call.by,
      parts,
    } as const;
    const state = began ? "unknown" : "skipped";
    closed.push({
      node,
      call: { ...call, state, attempts: began ? Math.max(1, call.attempts) : call.attempts, result: hash },
    });
    parent = hash;
  }
  return closed;
}
