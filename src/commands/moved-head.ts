// What follows a move of the head: the screen is told, and the steps in the world that the move does not take back.
import type { Runner } from "../agent/runner.ts";
import type { Moved } from "../ledger/tree.ts";
import type { ToolCall } from "../ledger/types.ts";
import type { CommandContext } from "./command.ts";
import { counted } from "./results.ts";

export async function tellMove(runner: Runner, moved: Pick<Moved, "session" | "head">): Promise<void> {
  const { session, head } = moved;
  runner.emit({ type: "head-moved", session, ...(head !== undefined && { head }) });
  await runner.refresh();
}

/** Calls between two nodes of one path that changed something outside of the conversation, or may have. */
export async function effectsOf({ db }: CommandContext, moved: Moved): Promise<readonly ToolCall[]> {
  const [from, head] = await Promise.all([nodeDepth(moved.from), nodeDepth(moved.head)]);
  const count = Math.abs(from - head);
  const deeper = from > head ? moved.from : moved.head;
  if (count === 0 || deeper === undefined) return [];
  const { messages } = await db.path(moved.session, { from: deeper, limit: count });
  const calls = await db.callsOfMessages(messages.map(({ id }) => id));
  return calls.filter(({ effect, state }) => effect !== "none" && mayHaveActed(effect, state));

  async function nodeDepth(id: Moved["head"]): Promise<number> {
    return id === undefined ? 0 : ((await db.message(id))?.depth ?? 0);
  }
}

/** An edit that failed wrote nothing; a command that failed may have done half of it. */
function mayHaveActed(effect: ToolCall["effect"], state: ToolCall["state"]): boolean {
  if (state === "failed") return effect !== "reversible";
  return state === "succeeded" || state === "running" || state === "unknown";
}

/** What a command did to files is not known, and why. */
const NOT_COMPARED = "folder not compared";

/** Nothing to say where nothing was touched. With files taken along, only what no file tells is left to be said. */
export function effectWords(
  effects: readonly ToolCall[],
  { isUndo, hasFiles }: { isUndo: boolean; hasFiles: boolean },
): readonly string[] {
  const left = hasFiles ? effects.filter(({ effect }) => effect !== "reversible") : effects;
  if (left.length === 0) return [];
  const tools = [...new Set(left.map(({ tool }) => tool))].join(", ");
  const steps = counted(left.length, "step");
  const unseen = left.map(({ evidence = "" }) => evidence).filter((each) => each.startsWith(NOT_COMPARED));
  return [mainWords({ steps, tools, isUndo, hasFiles, isOne: left.length === 1 }), ...new Set(isUndo ? unseen : [])];
}

function mainWords(of: {
  readonly steps: string;
  readonly tools: string;
  readonly isUndo: boolean;
  readonly hasFiles: boolean;
  readonly isOne: boolean;
}): string {
  const { steps, tools, isUndo, hasFiles, isOne } = of;
  if (hasFiles)
    return `What ${steps} (${tools}) did besides these files ${isUndo ? "cannot be undone" : "did not happen again"}.`;
  if (!isUndo) return `Only the conversation came back: ${steps} outside of it (${tools}) did not run again.`;
  return `Only the conversation went back: ${steps} outside of it (${tools}) ${isOne ? "stays as it is" : "stay as they are"}.`;
}
