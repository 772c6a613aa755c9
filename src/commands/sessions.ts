// /sessions: the list of conversations, and what can be done to one of them by name.
import { countFlag, hasFlag, textFlag } from "./args.ts";
import { type CommandArgs, type CommandResult, defineCommand, type FreeContext } from "./command.ts";
import { sessionPick } from "./pick-session.ts";
import { called, usage } from "./results.ts";
import { SESSION_COLUMNS, sessionCells, sessionJson } from "./session-rows.ts";
import { sessionsShowCommand } from "./sessions-show.ts";
import { sessionsTreeCommand } from "./sessions-tree.ts";
import { SESSION_VERBS } from "./sessions-verbs.ts";

export const sessionsCommand = defineCommand({
  name: "sessions",
  summary: "list the conversations; show, rename, flag or delete one",
  example: "/sessions parser --limit 5",
  args: [{ name: "filter", help: "words of a title, a folder, a first prompt or an id", rest: true }],
  flags: [
    { name: "all", help: "also empty, archived and hidden ones" },
    { name: "folder", help: "only those of this folder", value: "text" },
    { name: "limit", help: "at most so many (50)", value: "number" },
    { name: "query", help: "the same as the filter", value: "text" },
  ],
  verbs: [sessionsShowCommand, sessionsTreeCommand, ...SESSION_VERBS],
  later: ["search", "export", "import", "prune"],
  during: "any",
  isRepeatable: true,
  needsNoSession: true,
  run: listSessions,
});

async function listSessions(args: CommandArgs, context: FreeContext): Promise<CommandResult> {
  const limit = countFlag(args, "limit");
  if (!limit.ok) return usage(limit.problem);
  const words = args.words[0] ?? textFlag(args, "query");
  const folder = textFlag(args, "folder");
  const isFiltered = words !== undefined || folder !== undefined;
  const noneWords = isFiltered
    ? `No session fits. All of them: ${called("sessions --all", context)}`
    : "There is no session yet.";
  const filter = {
    all: hasFlag(args, "all"),
    ...(words !== undefined && { words }),
    ...(folder !== undefined && { folder }),
    ...(limit.value !== undefined && { limit: limit.value }),
  };
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
