// The tree of a conversation, other ends of it to go to, and what two ends have from their fork on.
import { describe, expect, it } from "vitest";
import type { TreePlace, TreeRow } from "../../../src/ledger/branch-tree.ts";
import type { Went } from "../../../src/ledger/go-to.ts";
import type { SessionDB } from "../../../src/ledger/session-db.ts";
import type { HolderId, MessageId, Refusal, Session, SessionId } from "../../../src/ledger/types.ts";
import { compactNow } from "../../helpers/compaction.ts";
import { acquire, newSession, openLedger, runTurn, startTurn } from "../../helpers/ledger.ts";

const headOf = (db: SessionDB, { id }: Session) => db.session(id).head as MessageId;

function branchOf(db: SessionDB, { id }: Session, more: { at?: MessageId; title?: string } = {}): Session {
  const made = db.branch(id, more);
  if (made.kind !== "branched") throw new Error(made.why);
  return made.session;
}

function went(result: Went | Refusal): Went {
  if (result.kind !== "went") throw new Error(result.why);
  return result;
}

/** Read in windows of this many rows. */
function treeOf(db: SessionDB, id: SessionId, limit: number): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  let from: TreePlace | undefined;
  do {
    const window = db.branchTree(id, { limit, ...(from && { from }) });
    expect(window.rows.length).toBeLessThanOrEqual(limit);
    rows.push(...window.rows);
    from = window.next;
  } while (from);
  return rows;
}

function drawn(rows: readonly TreeRow[]): readonly string[] {
  return rows.map((row) => {
    const rails = row.lasts.map((isLast, at) =>
      at < row.lasts.length - 1 ? (isLast ? "  " : "│ ") : isLast ? "└ " : "├ ",
    );
    const name =
      row.kind === "session" ? row.session.title : `${row.isRetried ? "answer" : "undone"} ${row.prompt} ${row.turns}`;
    return `${rails.join("")}${name}`;
  });
}

describe("the tree of a conversation", () => {
  it("has branches of branches and undone ends, whichever of them is asked about, in windows of any size", () => {
    const db = openLedger();
    const root = newSession(db, { title: "root" });
    runTurn(db, root, "one");
    runTurn(db, root, "two");
    const left = branchOf(db, root, { title: "left" });
    runTurn(db, left, "three");
    branchOf(db, left, { title: "below left" });
    db.undo(left.id, 1);
    runTurn(db, left, "other");
    db.undo(root.id, 2);
    runTurn(db, root, "instead");
    branchOf(db, root, { title: "right" });
    db.undo(left.id, 1);
    newSession(db, { title: "not of it" });
    // What a branch shows is no undone end, however it got there.
    const expected = ["root", "├ right", "└ left", "  ├ undone other 1", "  └ below left"];
    for (const limit of [1, 2, 3, 100]) {
      expect(drawn(treeOf(db, root.id, limit))).toEqual(expected);
      expect(drawn(treeOf(db, left.id, limit))).toEqual(expected);
    }
  });

  it("says where a branch forks, how much is undone, and how many redos bring it back", () => {
    const db = openLedger();
    const root = newSession(db, { title: "root" });
    runTurn(db, root, "one");
    const at = headOf(db, root);
    runTurn(db, root, "two");
    runTurn(db, root, "three");
    const end = headOf(db, root);
    branchOf(db, root, { at, title: "side" });
    db.undo(root.id, 1);
    db.undo(root.id, 1);
    const [, undone, side] = treeOf(db, root.id, 100);
    expect(undone).toMatchObject({
      kind: "undone",
      head: end,
      fork: at,
      forkTurn: 1,
      turns: 2,
      prompt: "two",
      redos: 2,
    });
    expect(side).toMatchObject({ parent: root.id, fork: { message: at, turn: 1, prompt: "one" }, compactions: 0 });
    expect(treeOf(db, root.id, 100)).toHaveLength(3);
    runTurn(db, root, "else");
    expect(treeOf(db, root.id, 100)[1]).not.toHaveProperty("redos");
    db.undo(root.id, 2);
    expect(treeOf(db, root.id, 100).map((row) => row.kind)).toEqual(["session", "undone", "undone", "session"]);
  });

  it("shows what a deleted one leaves as a tree of its own, and nothing of notes that were passed by", () => {
    const db = openLedger();
    const root = newSession(db, { title: "root" });
    runTurn(db, root, "one");
    const side = branchOf(db, root, { title: "side" });
    db.undo(root.id, 1);
    db.appendNote(root.id, { text: "a note", at: Date.now() });
    db.redo(root.id);
    expect(drawn(treeOf(db, side.id, 9))).toEqual(["root", "└ side"]);
    db.deleteConversation(root.id);
    expect(drawn(treeOf(db, side.id, 9))).toEqual(["side"]);
  });

  it("has a compacted conversation once, with its closed sessions where they are asked for", () => {
    const db = openLedger();
    const root = newSession(db, { title: "root" });
    runTurn(db, root, "one");
    runTurn(db, root, "two");
    branchOf(db, root, { title: "before" });
    const { session } = compactNow(db, root);
    branchOf(db, session, { title: "after" });
    expect(drawn(treeOf(db, root.id, 2))).toEqual(["root", "├ after", "└ before"]);
    const [row] = db.branchTree(root.id, { limit: 9, withClosed: true }).rows;
    expect(row).toMatchObject({
      compactions: 1,
      compactedAfter: 2,
      session: { id: session.id },
      closed: [{ id: root.id }],
    });
  });
});

