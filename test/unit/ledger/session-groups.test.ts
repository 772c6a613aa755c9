// Sessions by project: counted and summed over all that fit, all generations of a conversation included.
import { expect, it } from "vitest";
import type { SessionDB } from "../../../src/ledger/session-db.ts";
import { MEMORY, openLedger, ROUTE, runTurn, startTurn, temporaryFolder } from "../../helpers/ledger.ts";

function session(db: SessionDB, cwd: string, gitRoot?: string) {
  return db.createSession({ cwd, route: ROUTE, source: "test", ...(gitRoot !== undefined && { gitRoot }) });
}

function ledger(): SessionDB {
  return openLedger({ path: `${temporaryFolder(MEMORY)}/state.db` });
}

const told = (groups: ReturnType<SessionDB["sessionGroups"]>) =>
  groups.map(({ project, sessions, usage }) => [project, sessions, usage.map((each) => each.usage.inputTokens)]);

it("are grouped by the root of their repository, else by their folder, with sums over every one", () => {
  const db = ledger();
  for (let at = 0; at < 120; at += 1) runTurn(db, session(db, `/repo/${at}`, "/repo"));
  const alone = session(db, "/alone");
  runTurn(db, alone);
  runTurn(db, alone);
  expect(told(db.sessionGroups({}))).toEqual([
    ["/alone", 1, [6]],
    ["/repo", 120, [360]],
  ]);
});

it("only those that fit are counted and summed", () => {
  const db = ledger();
  const [one, two, three] = ["/a", "/a", "/b"].map((cwd) => session(db, cwd));
  for (const each of [one, two, three]) if (each) runTurn(db, each, `hello ${each.id}`);
  if (!one || !three) throw new Error("no session");
  startTurn(db, three);
  db.setFlags(one.id, { pinned: true });
  session(db, "/empty");
  expect(told(db.sessionGroups({ pinned: true }))).toEqual([["/a", 1, [3]]]);
  expect(told(db.sessionGroups({ words: one.id }))).toEqual([["/a", 1, [3]]]);
  expect(told(db.sessionGroups({ state: "running" }))).toEqual([["/b", 1, [3]]]);
  expect(told(db.sessionGroups({ state: "unknown" }))).toEqual([]);
  expect(told(db.sessionGroups({ all: true }))).toContainEqual(["/empty", 1, []]);
});
