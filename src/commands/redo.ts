// /redo: brings back what /undo took, one undo at a time, until something new was said.
import { countWord } from "./args.ts";
import { type CommandContext, type CommandResult, defineCommand } from "./command.ts";
import { effectsOf, effectWords, tellMove } from "./moved-head.ts";
import { counted, lines, refused, usage } from "./results.ts";

export const redoCommand = defineCommand({
  name: "redo",
  summary: "bring back what was undone",
  args: [{ name: "n", help: "how many undos (1)" }],
  flags: [{ name: "chat", help: "only the conversation, as always in this version" }],
  during: "any",
  async run({ words: [word] }, context) {
    const count = countWord(word, "n");
    return count.ok ? redo(context, count.value ?? 1) : usage(count.problem);
  },
});

async function redo(context: CommandContext, count: number): Promise<CommandResult> {
  const { db, runner } = context;
  const start = runner.session.head;
  let last: Extract<Awaited<ReturnType<typeof db.redo>>, { kind: "moved" }> | undefined;
  let turns = 0;
  for (let done = 0; done < count; done += 1) {
    const moved = await db.redo(runner.session.id, { holder: runner.holder });
    if (moved.kind !== "moved") {
      if (!last) return refused(moved, context);
      break;
    }
    last = moved;
    turns += moved.turns;
  }
  if (!last) return usage("n takes a whole number above 0.");
  const { from: _, ...end } = last;
  const effects = await effectsOf(context, { ...end, ...(start !== undefined && { from: start }) });
  await tellMove(runner, last);
  const { session, head } = last;
  return lines([`Brought back ${counted(turns, "turn")}.`, ...effectWords(effects, false)], { session, turns, head });
}
