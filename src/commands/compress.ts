// /compress: the older part of the conversation becomes a summary for the model, in a turn of its own; people go on
// seeing all of it. What is in the way is said at once, where that is known before it has waited for its turn.
import { skipWords } from "../agent/compaction/skip-words.ts";
import type { Admission, AdmissionId } from "../ledger/types.ts";
import { type CommandArgs, type CommandContext, type CommandResult, defineCommand } from "./command.ts";
import { counted } from "./results.ts";

export const compressCommand = defineCommand({
  name: "compress",
  aliases: ["compact"],
  summary: "sum up the older part of the conversation for the model",
  example: "/compress the open questions",
  args: [{ name: "focus", help: "what the summary keeps in detail", rest: true }],
  during: "any",
  isRepeatable: true,
  run: compress,
});

async function compress(args: CommandArgs, { db, runner, now, surface }: CommandContext): Promise<CommandResult> {
  const { conversation } = runner.session;
  const locked = await db.compactionLock(conversation);
  if (locked && !runner.isRunning)
    return { kind: "refused", why: `Compaction skipped: ${skipWords(locked, now())}`, code: "busy" };
  const focus = (args.words[0] ?? "").trim();
  const admission = await runner.submit(focus === "" ? [] : [{ kind: "text", text: focus }], { kind: "compact" });
  // Without a screen this is printed when all is over.
  const waits = surface === "screen" ? waitWords(await db.openAdmissions(conversation), admission.id) : undefined;
  const json = { admission: admission.id, session: admission.session };
  return { kind: "turn", runner, lines: waits === undefined ? [] : [waits], json };
}

/** What runs before it, of the open rows in their order: what is held does not, nor what waits for a decision. */
export function waitWords(open: readonly AheadRow[], id: AdmissionId): string | undefined {
  const ahead = open
    .slice(
      0,
      Math.max(
        0,
        open.findIndex((each) => each.id === id),
      ),
    )
    .filter(({ status, held }) => status === "started" || (status === "queued" && held === undefined));
  const turns = ahead.filter(({ kind }) => kind !== "compact" && kind !== "steer").length;
  if (turns > 0) return `Compacts after ${counted(turns, "turn")}.`;
  return ahead.some(({ kind }) => kind === "compact") ? "Waits for the compaction that runs." : undefined;
}

type AheadRow = Pick<Admission, "id" | "kind" | "status" | "held">;
