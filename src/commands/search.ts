// /search: looks for words in all that was said. On the screen a list of hits, of which one opens its conversation at that
// place; without one, rows.
import { searchAll } from "../agent/search-all.ts";
import { parseDuration } from "../config/durations.ts";
import type { SearchHit, SearchWish } from "../ledger/search-messages.ts";
import { hasLostNot, isQuery } from "../ledger/search-query.ts";
import type { SearchOrder } from "../ledger/search-rows.ts";
import type { Role } from "../ledger/types.ts";
import { ageOf } from "./ages.ts";
import { countFlag, hasFlag, textFlag } from "./args.ts";
import { type CommandArgs, type CommandResult, defineCommand, type FreeContext } from "./command.ts";
import { findSession } from "./find-session.ts";
import { linesAround, snippetText } from "./hit-text.ts";
import { called, nameOf, usage, waitOf } from "./results.ts";

const ROLES: readonly Role[] = ["user", "assistant", "tool", "summary", "note"];
const ORDERS: readonly SearchOrder[] = ["relevance", "newest", "oldest"];
/** Printed, and listed to choose from. */
const PRINTED = 20;
const LISTED = 100;

const DECLARED = {
  name: "search",
  summary: "look for words in all conversations",
  args: [
    {
      name: "words",
      help: 'what to look for: all of them; "a phrase", a beginning*, OR, NOT',
      rest: true,
      keepsPhrases: true,
    },
  ],
  flags: [
    { name: "session", help: "only in this conversation", value: "text" },
    { name: "role", help: `only what this one said: ${ROLES.join(", ")}`, value: "text" },
    { name: "folder", help: "only conversations of this folder", value: "text" },
    { name: "since", help: "only what is newer: 7d, 12h or a date such as 2026-11-01", value: "text" },
    { name: "sort", help: `${ORDERS.join(", ")} (relevance)`, value: "text" },
    { name: "all", help: "also what was undone, and archived and hidden conversations" },
    { name: "limit", help: `at most so many (${PRINTED})`, value: "number" },
  ],
  during: "any",
  isRepeatable: true,
  needsIndex: true,
  needsNoSession: true,
  run: search,
} as const;

export const searchCommand = defineCommand({ ...DECLARED, example: "/search parser words" });
export const sessionsSearchCommand = defineCommand({ ...DECLARED, example: "/sessions search parser --since 7d" });

async function search(args: CommandArgs, context: FreeContext): Promise<CommandResult> {
  if (context.surface !== "screen" && (args.words[0] ?? "").trim() === "")
    return usage("<words> is missing: what to look for.", `Usage: ${called("search", context)} <words>`);
  const wished = await wishOf(args, context);
  if (!wished.ok) return wished.result;
  const { wish } = wished;
  if (hasLostNot(wish.words)) return usage("NOT needs a word before it and one after it.", "Such as: parser NOT test");
  if (context.surface === "screen") return pickHit(context, wish);
  const { hits } = await searchAll(context.db, wish, waitOf(context));
  return {
    kind: "rows",
    columns: ["id", "message", "role", "said", "title", "text"],
    rows: hits.map((hit) => hitCells(hit, context.now())),
    empty: noneWords(wish, context),
    json: hits.map(hitJson),
  };
}

type Wished = { readonly ok: true; readonly wish: SearchWish } | { readonly ok: false; readonly result: CommandResult };

