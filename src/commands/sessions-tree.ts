// /sessions tree: the sessions that grew out of one root, each with its fork and its head.
import type { SessionListing } from "../ledger/sessions.ts";
import type { Session, SessionId } from "../ledger/types.ts";
import { type CommandArgs, type CommandResult, defineCommand, type FreeContext } from "./command.ts";
import { findSession } from "./find-session.ts";
import { counted, lines, nameOf } from "./results.ts";

const ALL = 1_000_000;

export const sessionsTreeCommand = defineCommand({
  name: "tree",
  summary: "the branches of a conversation",
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
  const text = rows.map(({ session, level }) => {
    const fork = session.forkMessage === undefined ? "" : ` · from message ${session.forkMessage}`;
    const here = session.id === found.session.id ? " ←" : "";
    return `${"  ".repeat(level)}${nameOf(session)} · ${counted(session.messages, "message")}${fork} · ${session.id}${here}`;
  });
  return lines(
    text,
    rows.map(({ session }) => treeJson(session)),
  );
}

type Tree = ReadonlyMap<SessionId, Session>;

/** Parents that are in no list, such as the closed sessions of a compressed conversation, are looked up. */
async function withParents({ db }: FreeContext, all: readonly SessionListing[], asked: Session): Promise<Tree> {
  const tree = new Map(all.map(({ session }) => [session.id, session]));
  tree.set(asked.id, asked);
  const pending = [...tree.values()];
  for (let session = pending.pop(); session; session = pending.pop()) {
    if (session.parent === undefined || tree.has(session.parent)) continue;
    const resolved = await db.resolveSession(session.parent);
    if (resolved.kind !== "found") continue; // deleted: its branches are roots of their own
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

function branchesBelow(tree: Tree, root: SessionId): readonly { session: Session; level: number }[] {
  const children = new Map<SessionId, Session[]>();
  for (const session of tree.values())
    if (session.parent !== undefined) children.set(session.parent, [...(children.get(session.parent) ?? []), session]);
  const rows: { session: Session; level: number }[] = [];
  const pending = [{ id: root, level: 0 }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { id, level } = next;
    const session = tree.get(id);
    if (session) rows.push({ session, level });
    const below = [...(children.get(id) ?? [])].sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1));
    pending.push(...below.map((child) => ({ id: child.id, level: level + 1 })));
  }
  return rows;
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
