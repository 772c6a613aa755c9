// The flags of a list of sessions: what each asks the ledger for, and each refusal.
import path from "node:path";
import { expect, it } from "vitest";
import { parseArgs } from "../../../src/commands/args.ts";
import { FILTER_FLAGS, readFilter } from "../../../src/commands/session-filter.ts";
import { sessionsCommand } from "../../../src/commands/sessions.ts";
import { splitWords } from "../../../src/commands/words.ts";
import { openDesk, words } from "./command-harness.ts";

const NOW = new Date(2026, 10, 30, 12).getTime();
const DAY = 86_400_000;

function read(line: string): ReturnType<typeof readFilter> {
  const split = splitWords(line);
  const parsed = parseArgs(split.ok ? split.words : [], sessionsCommand);
  if (!parsed.ok) throw new Error(parsed.problem);
  return readFilter(parsed.args, { now: NOW, folder: (asked) => path.resolve("/work", asked) });
}

it.each([
  ["", { all: false }],
  ["--all", { all: true }],
  ["--pinned --archived --hidden", { all: false, pinned: true, archived: true, hidden: true }],
  ["--state interrupted", { all: false, state: "interrupted" }],
  ["--model local/qwen3", { all: false, model: "local/qwen3" }],
  ["--folder /srv", { all: false, folder: "/srv" }],
  ["--folder .", { all: false, folder: "/work" }],
  ["the parser --limit 3", { all: false, words: "the parser", limit: 3 }],
  ["--query parser", { all: false, words: "parser" }],
  ["--since 7d", { all: false, since: NOW - 7 * DAY }],
  ["--until 1h30m", { all: false, until: NOW - 5_400_000 }],
  ["--since 2026-11-01", { all: false, since: new Date(2026, 10, 1).getTime() }],
  ["--until 2026-11-30", { all: false, until: new Date(2026, 11, 1).getTime() }],
])("%j asks for %j", (line, filter) => {
  const isFiltered = Object.keys(filter).some((key) => key !== "all" && key !== "limit");
  expect(read(line)).toEqual({ ok: true, filter, isFiltered });
});

it.each([
  ["--state dead", '--state is idle, running, interrupted, unknown, not "dead".'],
  ["--since yesterday", '--since is a time like 7d or a day like 2026-11-01, not "yesterday".'],
  ["--until 2026-13-01", '--until is a time like 7d or a day like 2026-11-01, not "2026-13-01".'],
  ["--until 2026-02-30", '--until is a time like 7d or a day like 2026-11-01, not "2026-02-30".'],
  ["--limit 0", '--limit takes a whole number above 0, not "0".'],
])("%j is refused: %s", (line, problem) => {
  expect(read(line)).toEqual({ ok: false, problem });
});

it("every flag is one that the list takes, and none that fits says how to see all", async () => {
  const desk = await openDesk({ surface: "argv" });
  await desk.say("say hello");
  for (const { name, value } of FILTER_FLAGS) {
    const given = { limit: "1", state: "idle", since: "1d", until: "2100-01-01" }[name] ?? "hello";
    expect(await desk.type(`/sessions --${name}${value ? ` ${given}` : ""}`)).toMatchObject({ kind: "rows" });
  }
  expect(words(await desk.type("/sessions --state idle --since 1d"))).toContain("say hello");
  expect(await desk.type("/sessions --state running")).toMatchObject({
    rows: [],
    empty: expect.stringContaining("stele sessions --all"),
  });
});
