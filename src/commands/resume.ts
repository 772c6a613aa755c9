// /resume: goes to another conversation, picked or named; the one that is open already is told, not reopened.
import { readOnlyWords } from "../agent/models/read-only.ts";
import { movedRoute, switchWords } from "../agent/models/switch-route.ts";
import type { MessageId, Session } from "../ledger/types.ts";
import { ageOf } from "./ages.ts";
import { countFlag, hasFlag } from "./args.ts";
import { type CommandContext, type CommandResult, defineCommand } from "./command.ts";
import { findSession } from "./find-session.ts";
import { folderWords } from "./folder-words.ts";
import { linesAt } from "./hit-text.ts";
import { openWithFiles } from "./open-with-files.ts";
import { sessionPick } from "./pick-session.ts";
import { recapOf } from "./recap.ts";
import { counted, lines, modelOf, nameOf, runningHere, usage } from "./results.ts";

export const resumeCommand = defineCommand({
  name: "resume",
  aliases: ["continue"],
  summary: "go to another conversation",
  example: "/resume parser",
  args: [{ name: "session", help: "id, prefix, title, number of the list just shown, or latest", rest: true }],
  flags: [
    { name: "at", help: "begin at this message", value: "number" },
    {
      name: "files",
      help: "files go along to a branch, after a preview: edits made here are taken back, those made there done again",
    },
    { name: "yes", help: "without the preview" },
  ],
  // To look at a message of the conversation that is open, nothing has to rest.
  during: "any",
  screenOnly: true,
  async run(args, context) {
    const [asked] = args.words;
    const at = countFlag(args, "at");
    if (!at.ok) return usage(at.problem);
    if (asked !== undefined && at.value !== undefined) return openAt(context, asked, at.value as MessageId);
    if (await context.runner.isBusy()) return { kind: "refused", why: runningHere(), code: "busy" };
    const withFiles = hasFlag(args, "files");
    if (asked === undefined)
      return sessionPick(context, { title: "Resume a conversation", filter: { empty: false }, withFiles });
    const found = await findSession(context, asked, "/resume");
    if (!found.ok) return found.result;
    const { session } = found;
    const isHere = session.conversation === context.runner.session.conversation;
    if (isHere || !withFiles) return open(context, session);
    const isSure = hasFlag(args, "yes");
    return openWithFiles(context, { target: session, isSure, open: () => open(context, session) });
  },
});

async function openAt(context: CommandContext, asked: string, message: MessageId): Promise<CommandResult> {
  const found = await findSession(context, asked, "/resume");
  if (!found.ok) return found.result;
  const stored = await context.db.message(message);
  if (!stored) return usage(`There is no message ${message}.`);
  const at = { message, lines: await linesAt(context.db, found.session, message) };
  if (found.session.conversation === context.runner.session.conversation)
    return { kind: "open-session", session: found.session, resumed: true, lines: [], at };
  if (await context.runner.isBusy()) return { kind: "refused", why: runningHere(), code: "busy" };
  const opened = await open(context, found.session);
  return opened.kind === "open-session" ? { ...opened, at } : opened;
}

async function open(context: CommandContext, found: Session): Promise<CommandResult> {
  const { db, runner, models } = context;
  if (found.conversation === runner.session.conversation)
    return lines(`You are in “${nameOf(found)}” already.`, { session: found.id });
  const session = await atItsAddress(context, found);
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
  told.push(...(await folderWords(session, runner.session.cwd, context.hasFolder)));
  told.push(...(readOnlyWords(models, session.route) ?? []));
  return { kind: "open-session", session, resumed: true, lines: told, recap: await recapOf(db, session) };
}

/** Its provider may have another address than it had: never without a note. */
async function atItsAddress({ db, models, now }: CommandContext, session: Session): Promise<Session> {
  const moved = movedRoute(models, session.route);
  if (!moved) return session;
  const changed = await db.setModel(session.id, moved, { text: switchWords(session.route, moved), at: now() });
  return "kind" in changed ? session : changed; // somebody else has it: the next one to open it notes it
}
