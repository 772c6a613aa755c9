// /tree: the branches of this conversation and the ends that were undone. Choosing a branch opens it; choosing an end
// moves the head there, or redoes it where a redo would come to it, and then its files come along.
import type { MessageId } from "../ledger/types.ts";
import { countFlag, hasFlag, textFlag } from "./args.ts";
import { type CommandArgs, type CommandContext, type CommandResult, defineCommand } from "./command.ts";
import { findSession } from "./find-session.ts";
import { FILE_FLAGS, goToEnd } from "./go-to.ts";
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
    ...FILE_FLAGS,
  ],
  during: "any",
  run(args, context) {
    const to = countFlag(args, "to");
    if (!to.ok) return Promise.resolve(usage(to.problem));
    const of = textFlag(args, "of");
    if (to.value !== undefined) return goTo(args, context, { to: to.value as MessageId, of });
    if (of !== undefined || FILE_FLAGS.some(({ name }) => hasFlag(args, name)))
      return Promise.resolve(usage("That is about the end that --to names.", "See: /help tree"));
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
async function goTo(
  args: CommandArgs,
  context: CommandContext,
  { to, of }: { to: MessageId; of: string | undefined },
): Promise<CommandResult> {
  const { db, runner, surface } = context;
  const found = of === undefined ? undefined : await findSession(context, of, "/tree");
  if (found && !found.ok) return found.result;
  const session = found?.session ?? (await db.session(runner.session.id));
  return goToEnd(context, {
    ...{ session, to, withFiles: hasFlag(args, "files"), isSure: hasFlag(args, "yes") },
    done: async ({ went, told, files }) => {
      const words = [wentWords(went), ...told];
      const json = { session: went.session, head: to, files };
      const isHere = session.conversation === runner.session.conversation;
      if (isHere) await tellMove(runner, went);
      if (isHere || surface === "argv") return lines(words, json);
      return { kind: "open-session", session: await db.session(went.session), resumed: true, lines: words };
    },
  });
}

/** `left` turns are no longer here, `brought` ones are. */
function wentWords({ left, brought }: { readonly left: number; readonly brought: number }): string {
  const came = brought === 0 ? "Went back" : `Brought back ${counted(brought, "turn")}`;
  const stays = left === 0 ? "" : ` What was here (${counted(left, "turn")}) is kept: /tree`;
  return `${came}.${stays}`;
}
