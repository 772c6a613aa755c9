// /sessions: the list of conversations, and what can be done to one of them by name.
import { hasFlag, textFlag } from "./args.ts";
import { type CommandArgs, type CommandResult, defineCommand, type FreeContext } from "./command.ts";
import { sessionsExportCommand } from "./export.ts";
import { sessionsImportCommand } from "./import.ts";
import { sessionPick } from "./pick-session.ts";
import { called, usage } from "./results.ts";
import { sessionsSearchCommand } from "./search.ts";
import { FILTER_FLAGS, readFilter } from "./session-filter.ts";
import { sessionsShowCommand } from "./sessions-show.ts";
import { sessionsTreeCommand } from "./sessions-tree.ts";
import { SESSION_VERBS } from "./sessions-verbs.ts";

export const sessionsCommand = defineCommand({
  name: "sessions",
  summary: "list the conversations; show, rename, flag or delete one",
  example: "/sessions parser --limit 5",
  args: [{ name: "filter", help: "words of a title, a folder, a first prompt or an id", rest: true }],
  flags: [
    ...FILTER_FLAGS,
    { name: "by", help: "project: counts and costs by repository, else by folder", value: "text" },
    { name: "all-profiles", help: "of every profile of this home" },
  ],
  verbs: [
    sessionsShowCommand,
    sessionsSearchCommand,
    sessionsTreeCommand,
    sessionsExportCommand,
    sessionsImportCommand,
    ...SESSION_VERBS,
  ],
  later: ["prune"],
  during: "any",
  isRepeatable: true,
  needsNoSession: true,
  run: listSessions,
});

async function listSessions(args: CommandArgs, context: FreeContext): Promise<CommandResult> {
  const { cwd } = await context.newSession({});
  const read = readFilter(args, { now: context.now(), folder: (asked) => context.files.resolve(cwd, asked) });
  if (!read.ok) return usage(read.problem);
  const { filter, isFiltered } = read;
  const empty = isFiltered
    ? `No session fits. All of them: ${called("sessions --all", context)}`
    : "There is no session yet.";
  const by = textFlag(args, "by");
  if (by !== undefined && by !== "project") return usage(`--by takes project, not ${JSON.stringify(by)}.`);
  const wish = { filter, isByProject: by !== undefined, ofAllProfiles: hasFlag(args, "all-profiles"), empty };
  if (context.surface === "screen" && !wish.isByProject && !wish.ofAllProfiles)
    return { ...(await sessionPick(context, { title: "Conversations", filter, withOwn: true })), empty };
  const { listed } = await import("./sessions-listed.ts");
  return listed(context, wish);
}
