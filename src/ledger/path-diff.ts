// Two ends of the tree beside each other: where their paths part, and what each has from there on. The way to the fork
// is walked over ids alone, so it costs the nodes between the two ends and nothing of what came before.

import type { ChangeRow } from "./file-changes-table.ts";
import { changesOfPath, toChange } from "./file-changes-table.ts";
import type { Database } from "./open.ts";
import type { Queries } from "./transaction.ts";
import type { FileChange, MessageId, Role } from "./types.ts";

export interface SideTurn {
  readonly turn: number;
  readonly first: MessageId;
  readonly last: MessageId;
  /** Beginnings; the prompt is absent where the fork is inside of this turn, the answer where none came. */
  readonly prompt?: string;
  readonly answer?: string;
  readonly calls: number;
}

/** What one end has from the fork on. */
export interface Side {
  /** Oldest first. */
  readonly turns: readonly SideTurn[];
  /** Turns after those. */
  readonly later: number;
  /** What its calls did to files, oldest first. */
  readonly changes: readonly FileChange[];
}

export interface PathDiff {
  /** The last node of both; absent: they have nothing in common. */
  readonly fork?: { readonly message: MessageId; readonly turn: number };
  readonly sides: readonly [Side, Side];
}

export interface PathEnds {
  readonly ends: readonly [MessageId | undefined, MessageId | undefined];
  /** Turns of each side that are passed over, and how many are told. */
  readonly skip: number;
  readonly limit: number;
}

interface Link {
  readonly id: MessageId;
  readonly parent_id: MessageId | null;
  readonly depth: number;
  readonly turn: number;
}

interface NodeRow {
  readonly id: MessageId;
  readonly turn: number;
  readonly role: Role;
}

/** Down to the fork, which is no part of it. On a path ids fall towards the root. */
const SIDE = (columns: string) => `with recursive path (id, parent_id, ${columns}) as (
    select id, parent_id, ${columns} from messages where id = @from and id > @fork
    union all
    select m.id, m.parent_id, ${columns
      .split(", ")
      .map((each) => `m.${each}`)
      .join(", ")} from path join messages m on m.id = path.parent_id where m.id > @fork)`;
/** Characters of a prompt and of an answer that are told. */
const TOLD = 2_000;

export function pathDiffQueries(db: Database) {
  return {
    link: db.prepare<[number], Link>("select id, parent_id, depth, turn from messages where id = ?"),
    side: db.prepare<[{ from: number; fork: number }], NodeRow>(
      `${SIDE("turn, role")} select id, turn, role from path order by id`,
    ),
    beginning: db.prepare<[number], string>(`select substr(text, 1, ${TOLD}) from messages where id = ?`).pluck(),
    said: db
      .prepare<[number], string>(
        `select substr(group_concat(p.value ->> 'text', char(10)), 1, ${TOLD}) from messages m, json_each(m.parts) p
         where m.id = ? and p.value ->> 'kind' = 'text'`,
      )
      .pluck(),
    countCalls: db.prepare<[number], number>("select count(*) from tool_calls where message_id = ?").pluck(),
    changes: db.prepare<[{ from: number; fork: number; above: number }], ChangeRow>(changesOfPath(SIDE("turn"))),
  };
}

/** The last node that both have on their way; both ends may be it. */
export function forkOf({ diff }: Queries, one: MessageId | undefined, two: MessageId | undefined): Link | undefined {
  const up = (id: MessageId | null | undefined) => (id === null || id === undefined ? undefined : diff.link.get(id));
  let [a, b] = [up(one), up(two)];
  while (a && b && a.id !== b.id) {
    if (a.depth >= b.depth) a = up(a.parent_id);
    else b = up(b.parent_id);
  }
  return a && b ? a : undefined;
}

export function pathDiff(q: Queries, { ends: [one, two], ...window }: PathEnds): PathDiff {
  const fork = forkOf(q, one, two);
  const after = fork?.id ?? 0;
  return {
    ...(fork && { fork: { message: fork.id, turn: fork.turn } }),
    sides: [sideOf(q, one, { ...window, fork: after }), sideOf(q, two, { ...window, fork: after })],
  };
}

function sideOf(
  q: Queries,
  from: MessageId | undefined,
  { fork, skip, limit }: { fork: number; skip: number; limit: number },
): Side {
  if (from === undefined) return { turns: [], later: 0, changes: [] };
  const turns = new Map<number, NodeRow[]>();
  for (const node of q.diff.side.all({ from, fork })) {
    const known = turns.get(node.turn);
    if (known) known.push(node);
    else turns.set(node.turn, [node]);
  }
  // Notes and summaries at the fork belong to the turn before it, of which nothing more was said.
  const said = [...turns.values()].filter((nodes) => nodes.some(({ role }) => role !== "note" && role !== "summary"));
  const shown = said.slice(skip, skip + limit);
  return {
    turns: shown.map((nodes) => toTurn(q, nodes)),
    later: Math.max(0, said.length - skip - limit),
    changes: q.diff.changes.all({ from, fork, above: -1 }).map(toChange).reverse(),
  };
}

function toTurn({ diff }: Queries, nodes: readonly NodeRow[]): SideTurn {
  const first = nodes.find(({ role }) => role !== "note" && role !== "summary") ?? nodes[0];
  const last = nodes.at(-1);
  if (!first || !last) throw new Error("a turn without a node");
  const prompt = first.role === "user" ? diff.beginning.get(first.id) : undefined;
  const answers = nodes.filter(({ role }) => role === "assistant").reverse();
  let answer: string | null | undefined;
  for (const { id } of answers) {
    answer = diff.said.get(id);
    if (answer) break;
  }
  return {
    ...{ turn: first.turn, first: first.id, last: last.id },
    ...(prompt !== undefined && { prompt }),
    ...(answer && { answer }),
    calls: nodes.reduce((sum, { id }) => sum + (diff.countCalls.get(id) ?? 0), 0),
  };
}
