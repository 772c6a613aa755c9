// /undo: takes back user turns. The head moves, nothing is deleted, and the prompt returns to the composer.
import type { Message } from "../ledger/types.ts";
import { countWord } from "./args.ts";
import { type CommandContext, type CommandResult, defineCommand } from "./command.ts";
import { effectsOf, effectWords, tellMove } from "./moved-head.ts";
import { counted, refused, usage } from "./results.ts";

export const undoCommand = defineCommand({
  name: "undo",
  aliases: ["rewind", "checkpoint"],
  summary: "take back the last turns of the conversation; files stay",
  args: [{ name: "n", help: "how many turns (1)" }],
  flags: [{ name: "chat", help: "only the conversation, as always in this version" }],
  during: "any",
  async run({ words: [word] }, context) {
    const count = countWord(word, "n");
    return count.ok ? undo(context, count.value ?? 1) : usage(count.problem);
  },
});

async function undo(context: CommandContext, count: number): Promise<CommandResult> {
  const { db, runner } = context;
  const moved = await db.undo(runner.session.id, count, { holder: runner.holder });
  if (moved.kind !== "moved") return refused(moved, context);
  const effects = await effectsOf(context, moved);
  await tellMove(runner, moved);
  const { session, turns, head } = moved;
  const told = [`Took back ${counted(turns, "turn")}. /redo brings ${turns === 1 ? "it" : "them"} back.`];
  return {
    kind: "prefill",
    text: promptText(moved.prompt),
    lines: [...told, ...effectWords(effects, true)],
    json: { session, turns, ...(head !== undefined && { head }), kept: effects.map(({ id }) => id) },
  };
}

function promptText(prompt: Message | undefined): string {
  const parts = prompt?.parts ?? [];
  return parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
}
