// Which session a person means: a number of the list just shown, `latest`, an id, a unique prefix of one, a title.
import type { Resolved } from "../ledger/find-sessions.ts";
import type { Session } from "../ledger/types.ts";
import type { CommandResult, FreeContext, PickItem } from "./command.ts";
import { lastExchange } from "./pick-session.ts";
import { called, nameOf, usage } from "./results.ts";
import { pickSession } from "./session-rows.ts";

export type FoundSession =
  | { readonly ok: true; readonly session: Session }
  | { readonly ok: false; readonly result: CommandResult };

const NUMBER = /^\d{1,4}$/;

/** `chosen` is the command that picking one of several runs: `/resume`. */
export async function findSession(context: FreeContext, asked: string, chosen: string): Promise<FoundSession> {
  const word = asked.trim();
  const listed = NUMBER.test(word) ? context.lastList.sessions[Number(word) - 1] : undefined;
  if (listed) return { ok: true, session: await context.db.canonical(listed.conversation) };
  if (word === "latest") return latest(context);
  const resolved = await context.db.resolveSession(word);
  switch (resolved.kind) {
    case "found":
      return { ok: true, session: resolved.session };
    case "ambiguous":
      return { ok: false, result: await severalMatch(context, { word, chosen, matches: resolved.matches }) };
    case "none":
      return { ok: false, result: nothingMatches(context, word, resolved) };
  }
}

/** The newest other one of this folder, else of all folders. */
async function latest(context: FreeContext): Promise<FoundSession> {
  const here = context.runner?.session;
  const places = here ? [{ folder: here.cwd }, {}] : [{}];
  for (const place of places) {
    const listings = await context.db.listSessions({ ...place, byActivity: true, limit: 2 });
    const newest = listings
      .map(({ session }) => session)
      .find((session) => session.conversation !== here?.conversation);
    if (newest) return { ok: true, session: newest };
  }
  return { ok: false, result: usage(here ? "There is no other session yet." : "There is no session yet.") };
}

async function severalMatch(
  context: FreeContext,
  { word, chosen, matches }: { word: string; chosen: string; matches: readonly Session[] },
): Promise<CommandResult> {
  const title = `${matches.length} sessions match “${word}”`;
  if (context.surface === "argv") {
    const ids = matches.map((each) => `${each.id} (${nameOf(each)})`);
    return usage(`${title}: ${ids.join(", ")}.`, "Give more of the id.");
  }
  const items: PickItem[] = [];
  for (const session of matches) {
    const state = await context.db.sessionState(session.id);
    items.push(
      pickSession({ session, ...state }, { now: context.now(), command: chosen, here: context.runner?.session.cwd }),
    );
  }
  context.lastList.sessions = matches;
  return { kind: "pick", title, items, empty: "", enter: "opens it", preview: lastExchange(context) };
}

function nothingMatches(
  context: FreeContext,
  word: string,
  { nearest, isId }: Extract<Resolved, { kind: "none" }>,
): CommandResult {
  if (isId)
    return usage(
      `There is no session “${word}” any more: it was deleted, or never was here.`,
      `See: ${called("sessions", context)}`,
    );
  if (NUMBER.test(word) && context.surface !== "argv") {
    const { length } = context.lastList.sessions;
    const list = length === 0 ? "No list was shown yet" : `The list just shown ends at ${length}`;
    return usage(
      `${list}, and no session is called “${word}”.`,
      `Numbers are those of: ${called("sessions", context)}`,
    );
  }
  const hint = nearest.length > 0 ? `Nearest: ${nearest.join(", ")}` : `See: ${called("sessions", context)}`;
  return usage(`There is no session “${word}”.`, hint);
}
