// Picking one of the conversations: the newest ones first, all others by what is typed, and a look at each.
import type { SessionListing } from "../ledger/find-sessions.ts";
import type { SessionFilter } from "../ledger/session-list.ts";
import type { Message, MessageId, SessionId } from "../ledger/types.ts";
import type { CommandResult, FreeContext, PickItem, PickList } from "./command.ts";
import { pickSession, pullWords } from "./session-rows.ts";
import { SessionsSaying } from "./sessions-saying.ts";

/** Listed at once, and found for one filter. */
const LISTED = 200;
/** Messages looked at for the last exchange: also of a long conversation no more. */
const LOOKED_AT = 16;
const CHARACTERS = 4_000;

export async function sessionPick(
  context: FreeContext,
  wish: { title: string; filter: SessionFilter; withOwn?: boolean; withFiles?: boolean },
): Promise<CommandResult & { kind: "pick" }> {
  const { title, filter, withOwn = false, withFiles = false } = wish;
  const { db, lastList, runner } = context;
  const here = withOwn ? undefined : runner?.session.conversation;
  const { limit = LISTED } = filter;
  const others = (listings: readonly SessionListing[]) =>
    listings.filter(({ session }) => session.conversation !== here).slice(0, limit);
  const { pullRequests } = context;
  const command = withFiles ? "/resume --files" : "/resume";
  const how = { now: context.now(), command, here: runner?.session.cwd };
  const item = (listing: SessionListing): PickItem => pickSession(listing, how);
  const saying = new SessionsSaying(context, filter);
  const exchange = lastExchange(context);
  const withPulls = (all: readonly SessionListing[]): readonly PickItem[] => {
    const pulls = all.map(({ session }) => pullRequests?.of(session));
    const hasSome = pulls.some((pull) => pull !== undefined);
    return all.map((listing, at) => pickSession(listing, { ...how, ...(hasSome && { pull: pulls[at] ?? null }) }));
  };
  const found = await db.listSessions({ ...filter, limit: limit + 1 });
  const listings = others(found);
  lastList.sessions = listings.map(({ session }) => session);
  return {
    kind: "pick",
    title,
    items: withPulls(listings),
    empty: "There is no other conversation yet. /new begins one.",
    enter: withFiles ? "goes there with files" : "opens it",
    ...(found.length > limit
      ? { note: `the ${listings.length} newest; typing looks through all of them` }
      : { isWhole: true as const }),
    find: async (typed: string) => {
      const words = [filter.words, typed].filter((each) => each !== undefined).join(" ");
      const called = others(await db.listSessions({ ...filter, words, limit }));
      const listed = new Set([here, ...called.map(({ session }) => session.conversation)]);
      return [...called.map(item), ...(await saying.find(typed, listed))];
    },
    ...(pullRequests && {
      later: async () =>
        (await pullRequests.look(listings.map(({ session }) => session))) ? withPulls(listings) : undefined,
    }),
    preview: async (chosen) => (await saying.preview(chosen)) ?? exchange(chosen),
  };
}

/** The last prompt and the last answer to it. */
export function lastExchange({ db, pullRequests }: FreeContext): NonNullable<PickList["preview"]> {
  return async ({ command }) => {
    const session = command.slice(command.lastIndexOf(" ") + 1) as SessionId;
    const { messages } = await db.path(session, { limit: LOOKED_AT });
    const prompt = messages.findLast(({ role }) => role === "user");
    const answer = messages.findLast((message) => message.role === "assistant" && textOf(message) !== "");
    const pull = pullRequests?.of(await db.session(session));
    const isAnswered = answer !== undefined && isAfter(answer.id, prompt?.id);
    if (!prompt && !answer) return unsentPreview(db, session);
    return [
      ...(pull ? [`${pullWords(pull)} · ${pull.url}`] : []),
      ...(prompt ? [`› ${textOf(prompt)}`] : []),
      ...(isAnswered ? [`● ${textOf(answer)}`] : ["(no answer yet)"]),
    ].flatMap((text) => ["", ...text.slice(0, CHARACTERS).split("\n")].slice(1));
  };
}

/** The newest first, as they would come back. */
async function unsentPreview(db: FreeContext["db"], id: SessionId): Promise<readonly string[]> {
  const { conversation } = await db.session(id);
  const drafts = (await db.drafts(conversation)).filter(({ kind }) => kind === "composer");
  const words = drafts.flatMap(({ text }) => ["", "Unsent:", ...text.slice(0, CHARACTERS).split("\n")]).slice(1);
  return words.length === 0 ? ["Nothing was said yet."] : words;
}

function isAfter(id: MessageId, other: MessageId | undefined): boolean {
  return other === undefined || id > other;
}

function textOf({ parts }: Message): string {
  return parts
    .flatMap((part) => (part.kind === "text" ? [part.text] : []))
    .join("\n")
    .trim();
}
