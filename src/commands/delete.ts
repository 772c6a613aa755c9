// /delete: the whole conversation, after a question that says what goes. Its branches stay.
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
  if (!isSure) return { kind: "confirm", question: question(session), command };
  const isOpen = runner?.session.conversation === session.conversation;
  const result = await db.deleteConversation(session.id, isOpen && runner ? { holder: runner.holder } : {});
  if (result.kind !== "deleted") return refused(result, context);
  context.lastList.sessions = [];
  // Bounded steps: a process that ends in between leaves the rest to the next start.
  while (!(await db.purgeStep()));
  const words = `Deleted “${nameOf(session)}”, ${counted(session.messages, "message")}.`;
  const json = { deleted: result.sessions };
  if (!isOpen || context.surface === "argv") return lines(words, json);
  const next = await db.createSession(await context.newSession({}));
  return { kind: "open-session", session: next, resumed: false, lines: [words] };
}

function question(session: Session): string {
  const what = `${counted(session.turns, "turn")} and ${counted(session.messages, "message")}`;
  return `Delete “${nameOf(session)}” for good: ${what}? Branches of it keep what they show.`;
}
