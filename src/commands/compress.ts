// /compress: the older part of the conversation becomes a summary for the model, in a turn of its own; people go on
// seeing all of it. What is in the way is said at once, where that is known before it has waited for its turn.
import { skipWords } from "../agent/compaction/skip-words.ts";
import { type CommandArgs, type CommandContext, type CommandResult, defineCommand } from "./command.ts";
import { counted } from "./results.ts";

export const compressCommand = defineCommand({
  name: "compress",
  aliases: ["compact"],
  summary: "sum up the older part of the conversation for the model",
  args: [{ name: "focus", help: "what the summary keeps in detail", rest: true }],
  during: "any",
  isRepeatable: true,
  run: compress,
});

async function compress(args: CommandArgs, { db, runner, now }: CommandContext): Promise<CommandResult> {
  const { conversation } = runner.session;
  const locked = await db.compactionLock(conversation);
  if (locked && !runner.isRunning)
    return { kind: "refused", why: `Compaction skipped: ${skipWords(locked, now())}`, code: "busy" };
  const focus = (args.words[0] ?? "").trim();
  const admission = await runner.submit(focus === "" ? [] : [{ kind: "text", text: focus }], { kind: "compact" });
  const before = (await db.openAdmissions(conversation)).filter(
    ({ id, status }) => id < admission.id && status !== "terminal",
  );
  const waits = before.length === 0 ? [] : [`Compacts after ${counted(before.length, "turn")}.`];
  return { kind: "turn", runner, lines: waits, json: { admission: admission.id, session: admission.session } };
}
