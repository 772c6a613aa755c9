// Finding sessions: by what a person typed, as a list, and what state each is in. Reads only.
import { decodeProcess } from "./codec.ts";
import { isSessionId } from "./ids.ts";
import { isHeld, type Probe } from "./leases.ts";
import type { ProjectGroup } from "./session-groups.ts";
import type { SessionFilter } from "./session-list.ts";
import { canonicalRow } from "./sessions.ts";
import { type SessionRow, toSession } from "./sessions-table.ts";
import type { Queries, Tx } from "./transaction.ts";
import type { Session, SessionState } from "./types.ts";

export type Resolved =
  | { readonly kind: "found"; readonly session: Session }
  /** `isId`: it was a whole id, of a conversation that was deleted as far as can be told. */
  | { readonly kind: "none"; readonly nearest: readonly string[]; readonly isId?: true }
  | { readonly kind: "ambiguous"; readonly matches: readonly Session[] };

export interface SessionListing {
  readonly session: Session;
  readonly state: SessionState;
  /** Pid of the program that holds the conversation now. */
  readonly holder?: { readonly pid: number; readonly program: string };
  /** Its beginning. */
  readonly firstPrompt?: string;
  /** The beginning of its newest unsent text, where nothing was said yet. */
  readonly unsent?: string;
}

/** Exact id, unique prefix, then title; always the canonical session of what was named. */
export function resolveSession(q: Queries, asked: string): Resolved {
  const name = asked.trim().replace(/^[<["']+|[>\]"']+$/g, "");
  const exact = q.sessions.get.get(name);
  if (exact && exact.deleted_at === null) return found(q, exact);
  const byPrefix = name === "" ? [] : q.sessions.withPrefix.all(name, `${name}\u{10ffff}`);
  const candidates = byPrefix.length > 0 ? byPrefix : q.sessions.withTitle.all(name);
  const conversations = [...new Map(candidates.map((row) => [row.conversation_id, row])).values()];
  const [only, ...others] = conversations;
  // Of another conversation than the one that was meant no id is near.
  if (!only)
    return exact || isSessionId(name)
      ? { kind: "none", nearest: [], isId: true }
      : { kind: "none", nearest: nearestNames(q, name) };
  if (others.length === 0) return found(q, only);
  return { kind: "ambiguous", matches: conversations.map(toSession) };
}

function found(q: Queries, row: SessionRow): Resolved {
  return { kind: "found", session: toSession(canonicalRow(q, row.conversation_id)) };
}

/** Names that share the most two-letter pieces with what was typed; at most three. */
function nearestNames(q: Queries, name: string): string[] {
  const wanted = pieces(name);
  return q.sessions.names
    .all()
    .flatMap((row) => (row.title === null ? [row.id] : [row.title, row.id]))
    .map((text) => ({ text, score: overlap(wanted, pieces(text)) }))
    .filter((each) => each.score > 0.2)
    .sort((a, b) => b.score - a.score)
    .slice(0, 3)
    .map((each) => each.text);
}

function pieces(text: string): Set<string> {
  const lower = text.toLowerCase();
  return new Set(Array.from({ length: Math.max(0, lower.length - 1) }, (_, at) => lower.slice(at, at + 2)));
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((piece) => b.has(piece)).length;
  return shared / Math.max(1, Math.max(a.size, b.size));
}

/** Who looks, and when: whether a lease is held depends on it. */
export type Vantage = Pick<Tx, "now" | "process"> & { readonly probe?: Probe | undefined };

export function listSessions(q: Queries, filter: SessionFilter, at: Vantage): SessionListing[] {
  const { limit = 50, state } = filter;
  const rows = q.listed.page(filter, isOpen(filter) ? -1 : limit);
  const listings = rows.map((row) => ({
    session: toSession(row),
    ...sessionState(q, row, at),
    ...(row.unsent !== null && { unsent: row.unsent }),
    ...(row.first_prompt !== null && { firstPrompt: row.first_prompt.slice(0, 200) }),
  }));
  return isOpen(filter) ? listings.filter((each) => each.state === state).slice(0, limit) : listings;
}

/** Of every project the number, the newest and the usage of all its sessions that fit. */
export function groupSessions(q: Queries, filter: SessionFilter, at: Vantage): ProjectGroup[] {
  if (!isOpen(filter)) return q.groups.byProject(filter);
  const open = listSessions(q, { ...filter, limit: Number.MAX_SAFE_INTEGER }, at);
  return q.groups.byProject(
    filter,
    open.map(({ session }) => session.id),
  );
}

/** Of what runs only the kernel knows whether it does: all there are is looked at, which are few. */
function isOpen({ state }: SessionFilter): boolean {
  return state === "running" || state === "unknown";
}

/** What the ledger proves about it, never a guess: running means started under a lease that is held. */
export function sessionState(q: Queries, row: SessionRow, at: Vantage): Pick<SessionListing, "state" | "holder"> {
  const lease = q.leases.get.get(row.conversation_id);
  const held = lease !== undefined && isHeld(lease, at, at.probe);
  const process = held ? decodeProcess(lease.process) : undefined;
  const holder = process && { holder: { pid: process.pid, program: process.program } };
  const open = q.admissions.openOf.all(row.conversation_id);
  const started = open.some((each) => each.status === "started");
  if (started && held) return { state: "running", ...holder };
  if (started || open.some((each) => each.status === "unknown")) return { state: "unknown", ...holder };
  const isInterrupted = q.admissions.lastOutcome.get(row.conversation_id) === "interrupted";
  return { state: isInterrupted ? "interrupted" : "idle", ...holder };
}
