// /tree: the branches of this conversation and the ends that were undone. Choosing a branch opens it; choosing an end
// moves the head there, or redoes it where a redo would come to it, and then its files come along.
import type { MessageId, Session } from "../ledger/types.ts";
import { countFlag, hasFlag, textFlag } from "./args.ts";
import { type CommandArgs, type CommandContext, type CommandResult, defineCommand } from "./command.ts";
import { findSession } from "./find-session.ts";
import { FILE_FLAGS, goToEnd } from "./go-to.ts";
import { tellMove } from "./moved-head.ts";
import { openWithFiles } from "./open-with-files.ts";
import { printTree, treePick } from "./pick-tree.ts";
import { counted, lines, nameOf, runningHere, usage } from "./results.ts";

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
    const [isScreen, files] = [context.surface === "screen", hasFlag(args, "files")];
    if (of !== undefined || (hasFlag(args, "yes") && !files) || (files && !isScreen))
      return Promise.resolve(usage("That is about the end that --to names.", "See: /help tree"));
    const flags = FILE_FLAGS.filter(({ name }) => hasFlag(args, name)).map(({ name }) => ` --${name}`);
    return isScreen ? pickEnd(context, flags.join("")) : printTree(context, context.runner.session.id);
  },
});

/** `flags`: about files, for all that goes to a place; a redo takes them along by itself. */
function pickEnd(context: CommandContext, flags: string): Promise<CommandResult> {
  const { conversation } = context.runner.session;
  return treePick(context, {
    title: "Branches and undone ends",
    empty: "Nothing was said yet.",
    enter: flags === "" ? "goes there" : "goes there with files",
    session: ({ session }) => `/resume ${session.id}${flags}`,
    end: (row) => {
      if (row.conversation !== conversation) return `/tree --to ${row.head} --of ${row.session}${flags}`;
      if (row.redos === undefined) return `/tree --to ${row.head}${flags}`;
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
  const isElsewhere = session.conversation !== runner.session.conversation;
  // The end of a branch as it stands: nothing has to move there.
  if (isElsewhere && session.head === to && hasFlag(args, "files")) return toBranch(context, session, args);
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

async function toBranch(context: CommandContext, target: Session, args: CommandArgs): Promise<CommandResult> {
  if (await context.runner.isBusy()) return { kind: "refused", why: runningHere(), code: "busy" };
  const json = { session: target.id, head: target.head };
  return openWithFiles(context, {
    ...{ target, isSure: hasFlag(args, "yes") },
    open: () =>
      Promise.resolve(
        context.surface === "argv"
          ? lines([`“${nameOf(target)}” ends there.`], json)
          : { kind: "open-session", session: target, resumed: true, lines: [] },
      ),
  });
}

/** `left` turns are no longer here, `brought` ones are. */
function wentWords({ left, brought }: { readonly left: number; readonly brought: number }): string {
  const came = brought === 0 ? "Went back" : `Brought back ${counted(brought, "turn")}`;
  const stays = left === 0 ? "" : ` What was here (${counted(left, "turn")}) is kept: /tree`;
  return `${came}.${stays}`;
}
