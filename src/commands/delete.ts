// /delete: the whole conversation, after a question that says what goes. Its branches stay.
import type { DeletePreview } from "../ledger/delete-preview.ts";
import type { Session } from "../ledger/types.ts";
import { hasFlag } from "./args.ts";
import { type CommandResult, defineCommand, type FreeContext } from "./command.ts";
import { counted, lines, nameOf, refused } from "./results.ts";

export const deleteCommand = defineCommand({
  name: "delete",
  summary: "delete this conversation; asks first",
  example: "/delete --yes",
  flags: [{ name: "yes", help: "without asking" }],
  during: "any",
  run: (args, context) =>
    deleteConversation(context, context.runner.session, { isSure: hasFlag(args, "yes"), command: "/delete --yes" }),
});

/** `command` is the same with the answer in it. */
export async function deleteConversation(
  context: FreeContext,
  asked: Session,
  { isSure, command }: { isSure: boolean; command: string },
): Promise<CommandResult> {
  const { db, runner } = context;
  const session = await db.session(asked.id);
  const preview = await db.deletePreview(session.conversation);
  if (!isSure) return { kind: "confirm", question: question(session, preview), command };
  const isOpen = runner?.session.conversation === session.conversation;
  const result = await db.deleteConversation(session.id, isOpen && runner ? { holder: runner.holder } : {});
  if (result.kind !== "deleted") return refused(result, context);
  context.lastList.sessions = [];
  // Bounded steps: a process that ends in between leaves the rest to the next start.
  while (!(await db.purgeStep()));
  const words = `Deleted “${nameOf(session)}”, ${counted(preview.messages - preview.kept, "message")}.`;
  const json = { deleted: result.sessions };
  if (!isOpen || context.surface === "argv") return lines(words, json);
  const next = await db.createSession(await context.newSession({}));
  return { kind: "open-session", session: next, resumed: false, lines: [words] };
}

/** Branches that are named; the others are counted. */
const NAMED = 3;

function question(session: Session, preview: DeletePreview): string {
  const { messages, kept, branches, waiting } = preview;
  const what = [counted(session.turns, "turn"), counted(messages - kept, "message")];
  if (waiting > 0) what.push(`${counted(waiting, "waiting prompt")}, unsent`);
  const asked = `Delete “${nameOf(session)}” for good: ${joined(what)}?`;
  if (branches.length === 0) return asked;
  const names = branches.slice(0, NAMED).map(({ title, id }) => `“${title ?? id}”`);
  const others = branches.length - names.length;
  const shown = joined([...names, ...(others > 0 ? [`${others} more`] : [])]);
  const [stay, show] = [kept === 1 ? "stays" : "stay", branches.length === 1 ? "shows" : "show"];
  return `${asked} ${counted(kept, "more message")} ${stay}, because ${shown} ${show} ${kept === 1 ? "it" : "them"}.`;
}

function joined(parts: readonly string[]): string {
  const last = parts.at(-1) ?? "";
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(", ")} and ${last}`;
}
