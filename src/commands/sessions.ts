// /sessions: the list of conversations, and what can be done to one of them by name.
import { type CommandArgs, type CommandResult, defineCommand, type FreeContext } from "./command.ts";
import { sessionPick } from "./pick-session.ts";
import { called, usage } from "./results.ts";
import { FILTER_FLAGS, readFilter } from "./session-filter.ts";
import { SESSION_COLUMNS, sessionCells, sessionJson } from "./session-rows.ts";
import { sessionsShowCommand } from "./sessions-show.ts";
import { sessionsTreeCommand } from "./sessions-tree.ts";
import { SESSION_VERBS } from "./sessions-verbs.ts";

export const sessionsCommand = defineCommand({
  name: "sessions",
  summary: "list the conversations; show, rename, flag or delete one",
  example: "/sessions parser --limit 5",
  args: [{ name: "filter", help: "words of a title, a folder, a first prompt or an id", rest: true }],
  flags: FILTER_FLAGS,
  verbs: [sessionsShowCommand, sessionsTreeCommand, ...SESSION_VERBS],
  later: ["search", "export", "import", "prune"],
  during: "any",
  isRepeatable: true,
  needsNoSession: true,
  run: listSessions,
});

async function listSessions(args: CommandArgs, context: FreeContext): Promise<CommandResult> {
  const read = readFilter(args, context.now());
  if (!read.ok) return usage(read.problem);
  const { filter, isFiltered } = read;
  const noneWords = isFiltered
    ? `No session fits. All of them: ${called("sessions --all", context)}`
    : "There is no session yet.";
  if (context.surface === "screen")
    return { ...(await sessionPick(context, { title: "Conversations", filter, withOwn: true })), empty: noneWords };
  const listings = await context.db.listSessions(filter);
  context.lastList.sessions = listings.map(({ session }) => session);
  return {
    kind: "rows",
    columns: SESSION_COLUMNS,
    rows: listings.map((listing, index) => sessionCells(listing, { index, now: context.now() })),
    empty: noneWords,
    json: listings.map(sessionJson),
  };
}
