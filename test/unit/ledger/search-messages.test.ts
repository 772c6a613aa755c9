import { describe, expect, it } from "vitest";
import { FRESH_ROWS } from "../../../src/ledger/search.ts";
import type { SearchWish } from "../../../src/ledger/search-messages.ts";
import type { SessionDB } from "../../../src/ledger/session-db.ts";
import type { Session } from "../../../src/ledger/types.ts";
import { compactNow } from "../../helpers/compaction.ts";
import { MEMORY, newSession, openLedger, runTurn, temporaryFolder } from "../../helpers/ledger.ts";

/** With the index as empty as it was made, and whole: a rule holds in both. */
const STATES = [
  ["nothing of it is indexed", () => {}],
  ["all of it is indexed", (db: SessionDB) => indexAll(db)],
] as const;

function indexAll(db: SessionDB): void {
  while (!db.indexStep());
}

function found(db: SessionDB, words: string, more: Partial<SearchWish> = {}): string[] {
  const { hits, rest } = db.searchMessages({ words, limit: 20, ...more });
  expect(rest).toBe(0);
  return hits.map(({ snippet }) => snippet.map(({ text }) => text).join(""));
}

function sessionsOf(db: SessionDB, words: string, more: Partial<SearchWish> = {}): string[] {
  return db.searchMessages({ words, limit: 20, ...more }).hits.map(({ session }) => session.id);
}

describe.each(STATES)("a search, when %s", (_, settle) => {
  it("finds prompts and answers of every conversation, with what stands around the hit", () => {
    const db = openLedger();
    const [one, two] = [newSession(db, { title: "one" }), newSession(db)];
    runTurn(db, one, "where is the heron", "in the pond");
    const answer = runTurn(db, two, "and now?", "a grey heron came by");
    settle(db);
    const { hits } = db.searchMessages({ words: "heron", limit: 20 });
    expect(new Set(hits.map(({ session }) => session.id))).toEqual(new Set([one.id, two.id]));
    const hit = hits.find(({ message }) => message === answer.id);
    expect(hit).toMatchObject({
      role: "assistant",
      at: answer.at,
      live: true,
      snippet: [
        { text: "a grey ", isHit: false },
        { text: "heron", isHit: true },
        { text: " came by", isHit: false },
      ],
    });
  });

  it("takes what was undone out, and finds it when all is asked for", () => {
    const db = openLedger();
    const session = newSession(db);
    runTurn(db, session, "the first heron");
    runTurn(db, session, "the second heron");
    db.undo(session.id, 1);
    settle(db);
    expect(found(db, "heron")).toEqual(["the first heron"]);
    const all = db.searchMessages({ words: "heron", all: true, order: "newest", limit: 20 }).hits;
    expect(all.map(({ live, session: { id } }) => [live, id])).toEqual([
      [false, session.id],
      [true, session.id],
    ]);
    db.redo(session.id);
    expect(found(db, "heron", { order: "oldest" })).toEqual(["the first heron", "the second heron"]);
  });

  it("names the branch that shows a message, where its own conversation went back or is gone", () => {
    const db = openLedger();
    const session = newSession(db);
    runTurn(db, session, "before");
    runTurn(db, session, "the heron");
    const branched = db.branch(session.id);
    if (branched.kind !== "branched") throw new Error(branched.why);
    settle(db);
    expect(sessionsOf(db, "heron")).toEqual([session.id]);
    db.undo(session.id, 1);
    expect(sessionsOf(db, "heron")).toEqual([branched.session.id]);
    expect(sessionsOf(db, "before")).toEqual([session.id]);
    db.deleteConversation(session.id);
    while (!db.purgeStep());
    expect(sessionsOf(db, "before")).toEqual([branched.session.id]);
  });

  it("finds nothing of a deleted conversation, from the deletion on", () => {
    const db = openLedger();
    const session = newSession(db);
    runTurn(db, session, "the heron");
    settle(db);
    expect(found(db, "heron")).toHaveLength(1);
    db.deleteConversation(session.id);
    expect(found(db, "heron", { all: true })).toEqual([]);
    while (!db.purgeStep());
    expect(found(db, "heron", { all: true })).toEqual([]);
  });

  it("looks straight through compactions, and names where the conversation goes on", () => {
    const db = openLedger();
    const session = newSession(db);
    runTurn(db, session, "the heron");
    runTurn(db, session, "and more");
    const child = compactNow(db, session).session;
    settle(db);
    expect(sessionsOf(db, "heron", { role: "user" })).toEqual([child.id]);
    expect(sessionsOf(db, "heron", { session: session.id, role: "user" })).toEqual([child.id]);
  });

  it("leaves archived and hidden conversations out, unless all or that one is asked for", () => {
    const db = openLedger();
    const sessions = [newSession(db), newSession(db), newSession(db)] as const;
    for (const each of sessions) runTurn(db, each, "the heron");
    db.setFlags(sessions[1].id, { archived: true });
    db.setFlags(sessions[2].id, { hidden: true });
    settle(db);
    expect(sessionsOf(db, "heron")).toEqual([sessions[0].id]);
    expect(sessionsOf(db, "heron", { all: true, order: "oldest" })).toEqual(sessions.map(({ id }) => id));
    expect(sessionsOf(db, "heron", { session: sessions[2].id })).toEqual([sessions[2].id]);
  });

  it("of one session finds all that it shows, also what it has from where it branched off", () => {
    const db = openLedger();
    const session = newSession(db);
    runTurn(db, session, "shared heron");
    const branched = db.branch(session.id);
    if (branched.kind !== "branched") throw new Error(branched.why);
    runTurn(db, session, "heron of the trunk");
    runTurn(db, branched.session, "heron of the branch");
    settle(db);
    const of = ({ id }: Session) => found(db, "heron", { session: id, order: "oldest" });
    expect(of(session)).toEqual(["shared heron", "heron of the trunk"]);
    expect(of(branched.session)).toEqual(["shared heron", "heron of the branch"]);
    expect(found(db, "heron", { without: session.conversation })).toEqual(["heron of the branch"]);
  });

  it("keeps to role, folder and time", () => {
    let now = 1_000_000;
    const db = openLedger({ now: () => now });
    const [app, other] = [newSession(db, { cwd: "/work/app" }), newSession(db, { cwd: "/work/other" })];
    const answer = runTurn(db, app, "asked for a heron", "told of a heron");
    now += 1000;
    runTurn(db, other, "elsewhere a heron", "no bird");
    settle(db);
    expect(found(db, "heron", { role: "assistant" })).toEqual(["told of a heron"]);
    expect(found(db, "heron", { folder: "/work/other" })).toEqual(["elsewhere a heron"]);
    expect(found(db, "heron", { until: answer.at, folder: "/work/app" })).toEqual(["asked for a heron"]);
    expect(found(db, "heron", { since: answer.at, folder: "/work/app" })).toEqual(["told of a heron"]);
  });

  it("is empty for what is no word, and for more operators within each other than the index reads", () => {
    const db = openLedger();
    runTurn(db, newSession(db), "heron");
    settle(db);
    expect(found(db, " ?! ")).toEqual([]);
    expect(found(db, Array.from({ length: 400 }, () => "a").join(" NOT "))).toEqual([]);
  });
});

