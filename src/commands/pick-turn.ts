// Picking one of the turns of this conversation: the newest first, older ones as one gets there or by what is typed, and
// a look at each exchange. What choosing one does is the caller's command.
import type { ListedTurn } from "../ledger/path-lists.ts";
import { ageOf } from "./ages.ts";
import type { CommandContext, CommandResult, PickItem, PickLook } from "./command.ts";
import { exchangeLook } from "./exchange-look.ts";
import { counted } from "./results.ts";

/** Listed at once, and found for one filter. */
const LISTED = 100;
/** Messages of a turn that are looked at for its answer: also of a long one no more. */
const LOOKED_AT = 16;

export interface TurnPick {
  readonly title: string;
  readonly command: (turn: ListedTurn) => string;
  readonly enter: string;
}

export async function turnPick(context: CommandContext, pick: TurnPick): Promise<CommandResult> {
  const { db, runner } = context;
  const { id } = runner.session;
  const first = await db.turns(id, { limit: LISTED });
  const digits = String(first.turns[0]?.turn ?? 0).length;
  const turns = new Map<string, ListedTurn>();
  const item = (turn: ListedTurn): PickItem => {
    const command = pick.command(turn);
    turns.set(command, turn);
    return { command, ...turnRow(turn, { now: context.now(), digits }) };
  };
  let { next } = first;
  return {
    kind: "pick",
    title: pick.title,
    items: first.turns.map(item),
    empty: "There is no turn yet: nothing was asked in this conversation.",
    enter: pick.enter,
    ...(next !== undefined && {
      note: "the newest; typing looks through all of them",
      find: async (words: string) => (await db.findTurns(id, { words, limit: LISTED })).map(item),
      more: async () => {
        if (next === undefined) return [];
        const window = await db.turns(id, { from: next, limit: LISTED });
        next = window.next;
        return window.turns.map(item);
      },
    }),
    preview: ({ command }) => exchangeOf(context, turns.get(command)),
  };
}

function turnRow(turn: ListedTurn, { now, digits }: { now: number; digits: number }): Omit<PickItem, "command"> {
  const facts = [becameWords(turn), ageOf(turn.at, now), turn.calls > 0 ? counted(turn.calls, "tool") : ""];
  return {
    label: `${String(turn.turn).padStart(digits)}  ${turn.beginning.slice(0, 400).replace(/\s+/g, " ").trim() || "(no text)"}`,
    detail: facts.filter((fact) => fact !== "").join(" · "),
    facts,
    search: turn.beginning,
  };
}

/** Nothing where it was answered, and nothing was changed. */
function becameWords({ state, files }: ListedTurn): string {
  const states: { readonly [state in NonNullable<ListedTurn["state"]>]?: string } = {
    running: "running",
    undecided: "waits for a decision",
    interrupted: "interrupted",
    failed: "failed",
    rejected: "rejected",
  };
  return [
    ...(state !== undefined && states[state] !== undefined ? [states[state]] : []),
    ...(files > 0 ? [counted(files, "file")] : []),
  ].join(", ");
}

async function exchangeOf({ db, runner }: CommandContext, turn: ListedTurn | undefined): Promise<PickLook> {
  if (!turn) return [];
  const [prompt, { messages }] = await Promise.all([
    db.message(turn.first),
    db.path(runner.session.id, { from: turn.last, limit: LOOKED_AT }),
  ]);
  return exchangeLook(prompt, messages);
}
