// /tree: the branches of this conversation and the ends that were undone. Choosing a branch opens it; choosing an end
// moves the head there, or redoes it where a redo would come to it, and then its files come along.
import type { MessageId } from "../ledger/types.ts";
import { countFlag, textFlag } from "./args.ts";
import { type CommandContext, type CommandResult, defineCommand } from "./command.ts";
import { findSession } from "./find-session.ts";
import { goToEnd } from "./go-to.ts";
import { tellMove } from "./moved-head.ts";
import { printTree, treePick } from "./pick-tree.ts";
import { counted, lines, usage } from "./results.ts";

export const treeCommand = defineCommand({
  name: "tree",
  summary: "the branches and undone ends of this conversation; goes there",
  example: "/tree",
  flags: [
    { name: "to", help: "go to the end that this message is", value: "number" },
    { name: "of", help: "the session of that end, where it is another one", value: "text" },
  ],
  during: "any",
  run(args, context) {
    const to = countFlag(args, "to");
    if (!to.ok) return Promise.resolve(usage(to.problem));
    const of = textFlag(args, "of");
    if (to.value !== undefined) return goTo(context, to.value as MessageId, of);
    if (of !== undefined) return Promise.resolve(usage("--of says whose end --to is.", "See: /help tree"));
    return context.surface === "screen" ? pickEnd(context) : printTree(context, context.runner.session.id);
  },
});

function pickEnd(context: CommandContext): Promise<CommandResult> {
  const { conversation } = context.runner.session;
  return treePick(context, {
    title: "Branches and undone ends",
    empty: "Nothing was said yet.",
    enter: "goes there",
    session: ({ session }) => `/resume ${session.id}`,
    end: (row) => {
      if (row.conversation !== conversation) return `/tree --to ${row.head} --of ${row.session}`;
      if (row.redos === undefined) return `/tree --to ${row.head}`;
      return row.redos === 1 ? "/redo" : `/redo ${row.redos}`;
    },
  });
}

/** An end of another conversation is gone to there, and that one is opened. */
async function goTo(context: CommandContext, to: MessageId, of: string | undefined): Promise<CommandResult> {
  const { db, runner, surface } = context;
  const found = of === undefined ? undefined : await findSession(context, of, "/tree");
  if (found && !found.ok) return found.result;
  const session = found?.session ?? (await db.session(runner.session.id));
  const result = await goToEnd(context, { session: session.id, to, revision: session.revision });
  if ("kind" in result) return result;
  const { went, told, files } = result;
  const words = [wentWords(went), ...told];
  const json = { session: went.session, head: to, files };
  if (session.conversation === runner.session.conversation) {
    await tellMove(runner, went);
    return lines(words, json);
  }
  return surface === "argv"
    ? lines(words, json)
    : { kind: "open-session", session: await db.session(went.session), resumed: true, lines: words };
}

/** `left` turns are no longer here, `brought` ones are. */
export function wentWords({ left, brought }: { readonly left: number; readonly brought: number }): string {
  const came = brought === 0 ? "Went back" : `Brought back ${counted(brought, "turn")}`;
  const stays = left === 0 ? "" : ` What was here (${counted(left, "turn")}) is kept: /tree`;
  return `${came}.${stays}`;
}