describe("the same is found", () => {
  const texts = [
    "a heron by the river",
    "Héron à la rivière",
    "herons, many of them",
    "snake_case and read-back in app.tsx",
    "river heron river",
    `${"far ".repeat(200)}heron ${"away ".repeat(200)}`,
    "nothing of the kind",
    "heron\nriver\nheron",
  ];
  const queries = [
    "heron",
    "heron*",
    '"heron by"',
    "river heron",
    "heron NOT river",
    "heron OR kind",
    "read-back",
    "RIVER",
  ];

  function hits(db: SessionDB, words: string) {
    const { hits: list } = db.searchMessages({ words, limit: 50, order: "oldest" });
    return list.map(({ message, snippet }) => ({ message, snippet }));
  }

  it("with nothing, a part and all of it in the index", () => {
    const db = openLedger();
    const session = newSession(db);
    const half = texts.length / 2;
    for (const text of texts.slice(0, half)) runTurn(db, session, text);
    const early = queries.map((words) => hits(db, words));
    indexAll(db);
    expect(queries.map((words) => hits(db, words))).toEqual(early);
    for (const text of texts.slice(half)) runTurn(db, session, text);
    const mixed = queries.map((words) => hits(db, words));
    indexAll(db);
    expect(db.searchLag()).toBe(0);
    expect(queries.map((words) => hits(db, words))).toEqual(mixed);
    expect(mixed.map((each) => each.length)).toEqual([5, 6, 1, 3, 2, 6, 1, 3]);
  });

  it("by relevance and from either end, up to a limit", () => {
    const db = openLedger();
    const session = newSession(db);
    for (let at = 0; at < 6; at += 1) {
      runTurn(db, session, `heron ${at}`);
      if (at === 2) indexAll(db);
    }
    expect(found(db, "heron", { order: "oldest", limit: 4 })).toEqual(["heron 0", "heron 1", "heron 2", "heron 3"]);
    expect(found(db, "heron", { order: "newest", limit: 4 })).toEqual(["heron 5", "heron 4", "heron 3", "heron 2"]);
    expect(found(db, "heron").sort()).toEqual(Array.from({ length: 6 }, (_, at) => `heron ${at}`));
  });
});

describe("what is not indexed yet", () => {
  it.each([
    ["of many", FRESH_ROWS + 60, "a heron"],
    ["of long ones", 10, "heron ".repeat(100_000)],
  ])("is said, where it is more than a search looks at by itself: %s", (_, count, text) => {
    const db = openLedger({ path: `${temporaryFolder(MEMORY)}/state.db` });
    const session = newSession(db);
    for (let at = 0; at < count; at += 1) db.appendNote(session.id, { text, at: at + 1 });
    expect(db.searchLag()).toBe(count);
    expect(db.searchMessages({ words: "heron", limit: 1 }).rest).toBeGreaterThan(0);
    indexAll(db);
    expect(db.searchLag()).toBe(0);
    expect(db.searchMessages({ words: "heron", limit: 1 }).rest).toBe(0);
  });

  it("is found by whoever did not write it", () => {
    const db = openLedger();
    runTurn(db, newSession(db), "a heron");
    expect(found(db, "heron")).toHaveLength(1);
    const other = openLedger({ path: db.info().file });
    expect(found(other, "heron")).toHaveLength(1);
    indexAll(other);
    expect(found(db, "heron")).toHaveLength(1);
  });
});
