// The filters of a list of sessions, as flags: read here for every command that lists them.
import { parseDuration } from "../config/durations.ts";
import type { SessionFilter } from "../ledger/session-list.ts";
import type { SessionState } from "../ledger/types.ts";
import { countFlag, hasFlag, textFlag } from "./args.ts";
import type { CommandArgs, FlagSpec } from "./command.ts";

export const FILTER_FLAGS: readonly FlagSpec[] = [
  { name: "all", help: "also empty, archived and hidden ones" },
  { name: "pinned", help: "only pinned ones" },
  { name: "archived", help: "only archived ones" },
  { name: "hidden", help: "only hidden ones" },
  { name: "folder", help: "only those of this folder", value: "text" },
  { name: "model", help: "only those that ask this model: provider/model, or its name alone", value: "text" },
  { name: "state", help: "only idle, running, interrupted or unknown ones", value: "text" },
  { name: "since", help: "active within this time or from this day on: 7d, 2026-11-01", value: "text" },
  { name: "until", help: "active before this time or up to this day: 30d, 2026-11-30", value: "text" },
  { name: "limit", help: "at most so many (50)", value: "number" },
  { name: "query", help: "the same as the filter", value: "text" },
];

const STATES: readonly SessionState[] = ["idle", "running", "interrupted", "unknown"];

export type ReadFilter =
  | { readonly ok: true; readonly filter: SessionFilter; readonly isFiltered: boolean }
  | { readonly ok: false; readonly problem: string };

/** `now` in ms: what `7d` is counted from. `folder` makes a path whole. */
export function readFilter(
  args: CommandArgs,
  { now, folder }: { readonly now: number; readonly folder: (asked: string) => string },
): ReadFilter {
  const limit = countFlag(args, "limit");
  if (!limit.ok) return limit;
  const state = textFlag(args, "state");
  if (state !== undefined && !isState(state))
    return { ok: false, problem: `--state is ${STATES.join(", ")}, not ${JSON.stringify(state)}.` };
  const since = timeFlag(args, "since", now);
  if (!since.ok) return since;
  const until = timeFlag(args, "until", now);
  if (!until.ok) return until;
  const asked = textFlag(args, "folder");
  const texts = {
    words: args.words[0] ?? textFlag(args, "query"),
    folder: asked === undefined ? undefined : folder(asked),
    model: textFlag(args, "model"),
  };
  const given = {
    ...texts,
    state,
    since: since.at,
    until: until.at,
    ...Object.fromEntries(["pinned", "archived", "hidden"].map((name) => [name, hasFlag(args, name) || undefined])),
  };
  const narrowed = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const filter = { all: hasFlag(args, "all"), ...narrowed, ...(limit.value !== undefined && { limit: limit.value }) };
  return { ok: true, filter, isFiltered: Object.keys(narrowed).length > 0 };
}

function isState(word: string): word is SessionState {
  return (STATES as readonly string[]).includes(word);
}

type Time = { readonly ok: true; readonly at?: number } | { readonly ok: false; readonly problem: string };

/** So long ago, or a day on the wall: `until` holds that day too. */
function timeFlag(args: CommandArgs, name: "since" | "until", now: number): Time {
  const text = textFlag(args, name);
  if (text === undefined) return { ok: true };
  const ago = parseDuration(text);
  if (ago !== undefined) return { ok: true, at: now - ago };
  const day = dayOf(text, name === "until" ? 1 : 0);
  if (day !== undefined) return { ok: true, at: day };
  return { ok: false, problem: `--${name} is a time like 7d or a day like 2026-11-01, not ${JSON.stringify(text)}.` };
}

/** Its first moment, or that of a later day; undefined for what is in no calendar. */
function dayOf(text: string, later: number): number | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text.trim()) ?? [];
  if (year === undefined) return undefined;
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  if (date.getMonth() !== Number(month) - 1 || date.getDate() !== Number(day)) return undefined;
  date.setDate(date.getDate() + later);
  return date.getTime();
}
