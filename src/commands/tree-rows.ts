// How a row of a conversation's tree looks: in a list to choose from, in print, as a line of JSON.
import type { TreeEnd, TreeRow, TreeSession } from "../ledger/branch-tree.ts";
import type { ConversationId } from "../ledger/types.ts";
import { ageOf } from "./ages.ts";
import type { PickItem } from "./command.ts";
import { counted } from "./results.ts";
import { beginningOf, markOf, stateWords, titleOf } from "./session-rows.ts";

export interface TreeLook {
  readonly now: number;
  /** The conversation that is marked: the open one. */
  readonly here?: ConversationId;
}

/** `sessionCommand` and `endCommand` say what choosing a row runs. */
export interface TreePicks {
  readonly session: (row: TreeSession) => string;
  readonly end: (row: TreeEnd) => string;
}

export function treeItem(row: TreeRow, look: TreeLook, commands: TreePicks): PickItem {
  const facts = factsOf(row, look);
  return {
    command: row.kind === "session" ? commands.session(row) : commands.end(row),
    label: `${railsOf(row)}${nameOf(row)}`,
    detail: facts.filter((fact) => fact !== "").join(" · "),
    facts,
    ...(row.kind === "session" && { search: row.session.id }),
  };
}

/** With what the next command needs: the id of a session, the message of an end. */
export function treeLine(row: TreeRow, look: TreeLook): string {
  const facts = factsOf(row, look).filter((fact) => fact !== "");
  const id = row.kind === "session" ? row.session.id : `message ${row.head}`;
  return [`${railsOf(row)}${nameOf(row)}`, ...facts, id].join(" · ");
}

/** One row below the other, whatever stands between them. */
function railsOf({ lasts }: TreeRow): string {
  return lasts.map((isLast, at) => (at < lasts.length - 1 ? (isLast ? "  " : "│ ") : isLast ? "└ " : "├ ")).join("");
}

function nameOf(row: TreeRow): string {
  if (row.kind === "session") return `${markOf(row.state)}${titleOf(row)}`;
  if (row.turns === 0 && row.prompt === "") return "undone: a compaction";
  return `${row.isRetried ? "other answer" : "undone"}: “${beginningOf(row.prompt)}”`;
}

function factsOf(row: TreeRow, { now, here }: TreeLook): readonly string[] {
  if (row.kind === "undone") {
    const back = row.redos === undefined ? "" : `/redo${row.redos === 1 ? "" : ` ${row.redos}`} brings it back`;
    return [afterTurn(row.forkTurn), counted(row.turns, "turn"), ageOf(row.undoneAt, now), back];
  }
  const { session, parent, fork, compactions, compactedAfter } = row;
  const size = counted(session.turns, "turn");
  const compacted = compactions === 0 ? "" : `compacted ${times(compactions)}${after(compactedAfter)}`;
  const isHere = session.conversation === here;
  const from = parent === undefined ? "" : afterTurn(fork?.turn ?? 0);
  const about = fork === undefined ? "" : `${isHere ? `${from} ` : ""}“${beginningOf(fork.prompt)}”`;
  const rest = [stateWords(row), about, compacted].filter((each) => each !== "").join(" · ");
  // A long name may be cut: what says where one is has a column of its own.
  return [isHere ? "← here" : from, size, ageOf(session.lastActivityAt, now), rest];
}

function afterTurn(turn: number): string {
  return turn === 0 ? "from the start" : `after turn ${turn}`;
}

function after(turn: number | undefined): string {
  return turn === undefined ? "" : `, last after turn ${turn}`;
}

function times(count: number): string {
  return ["once", "twice"][count - 1] ?? `${count} times`;
}

/** `live`: the session is written in, where a closed one of a compacted conversation and an undone end are not. */
export function treeJson(row: TreeRow): readonly object[] {
  if (row.kind === "undone") {
    const { session, fork, head, turns, prompt } = row;
    const forked = fork === undefined ? {} : { forkMessage: fork };
    return [{ session, ...forked, head, live: false, undone: true, turns, prompt }];
  }
  return [...(row.closed ?? []), row.session].map(({ id, parent, forkMessage, head, endReason }) => ({
    session: id,
    ...(parent !== undefined && { parent }),
    ...(forkMessage !== undefined && { forkMessage }),
    ...(head !== undefined && { head }),
    live: endReason !== "compression",
  }));
}
