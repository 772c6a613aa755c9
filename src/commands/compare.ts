// /compare: this conversation beside another branch of it, or beside one of its undone ends, from where they part: turn
// by turn, and what each changed in files.
import type { TreeRow } from "../ledger/branch-tree.ts";
import type { Side } from "../ledger/path-diff.ts";
import type { MessageId, Session } from "../ledger/types.ts";
import { countFlag } from "./args.ts";
import { type CommandArgs, type CommandContext, type CommandResult, defineCommand, type SideRow } from "./command.ts";
import { comparedFiles } from "./compare-files.ts";
import { findSession } from "./find-session.ts";
import { treePick } from "./pick-tree.ts";
import { counted, lines, nameOf, usage } from "./results.ts";
import { beginningOf } from "./session-rows.ts";

/** Turns of each side that are told at once. */
const TOLD = 10;
/** Characters of a prompt and of an answer. */
const PROMPT = 240;
const ANSWER = 480;

export const compareCommand = defineCommand({
  name: "compare",
  summary: "another branch beside this one, from their fork on",
  example: "/compare another way",
  args: [{ name: "session", help: "the other branch: id, prefix, title or number of the list just shown", rest: true }],
  flags: [
    { name: "at", help: "with the undone end that this message is, instead of a session", value: "number" },
    { name: "from", help: "begin at this turn", value: "number" },
  ],
  during: "any",
  run: compare,
});

/** One of the two. */
interface End {
  readonly name: string;
  readonly session: Session;
  readonly head?: MessageId;
}

async function compare(args: CommandArgs, context: CommandContext): Promise<CommandResult> {
  const from = countFlag(args, "from");
  if (!from.ok) return usage(from.problem);
  const own = await context.db.session(context.runner.session.id);
  const other = await otherEnd(args, context, own);
  if ("kind" in other) return other;
  const here: End = { name: nameOf(own), session: own, ...(own.head !== undefined && { head: own.head }) };
  if (other.head === here.head) {
    const json = {
      ...(here.head !== undefined && { fork: here.head }),
      sides: [here, other].map((end) => sideJson(end, undefined, [])),
    };
    return lines(`“${other.name}” ends where this conversation does: nothing differs.`, json);
  }
  return sidesOf(context, [here, other], from.value);
}

async function otherEnd(args: CommandArgs, context: CommandContext, own: Session): Promise<End | CommandResult> {
  const at = countFlag(args, "at");
  if (!at.ok) return usage(at.problem);
  const [asked] = args.words;
  if (at.value !== undefined) {
    if (asked !== undefined) return usage("Say a session or --at, not both.");
    const message = await context.db.message(at.value as MessageId);
    if (!message) return usage(`There is no message ${at.value}.`, "See: /compare");
    const { turns } = await context.db.turns(own.id, { from: message.id, limit: 1 });
    const name = `the end after “${beginningOf(turns[0]?.beginning ?? "")}”`;
    return { name, session: own, head: message.id };
  }
  if (asked === undefined)
    return context.surface === "screen" ? pickOther(context, own) : usage("Say which session.", "See: stele tree");
  const found = await findSession(context, asked, "/compare");
  if (!found.ok) return found.result;
  const { session } = found;
  if (session.conversation === own.conversation)
    return usage("That is this conversation itself. Its undone ends: /compare --at MESSAGE", "Choose one: /compare");
  return { name: nameOf(session), session, ...(session.head !== undefined && { head: session.head }) };
}

function pickOther(context: CommandContext, own: Session): Promise<CommandResult> {
  const isOther = (row: TreeRow) => row.kind === "undone" || row.session.conversation !== own.conversation;
  return treePick(context, {
    title: "Compare with which end?",
    empty: "There is no other branch of this conversation, and nothing was undone. /branch makes one.",
    enter: "compares",
    fits: isOther,
    session: ({ session }) => `/compare ${session.id}`,
    end: ({ head }) => `/compare --at ${head}`,
  });
}

async function sidesOf(
  context: CommandContext,
  [here, other]: readonly [End, End],
  from: number | undefined,
): Promise<CommandResult> {
  const ends = [here.head, other.head] as const;
  const first = await context.db.pathDiff({ ends, skip: 0, limit: 0 });
  const isOfOne = here.session.conversation === other.session.conversation;
  if (!first.fork && !isOfOne)
    return usage(`“${other.name}” has nothing in common with this conversation.`, "Its branches: /tree");
  const turn = first.fork?.turn ?? 0;
  const skip = Math.max(0, (from ?? 0) - turn - 1);
  const { sides } = await context.db.pathDiff({ ends, skip, limit: TOLD });
  const [left, right] = sides;
  const count = Math.max(left.turns.length, right.turns.length);
  const rows: SideRow[] = [];
  for (let at = 0; at < count; at += 1) rows.push({ left: turnWords(left, at), right: turnWords(right, at) });
  const files = await comparedFiles(context, sides);
  const next = turn + skip + TOLD + 1;
  const command = isOfOne ? `--at ${other.head}` : other.session.id;
  return {
    kind: "sides",
    intro: [
      first.fork
        ? `Both are the same up to turn ${turn} (message ${first.fork.message}).`
        : "They differ from the start.",
    ],
    heads: [`${here.name} (here)`, other.name],
    rows: [
      ...rows,
      ...(left.later + right.later > 0 ? [{ left: laterWords(left), right: laterWords(right) }] : []),
      ...files.rows,
    ],
    outro: [
      ...(left.later + right.later > 0 ? [`The next turns: /compare ${command} --from ${next}`] : []),
      ...files.told,
    ],
    json: {
      ...(first.fork && { fork: first.fork.message, turn }),
      sides: [here, other].map((end, at) => sideJson(end, sides[at], files.json[at] ?? [])),
    },
  };
}

/** Words also where there is none at all: an empty column looks like one that could not be read. */
function turnWords({ turns }: Side, at: number): readonly string[] {
  const turn = turns[at];
  if (!turn) return turns.length === 0 && at === 0 ? ["(nothing more)"] : [];
  const prompt = turn.prompt === undefined ? "(the turn goes on)" : `› ${clipped(turn.prompt, PROMPT)}`;
  const answer = turn.answer === undefined ? "(no answer)" : `● ${clipped(turn.answer, ANSWER)}`;
  return [prompt, ...(turn.calls > 0 ? [`  ${counted(turn.calls, "tool")}`] : []), answer];
}

function laterWords({ later }: Side): readonly string[] {
  return later === 0 ? [] : [`… ${later} more`];
}

function clipped(text: string, most: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  const begun = [...line].slice(0, most).join("");
  return begun === line ? line : `${begun}…`;
}

function sideJson({ session, head }: End, side: Side | undefined, files: readonly object[]): object {
  return {
    session: session.id,
    ...(head !== undefined && { head }),
    turns: side?.turns ?? [],
    later: side?.later ?? 0,
    files,
  };
}
