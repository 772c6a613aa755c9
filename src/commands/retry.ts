// /retry: the last prompt again; the old answer stays as a sibling. --other goes on to another one of them, whether a
// retry or a changed prompt made it.
import { hasFlag } from "./args.ts";
import { type CommandArgs, type CommandContext, type CommandResult, defineCommand } from "./command.ts";
import { FILE_FLAGS, goToEnd } from "./go-to.ts";
import { tellMove } from "./moved-head.ts";
import { lines, refused, usage } from "./results.ts";
import { beginningOf } from "./session-rows.ts";

export const retryCommand = defineCommand({
  name: "retry",
  summary: "ask the last prompt again; the old answer is kept beside the new one",
  example: "/retry",
  flags: [{ name: "other", help: "do not ask: go on to the next answer that was given in its place" }, ...FILE_FLAGS],
  during: "any",
  async run(args, context) {
    if (hasFlag(args, "other")) return otherAnswer(args, context);
    if (FILE_FLAGS.some(({ name }) => hasFlag(args, name))) return usage("--files and --yes go with --other.");
    const { runner } = context;
    const result = await runner.retry();
    if (result.kind !== "retried") return refused(result, context);
    const { id, session, summary, kind } = result.admission;
    const what = kind === "shell" ? "Running" : "Asking";
    const told = `${what} again: ${summary}`;
    return {
      kind: "turn",
      runner,
      lines: [`${told} · back to the answer before: /retry --other`],
      json: { admission: id, session },
    };
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
      const more = `/retry --other goes on to the ${at + 1 === all.length ? "first" : "next"} one.`;
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
