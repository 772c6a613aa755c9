// The list of sessions as it is printed: as it is, by project, and of every profile of this home. A ledger that cannot be
// opened is named, and the others are listed.
import { modelFacts } from "../agent/models/catalogue.ts";
import { type Cost, costOf, costWords } from "../agent/models/cost.ts";
import type { ProfileLedger } from "../config/profiles.ts";
import { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { ProjectGroup } from "../ledger/session-groups.ts";
import type { SessionFilter } from "../ledger/session-list.ts";
import { ageOf } from "./ages.ts";
import type { CommandResult, FreeContext } from "./command.ts";
import { SESSION_COLUMNS, sessionCells, sessionJson } from "./session-rows.ts";
import { numberWords } from "./usage-words.ts";

export interface ListWish {
  readonly filter: SessionFilter;
  readonly isByProject: boolean;
  readonly ofAllProfiles: boolean;
  /** What to say where there is none. */
  readonly empty: string;
}

interface Listed {
  readonly rows: readonly (readonly string[])[];
  readonly json: readonly object[];
}

const GROUP_COLUMNS = ["project", "sessions", "active", "in", "out", "cost"] as const;

/** Groups of one list. */
const MOST_GROUPS = 50;

export async function listed(context: FreeContext, wish: ListWish): Promise<CommandResult> {
  const columns = wish.isByProject ? GROUP_COLUMNS : SESSION_COLUMNS;
  if (!wish.ofAllProfiles) {
    const { rows, json } = await listOf(context, context.db, wish);
    return { kind: "rows", columns, rows, json, empty: wish.empty };
  }
  // A number is one of this ledger's list.
  context.lastList.sessions = [];
  const all: Listed[] = [];
  for (const ledger of context.profiles?.() ?? []) all.push(await listOfProfile(context, ledger, wish));
  return {
    kind: "rows",
    columns: ["profile", ...columns],
    rows: all.flatMap(({ rows }) => rows),
    json: all.flatMap(({ json }) => json),
    empty: wish.empty,
  };
}

function listOf(context: FreeContext, db: FreeContext["db"], wish: ListWish): Promise<Listed> {
  return wish.isByProject ? groupsOf(context, db, wish) : sessionsOf(context, db, wish);
}

async function sessionsOf(context: FreeContext, db: FreeContext["db"], wish: ListWish): Promise<Listed> {
  const listings = await db.listSessions(wish.filter);
  const isOwn = !wish.ofAllProfiles;
  if (isOwn) context.lastList.sessions = listings.map(({ session }) => session);
  return {
    rows: listings.map((listing, index) => {
      const [number = "", ...cells] = sessionCells(listing, { index, now: context.now() });
      return [isOwn ? number : "", ...cells];
    }),
    json: listings.map(sessionJson),
  };
}

/** One after the other, each closed before the next: what is read of them is little. */
async function listOfProfile(context: FreeContext, ledger: ProfileLedger, wish: ListWish): Promise<Listed> {
  const { profile, file, isOwn } = ledger;
  const db = isOwn ? context.db : new AsyncSessionDB({ path: file, program: "stele", readOnly: true });
  const name = profile === undefined ? {} : { profile };
  const cell = profile ?? "(none)";
  try {
    const { rows, json } = await listOf(context, db, wish);
    return { rows: rows.map((row) => [cell, ...row]), json: json.map((each) => ({ ...name, ...each })) };
  } catch (error) {
    const { message } = error as Error;
    // In the last column, which makes none of the others wider.
    const before = (wish.isByProject ? GROUP_COLUMNS : SESSION_COLUMNS).slice(1).map(() => "");
    return { rows: [[cell, ...before, `cannot be read: ${message}`]], json: [{ ...name, file, problem: message }] };
  } finally {
    if (!isOwn) await db.close();
  }
}

async function groupsOf(context: FreeContext, db: FreeContext["db"], { filter }: ListWish): Promise<Listed> {
  const groups = (await db.sessionGroups(filter)).slice(0, filter.limit ?? MOST_GROUPS);
  const totals = groups.map((group) => ({ ...group, ...totalOf(context, group) }));
  return {
    rows: totals.map(({ project, sessions, lastActivityAt, inputTokens, outputTokens, cost }) => [
      project,
      String(sessions),
      ageOf(lastActivityAt, context.now()),
      numberWords(inputTokens),
      numberWords(outputTokens),
      cost === undefined ? "not known" : costWords(cost),
    ]),
    json: totals.map(({ project, sessions, lastActivityAt, inputTokens, outputTokens, cost }) => ({
      ...{ by: "project", project, sessions, lastActivityAt, inputTokens, outputTokens },
      ...(cost && { cost: cost.usd }),
    })),
  };
}

/** A sum has a cost only where all of it has a price. */
function totalOf({ settings, now }: FreeContext, { usage }: ProjectGroup) {
  let cost: Cost | undefined = { usd: 0, isLeast: false };
  let [inputTokens, outputTokens] = [0, 0];
  for (const { route, usage: each } of usage) {
    inputTokens += each.inputTokens;
    outputTokens += each.outputTokens;
    if (each.inputTokens + each.outputTokens === 0) continue;
    const part: Cost | undefined = costOf(each, modelFacts(route, settings.models()).prices, now());
    cost = cost && part && { usd: cost.usd + part.usd, isLeast: cost.isLeast || part.isLeast };
  }
  return { inputTokens, outputTokens, cost };
}