describe("going to another end", () => {
  it("moves the head, keeps what it leaves, and is live at once", () => {
    const db = openLedger();
    const root = newSession(db);
    runTurn(db, root, "one");
    runTurn(db, root, "two");
    runTurn(db, root, "three");
    const old = headOf(db, root);
    db.undo(root.id, 2);
    runTurn(db, root, "other");
    const now = headOf(db, root);
    expect(went(db.goTo(root.id, { to: old }))).toEqual({
      ...{ kind: "went", session: root.id, from: now, head: old, left: 1, brought: 2, reverts: [] },
    });
    expect([headOf(db, root), db.message(now)?.live, db.message(old)?.live]).toEqual([old, false, true]);
    expect(db.redo(root.id)).toMatchObject({ kind: "conflict" });
    expect(treeOf(db, root.id, 9)[1]).toMatchObject({ head: now, turns: 1, prompt: "other" });
    expect(went(db.goTo(root.id, { to: now }))).toMatchObject({ left: 2, brought: 1 });
  });

  it("goes to another first prompt, and to a node of its own path as an undo does", () => {
    const db = openLedger();
    const root = newSession(db);
    const first = runTurn(db, root, "one").id;
    runTurn(db, root, "two");
    const end = headOf(db, root);
    expect(went(db.goTo(root.id, { to: first }))).toMatchObject({ left: 1, brought: 0 });
    expect(db.redo(root.id)).toMatchObject({ kind: "moved", head: end });
    db.undo(root.id, 2);
    runTurn(db, root, "another first");
    expect(went(db.goTo(root.id, { to: end }))).toMatchObject({ left: 1, brought: 2 });
  });

  it.each<[string, (db: SessionDB, root: Session, old: MessageId) => unknown, object]>([
    ["it is there already", (db, root) => db.goTo(root.id, { to: headOf(db, root) }), { kind: "conflict" }],
    [
      "another revision was seen",
      (db, root, to) => db.goTo(root.id, { to, expectedRevision: 1 }),
      { kind: "conflict" },
    ],
    [
      "a turn runs",
      (db, root, to) => {
        const { turn } = startTurn(db, root, "runs");
        const result = db.goTo(root.id, { to, holder: turn.holder });
        db.settle(turn, { outcome: "interrupted", at: Date.now() });
        return result;
      },
      { kind: "busy" },
    ],
    [
      "somebody holds it",
      (db, root, to) => {
        acquire(db, root, "other" as HolderId);
        return db.goTo(root.id, { to });
      },
      { kind: "busy" },
    ],
  ])("is refused, and nothing written, where %s", (_, ask, refusal) => {
    const db = openLedger();
    const root = newSession(db);
    runTurn(db, root, "one");
    const old = headOf(db, root);
    db.undo(root.id, 1);
    runTurn(db, root, "two");
    expect(ask(db, root, old)).toMatchObject(refusal);
    expect(db.message(old)?.live).toBe(false);
  });

  it("knows no message of another conversation", () => {
    const db = openLedger();
    const [one, two] = [newSession(db), newSession(db)];
    runTurn(db, one);
    const { id } = runTurn(db, two);
    expect(() => db.goTo(one.id, { to: id })).toThrow(/does not belong/);
    expect(() => db.goTo(one.id, { to: 4711 as MessageId })).toThrow(/no message 4711/);
  });
});

