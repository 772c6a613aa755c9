// /sessions tree: the conversations that grew out of one root, each with its fork and its head. People see a compacted
// conversation as one; JSON has its closed sessions too.
import type { SessionListing } from "../ledger/find-sessions.ts";
import type { Session, SessionId } from "../ledger/types.ts";
import { type CommandArgs, type CommandResult, defineCommand, type FreeContext } from "./command.ts";
import { findSession } from "./find-session.ts";
import { counted, lines, nameOf } from "./results.ts";

const ALL = 1_000_000;

export const sessionsTreeCommand = defineCommand({
  name: "tree",
  summary: "the branches of a conversation",
  example: "/sessions tree parser",
  args: [{ name: "session", help: "id, prefix, title or number of the list just shown", required: true }],
  during: "any",
  needsNoSession: true,
  run: showTree,
});

async function showTree(args: CommandArgs, context: FreeContext): Promise<CommandResult> {
  const found = await findSession(context, args.words[0] ?? "", "/sessions tree");
  if (!found.ok) return found.result;
  const all = await context.db.listSessions({ all: true, limit: ALL });
  const tree = await withParents(context, all, found.session);
  const rows = branchesBelow(tree, rootOf(tree, found.session.id));
  const text = rows.map(({ sessions, level }) => {
    const [first, now] = [sessions[0], sessions.at(-1)];
    if (!first || !now) return "";
    const fork = first.forkMessage === undefined ? "" : ` · from message ${first.forkMessage}`;
    const compacted = sessions.length < 2 ? "" : ` · compacted ${times(sessions.length - 1)}`;
    const here = now.conversation === found.session.conversation ? " ←" : "";
    const size = counted(now.messages, "message");
    return `${"  ".repeat(level)}${nameOf(now)} · ${size}${compacted}${fork} · ${now.id}${here}`;
  });
  return lines(text, rows.flatMap(({ sessions }) => sessions).map(treeJson));
}

type Tree = ReadonlyMap<SessionId, Session>;

/** Parents that are in no list, such as the closed sessions of a compressed conversation, are looked up. */
async function withParents({ db }: FreeContext, all: readonly SessionListing[], asked: Session): Promise<Tree> {
  const tree = new Map(all.map(({ session }) => [session.id, session]));
  tree.set(asked.id, asked);
  const pending = [...tree.values()];
  for (let session = pending.pop(); session; session = pending.pop()) {
    if (session.parent === undefined || tree.has(session.parent)) continue;
    const isDeleted = session.edge !== "compression" && (await db.resolveSession(session.parent)).kind !== "found";
    if (isDeleted) continue; // its branches are roots of their own
    const parent = await db.session(session.parent);
    tree.set(parent.id, parent);
    pending.push(parent);
  }
  return tree;
}

function rootOf(tree: Tree, id: SessionId): SessionId {
  let at = id;
  for (;;) {
    const parent = tree.get(at)?.parent;
    if (parent === undefined || !tree.has(parent)) return at;
    at = parent;
  }
}

/** A conversation: its sessions, oldest first. */
interface TreeRow {
  readonly sessions: readonly Session[];
  readonly level: number;
}

function branchesBelow(tree: Tree, root: SessionId): readonly TreeRow[] {
  const sessions = groupedBy([...tree.values()], ({ conversation }) => conversation);
  const branches = groupedBy(
    [...tree.values()].filter(({ edge }) => edge !== "compression"),
    ({ parent }) => (parent === undefined ? undefined : tree.get(parent)?.conversation),
  );
  const rows: TreeRow[] = [];
  const pending = [{ conversation: tree.get(root)?.conversation, level: 0 }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { conversation, level } = next;
    if (conversation === undefined) continue;
    rows.push({ sessions: (sessions.get(conversation) ?? []).sort((a, b) => a.generation - b.generation), level });
    const below = (branches.get(conversation) ?? []).sort(
      (a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1),
    );
    pending.push(...below.map((child) => ({ conversation: child.conversation, level: level + 1 })));
  }
  return rows;
}

function groupedBy<K>(sessions: readonly Session[], key: (session: Session) => K): Map<K, Session[]> {
  const groups = new Map<K, Session[]>();
  for (const session of sessions) {
    const group = groups.get(key(session));
    if (group) group.push(session);
    else groups.set(key(session), [session]);
  }
  return groups;
}

function times(count: number): string {
  return ["once", "twice"][count - 1] ?? `${count} times`;
}

/** `live`: the session is written in, where a closed one of a compressed conversation is not. */
function treeJson(session: Session): object {
  const { id, parent, forkMessage, head, endReason } = session;
  return {
    session: id,
    ...(parent !== undefined && { parent }),
    ...(forkMessage !== undefined && { forkMessage }),
    ...(head !== undefined && { head }),
    live: endReason !== "compression",
  };
}