async function wishOf(args: CommandArgs, context: FreeContext): Promise<Wished> {
  const wrong = (problem: string): Wished => ({ ok: false, result: usage(problem) });
  const limit = countFlag(args, "limit");
  if (!limit.ok) return wrong(limit.problem);
  const role = oneOf(ROLES, textFlag(args, "role"));
  if (role === null) return wrong(`--role takes one of ${ROLES.join(", ")}.`);
  const order = oneOf(ORDERS, textFlag(args, "sort"));
  if (order === null) return wrong(`--sort takes one of ${ORDERS.join(", ")}.`);
  const since = sinceOf(textFlag(args, "since"), context.now());
  if (since === null) return wrong("--since takes a time such as 7d or 12h, or a date such as 2026-11-01.");
  const named = textFlag(args, "session");
  const found = named === undefined ? undefined : await findSession(context, named, "/sessions show");
  if (found && !found.ok) return found;
  const folder = textFlag(args, "folder");
  const wish: SearchWish = {
    words: args.words[0] ?? "",
    all: hasFlag(args, "all"),
    limit: limit.value ?? (context.surface === "screen" ? LISTED : PRINTED),
    ...(found && { session: found.session.id }),
    ...(role !== undefined && { role }),
    ...(order !== undefined && { order }),
    ...(folder !== undefined && { folder }),
    ...(since !== undefined && { since }),
  };
  return { ok: true, wish };
}

/** Null: it is none of them. */
function oneOf<T extends string>(known: readonly T[], word: string | undefined): T | undefined | null {
  return word === undefined ? undefined : (known.find((each) => each === word) ?? null);
}

function sinceOf(text: string | undefined, now: number): number | undefined | null {
  if (text === undefined) return undefined;
  const ago = parseDuration(text);
  if (ago !== undefined) return now - ago;
  // Without a time it is a day of the person's own clock.
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00`).getTime() : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

async function pickHit(context: FreeContext, wish: SearchWish): Promise<CommandResult> {
  const { db } = context;
  const known = new Map<string, SearchHit>();
  const items = (hits: readonly SearchHit[], typed = "") =>
    hits.map((hit) => {
      const command = `/resume ${hit.session.id} --at ${hit.message}`;
      known.set(command, hit);
      const facts = [nameOf(hit.session), ageOf(hit.at, context.now()), `${hit.role}${hit.live ? "" : ", undone"}`];
      const text = snippetText(hit.snippet);
      // What was typed is in the message, if not in what is shown of it.
      return { command, label: text, detail: facts.join(" · "), facts, search: `${typed} ${text}` };
    });
  // Without words there is nothing to list yet: the filter is where they are typed.
  const isBlank = wish.words.trim() === "";
  const { hits } = isBlank ? { hits: [] } : await searchAll(db, wish, waitOf(context));
  return {
    kind: "pick",
    title: isBlank ? "Search all conversations" : `“${wish.words}”`,
    items: items(hits),
    empty: isBlank ? "Type words: what was said with them is listed here." : noneWords(wish, context),
    enter: "opens it there",
    ...(isBlank && { isBlank: true as const }),
    ...(hits.length === wish.limit && { note: `the first ${hits.length}; more words find fewer` }),
    ...(hits.length < wish.limit && { isWhole: true as const }),
    find: async (typed) => {
      const more = await searchAll(db, { ...wish, words: `${wish.words} ${typed}`, isTyping: true });
      return items(more.hits, typed);
    },
    preview: async ({ command }) => {
      const hit = known.get(command);
      return hit ? linesAround(db, hit) : [];
    },
  };
}

function hitCells(hit: SearchHit, now: number): readonly string[] {
  const { session, message, role, at, live } = hit;
  const words = snippetText(hit.snippet, [">>>", "<<<"]);
  return [session.id, String(message), live ? role : `${role}, undone`, ageOf(at, now), nameOf(session), words];
}

/** The fields of `stele sessions search --json`. */
function hitJson({ session, message, role, at, snippet }: SearchHit): object {
  const text = snippet.map((part) => (part.isHit ? `>>>${part.text}<<<` : part.text)).join("");
  return { session: session.id, message, role, at, snippet: text };
}

function noneWords({ words, all }: SearchWish, context: FreeContext): string {
  if (!isQuery(words)) return `There is no word in “${words}”.`;
  const isBeginning = words.trimEnd().endsWith("*");
  const fewer = /\s/.test(words.trim())
    ? "Fewer words find more. "
    : isBeginning
      ? "A shorter beginning finds more. "
      : `${words}* finds what begins so. `;
  const wider = all ? "" : `Also what was undone or put away: ${called("search", context)} ${words} --all`;
  return `Nothing was found for “${words}”. ${fewer}${wider}`.trimEnd();
}
