// /retry: the last prompt again; the old answer stays as a sibling, and with --files what it did to files is taken back
// first. --other goes on to another one of them, whether a retry or a changed prompt made it.
import type { Sibling } from "../ledger/siblings.ts";
import type { MessageId } from "../ledger/types.ts";
import { hasFlag } from "./args.ts";
import { type CommandArgs, type CommandContext, type CommandResult, defineCommand } from "./command.ts";
import { goToEnd } from "./go-to.ts";
import { tellMove } from "./moved-head.ts";
import { lines, refused, usage } from "./results.ts";
import { askAgain, lastEdits, retryWithFiles, stayWords } from "./retry-files.ts";
import { beginningOf } from "./session-rows.ts";

export const retryCommand = defineCommand({
  name: "retry",
  summary: "ask the last prompt again; the old answer is kept beside the new one",
  example: "/retry",
  flags: [
    { name: "other", help: "do not ask: go on to the next answer that was given in its place" },
    { name: "files", help: "what the last turn did to files is taken back first; with --other files go along" },
    { name: "yes", help: "without the preview" },
  ],
  during: "any",
  async run(args, context) {
    if (hasFlag(args, "other")) return otherAnswer(args, context);
    if (hasFlag(args, "files")) return retryWithFiles(context, hasFlag(args, "yes"));
    if (hasFlag(args, "yes")) return usage("--yes is about files: it goes with --files.");
    return askAgain(context, { then: stayWords(await lastEdits(context)) });
  },
});

/** The next one in the order in which they were asked; after the last one the first. */
async function otherAnswer(args: CommandArgs, context: CommandContext): Promise<CommandResult> {
  const { db, runner } = context;
  const session = await db.session(runner.session.id);
  const { id } = session;
  const all = await db.siblings(id);
  const at = (all.findIndex(({ isHere }) => isHere) + 1) % Math.max(1, all.length);
  const next = all[at];
  const to = next && all.length > 1 ? await db.endBelow(id, next.first) : undefined;
  if (next === undefined || to === undefined)
    return refused({ kind: "conflict", why: "The last prompt has no other answer. Other ends: /tree" }, context);
  return goToEnd(context, {
    ...{ session, to, withFiles: hasFlag(args, "files"), isSure: hasFlag(args, "yes") },
    done: async ({ went, told, files }) => {
      await tellMove(runner, went);
      const which = `Answer ${at + 1} of ${all.length}: “${beginningOf(next.beginning)}”`;
      const more = otherWords(next.first, await db.siblings(id));
      return lines([`${which}. ${more}`, ...told], {
        session: id,
        head: to,
        answer: at + 1,
        answers: all.length,
        files,
      });
    },
  });
}

/** What another `--other` would do at the end that was gone to: it may be turns after the answer. */
function otherWords(answer: MessageId, there: readonly Sibling[]): string {
  const isLast = there.at(-1)?.isHere === true;
  if (there.length > 1 && there.some(({ first, isHere }) => isHere && first === answer))
    return `/retry --other goes on to the ${isLast ? "first" : "next"} one.`;
  return "More was said after it. The other answers: /tree";
}
