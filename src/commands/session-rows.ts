// How a session looks in a list: as cells, as an item to pick, as a line of JSON.

import type { PullRequest } from "../agent/pull-requests.ts";
import type { SessionListing } from "../ledger/find-sessions.ts";
import { shownImages } from "../ledger/image-token.ts";
import type { SessionState } from "../ledger/types.ts";
import { ageOf } from "./ages.ts";
import type { PickItem } from "./command.ts";
import { counted, modelOf, nameOf } from "./results.ts";

const MARKS: Readonly<Record<SessionState, string>> = { idle: " ", running: "●", interrupted: "!", unknown: "?" };

/** The id stands where a narrow window still shows it: it is what the next command needs. */
export const SESSION_COLUMNS = ["#", "state", "id", "title", "active", "messages", "folder"] as const;

export function sessionCells(listing: SessionListing, at: { index: number; now: number }): readonly string[] {
  const { session } = listing;
  return [
    String(at.index + 1),
    stateOf(listing),
    session.id,
    titleOf(listing),
    ageOf(session.lastActivityAt, at.now),
    String(session.messages),
    session.cwd,
  ];
}

export function pickSession(
  listing: SessionListing,
  how: {
    now: number;
    command: string;
    here: string | undefined;
    /** Null: this one has none, but others of the list have. */
    pull?: PullRequest | null | undefined;
  },
): PickItem {
  const { session, state, firstPrompt, unsent } = listing;
  const facts = [
    stateWords(listing),
    ageOf(session.lastActivityAt, how.now),
    counted(session.turns, "turn"),
    ...(how.pull === undefined ? [] : [how.pull ? pullWords(how.pull) : ""]),
    session.cwd === how.here ? "" : session.cwd,
  ];
  // In a column an id says nothing, and the label has a mark.
  const origin = session.edge === "branch" ? [`branch of ${session.parent}`] : [];
  return {
    command: `${how.command} ${session.id}`,
    label: `${MARKS[state]} ${session.edge === "branch" ? "↳ " : ""}${titleOf(listing)}`,
    detail: [...facts, ...origin].filter((fact) => fact !== "").join(" · "),
    facts,
    search: [session.id, firstPrompt ?? unsent ?? ""].join("\n"),
  };
}

export function pullWords({ number, state }: PullRequest): string {
  return `PR #${number} ${state}`;
}

/** Nothing where there is nothing to know. */
export function stateWords({ state, holder }: SessionListing): string {
  if (state === "unknown") return "waits for a decision";
  if (state === "running") return holder?.pid === process.pid ? "running" : "running elsewhere";
  return state === "idle" ? "" : state;
}

/** The fields of `stele sessions --json`; absent is absent. */
export function sessionJson({ session, state, holder }: SessionListing): object {
  const { id, conversation, generation, title, titleSource, parent, edge, cwd, messages, turns } = session;
  const { startedAt, lastActivityAt, endedAt, endReason, archived, pinned, hidden } = session;
  const all = {
    id,
    conversation,
    generation,
    title,
    titleSource,
    parent,
    edge,
    model: modelOf(session),
    cwd,
    messages,
  };
  const rest = { turns, state, holder, startedAt, lastActivityAt, endedAt, endReason, archived, pinned, hidden };
  return Object.fromEntries(Object.entries({ ...all, ...rest }).filter(([, value]) => value !== undefined));
}

/** Nothing where there is nothing to know. */
export function markOf(state: SessionState): string {
  return state === "idle" ? "" : `${MARKS[state]} `;
}

export function titleOf(listing: SessionListing): string {
  const { session } = listing;
  const flags = [session.pinned && "pinned", session.archived && "archived", session.hidden && "hidden"].filter(
    Boolean,
  );
  return flags.length > 0 ? `${listedName(listing)} (${flags.join(", ")})` : listedName(listing);
}

/** Of a conversation in which nothing was said: what is about to be. */
export function listedName({ session, unsent }: SessionListing): string {
  if (session.title !== undefined || unsent === undefined) return nameOf(session);
  return `unsent: ${beginningOf(unsent)}`;
}

const shownBeginning = 60;

/** On one line. */
export function beginningOf(text: string): string {
  const line = shownImages(text).replace(/\s+/g, " ").trim();
  const begun = [...line].slice(0, shownBeginning).join("");
  return begun === line ? line : `${begun}…`;
}

function stateOf({ state, holder }: SessionListing): string {
  return state === "running" && holder ? `running in ${holder.program}, pid ${holder.pid}` : state;
}