describe("prompts at the same place", () => {
  it("are all that were asked there, behind notes too, and each ends where it was left", () => {
    const db = openLedger();
    const root = newSession(db);
    runTurn(db, root, "before");
    runTurn(db, root, "one");
    const first = headOf(db, root);
    runTurn(db, root, "deeper");
    db.undo(root.id, 1);
    db.undo(root.id, 1);
    db.appendNote(root.id, { text: "a note", at: Date.now() });
    runTurn(db, root, "two");
    const found = db.siblings(root.id);
    expect(found.map(({ beginning, isHere }) => [beginning, isHere])).toEqual([
      ["one", false],
      ["two", true],
    ]);
    expect(db.endBelow(root.id, found[0]?.first as MessageId)).toBe(first);
    branchOf(db, root);
    expect(db.siblings(root.id)).toHaveLength(2);
  });

  it("are a branch's own where it has been itself, also at a prompt that its parent wrote", () => {
    const db = openLedger();
    const root = newSession(db);
    runTurn(db, root, "one");
    const [side, other] = [branchOf(db, root), branchOf(db, root)];
    for (const session of [side, root]) {
      db.undo(session.id, 1);
      runTurn(db, session, `instead in ${session === root ? "the root" : "the branch"}`);
    }
    const asked = (session: Session) => db.siblings(session.id).map(({ beginning }) => beginning);
    expect(asked(side)).toEqual(["one", "instead in the branch"]);
    expect(asked(root)).toEqual(["one", "instead in the root"]);
    expect(asked(other)).toEqual(["one"]);
    const [first] = db.siblings(side.id);
    const end = db.endBelow(side.id, first?.first as MessageId);
    expect(went(db.goTo(side.id, { to: end as MessageId }))).toMatchObject({ head: side.head });
  });

  it("are found at the very beginning, and none in an empty conversation", () => {
    const db = openLedger();
    const root = newSession(db);
    expect(db.siblings(root.id)).toEqual([]);
    runTurn(db, root, "one");
    expect(db.siblings(root.id)).toHaveLength(1);
    db.undo(root.id, 1);
    runTurn(db, root, "two");
    expect(db.siblings(root.id).map(({ beginning }) => beginning)).toEqual(["one", "two"]);
  });
});

describe("two ends beside each other", () => {
  const wish = { skip: 0, limit: 10 };

  it("have a fork, and turns of their own from there on, a window at a time", () => {
    const db = openLedger();
    const root = newSession(db);
    runTurn(db, root, "one", "first");
    const side = branchOf(db, root);
    runTurn(db, root, "two", "second");
    for (const text of ["a", "b", "c"]) runTurn(db, side, text, `answer ${text}`);
    const ends = [headOf(db, root), headOf(db, side)] as const;
    const { fork, sides } = db.pathDiff({ ends, ...wish });
    expect(fork).toEqual({ message: side.forkMessage, turn: 1 });
    expect(sides[0].turns).toMatchObject([{ turn: 2, prompt: "two", answer: "second", calls: 0 }]);
    expect(sides[1].turns.map(({ prompt, answer }) => `${prompt} ${answer}`)).toEqual([
      "a answer a",
      "b answer b",
      "c answer c",
    ]);
    const second = db.pathDiff({ ends, skip: 1, limit: 1 });
    expect(second.sides.map(({ turns, later }) => [turns.map(({ prompt }) => prompt), later])).toEqual([
      [[], 0],
      [["b"], 1],
    ]);
  });

  it("have none where they share nothing, and nothing of their own where they are one", () => {
    const db = openLedger();
    const [one, two] = [newSession(db), newSession(db)];
    runTurn(db, one);
    runTurn(db, two);
    expect(db.pathDiff({ ends: [headOf(db, one), headOf(db, two)], ...wish })).not.toHaveProperty("fork");
    expect(db.pathDiff({ ends: [undefined, headOf(db, two)], ...wish })).not.toHaveProperty("fork");
    const same = db.pathDiff({ ends: [headOf(db, one), headOf(db, one)], ...wish });
    expect(same.sides.map(({ turns }) => turns)).toEqual([[], []]);
  });
});
