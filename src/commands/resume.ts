// /resume: goes to another conversation, picked or named; the one that is open already is told, not reopened.
import type { Session } from "../ledger/types.ts";
import { ageOf } from "./ages.ts";
import { type CommandContext, type CommandResult, defineCommand } from "./command.ts";
import { findSession } from "./find-session.ts";
import { sessionPick } from "./pick-session.ts";
import { recapOf } from "./recap.ts";
import { counted, lines, modelOf, nameOf } from "./results.ts";

export const resumeCommand = defineCommand({
  name: "resume",
  aliases: ["continue"],
  summary: "go to another conversation",
  args: [{ name: "session", help: "id, prefix, title, number of the list just shown, or latest", rest: true }],
  during: "idle",
  screenOnly: true,
  async run({ words: [asked] }, context) {
    if (asked === undefined) return sessionPick(context, { title: "Resume a conversation", filter: { empty: false } });
    const found = await findSession(context, asked, "/resume");
    return found.ok ? open(context, found.session) : found.result;
  },
});

async function open(context: CommandContext, session: Session): Promise<CommandResult> {
  const { db, runner } = context;
  if (session.conversation === runner.session.conversation)
    return lines(`You are in “${nameOf(session)}” already.`, { session: session.id });
  const { state, holder } = await db.sessionState(session.id);
  const facts = [
    `“${nameOf(session)}”`,
    counted(session.turns, "turn"),
    modelOf(session),
    ageOf(session.lastActivityAt, context.now()),
  ];
  const told = [facts.join(" · ")];
  if (holder) told.push(`${holder.program}, pid ${holder.pid}, has this conversation; a prompt waits for it.`);
  if (state === "unknown") told.push("A turn of it was interrupted: /recover");
  if (!(await context.hasFolder(session.cwd))) told.push(`Its folder is gone: ${session.cwd}`);
  return { kind: "open-session", session, resumed: true, lines: told, recap: await recapOf(db, session) };
}
