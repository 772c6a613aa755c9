// The tree of a conversation to choose from: a window of it at once, more as one gets there or by what is typed, and a
// look at the last exchange of each end. What choosing one does is the caller's command.
import type { TreePlace, TreeRow } from "../ledger/branch-tree.ts";
import type { Message, SessionId } from "../ledger/types.ts";
import type { CommandContext, CommandResult, FreeContext, PickItem, PickLook } from "./command.ts";
import { exchangeLook } from "./exchange-look.ts";
import { lines } from "./results.ts";
import { type TreePicks, treeItem, treeJson, treeLine } from "./tree-rows.ts";

/** Rows that are asked for at once, and looked through for what is typed. */
const LISTED = 100;
const SEARCHED = 5_000;
/** Messages of an end that are looked at for its last exchange. */
const LOOKED_AT = 16;

export interface TreePick extends TreePicks {
  readonly title: string;
  readonly enter: string;
  readonly empty: string;
  readonly fits?: (row: TreeRow) => boolean;
}

export async function treePick(context: CommandContext, pick: TreePick): Promise<CommandResult> {
  const { db, runner } = context;
  const { id, conversation } = runner.session;
  const rows = new Map<string, TreeRow>();
  const fits = pick.fits ?? (() => true);
  const item = (row: TreeRow): PickItem => {
    const made = treeItem(row, { now: context.now(), here: conversation }, pick);
    rows.set(made.command, row);
    return made;
  };
  const read = async (from?: TreePlace) => {
    let window = await db.branchTree(id, { limit: LISTED, ...(from && { from }) });
    while (!window.rows.some(fits) && window.next)
      window = await db.branchTree(id, { limit: LISTED, from: window.next });
    return { items: window.rows.filter(fits).map(item), next: window.next };
  };
  const first = await read();
  let { next } = first;
  const own = [...rows].find(([, row]) => row.kind === "session" && row.session.conversation === conversation);
  return {
    kind: "pick",
    title: pick.title,
    items: first.items,
    empty: pick.empty,
    enter: pick.enter,
    ...(own && { selected: own[0] }),
    ...(next !== undefined && {
      note: "the first of them; typing looks further",
      more: async () => {
        if (next === undefined) return [];
        const window = await read(next);
        ({ next } = window);
        return window.items;
      },
      find: async (words: string) => (await firstRows(db, id)).filter(fits).map(item).filter(hasWords(words)),
    }),
    preview: ({ command }) => endLook(context, rows.get(command)),
    printed: () => printTree(context, id),
  };
}

/** A window at a time: nothing else of the ledger waits long for it. */
async function firstRows(db: FreeContext["db"], id: SessionId): Promise<readonly TreeRow[]> {
  const rows: TreeRow[] = [];
  for (let window = await db.branchTree(id, { limit: LISTED }); ; ) {
    rows.push(...window.rows);
    if (window.next === undefined || rows.length >= SEARCHED) return rows;
    window = await db.branchTree(id, { limit: LISTED, from: window.next });
  }
}

/** All of it, as lines and as JSON. */
export async function printTree(context: FreeContext, of: SessionId) {
  const rows: TreeRow[] = [];
  let from: TreePlace | undefined;
  do {
    const window = await context.db.branchTree(of, { limit: LISTED, withClosed: true, ...(from && { from }) });
    rows.push(...window.rows);
    from = window.next;
  } while (from !== undefined);
  const { conversation: here } = await context.db.session(of);
  const look = { now: context.now(), here };
  return lines(
    rows.map((row) => treeLine(row, look)),
    rows.flatMap(treeJson),
  );
}

function hasWords(words: string): (item: PickItem) => boolean {
  const wanted = words.toLowerCase().split(/\s+/u);
  return ({ label, detail }) => wanted.every((word) => `${label} ${detail}`.toLowerCase().includes(word));
}

async function endLook({ db }: FreeContext, row: TreeRow | undefined): Promise<PickLook> {
  if (!row) return [];
  const [session, from] = row.kind === "session" ? [row.session.id, row.session.head] : [row.session, row.head];
  if (from === undefined) return ["Nothing was said in it yet."];
  const { messages } = await db.path(session, { from, limit: LOOKED_AT });
  const prompt: Message | undefined = messages.findLast(({ role }) => role === "user");
  return exchangeLook(prompt, messages);
}
