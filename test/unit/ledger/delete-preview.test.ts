// What the question before a deletion says is what the deletion does: so many messages go, so many stay for branches.
import { expect, it } from "vitest";
import type { SessionDB } from "../../../src/ledger/session-db.ts";
import type { MessageId, Session } from "../../../src/ledger/types.ts";
import { MEMORY, newSession, openLedger, prompt, requestId, runTurn, temporaryFolder } from "../../helpers/ledger.ts";
import { rowsOf } from "../../helpers/ledger-rows.ts";

interface Tree {
  readonly db: SessionDB;
  readonly root: Session;
  /** The message that each turn of the root ended with. */
  readonly ends: readonly MessageId[];
}

function branch({ db }: Tree, from: Session, more: { at?: MessageId; title?: string }): Session {
  const result = db.branch(from.id, more);
  if (result.kind !== "branched") throw new Error(result.kind);
  return result.session;
}

const CASES: readonly [string, (tree: Tree) => void, object][] = [
  ["alone", () => {}, { messages: 8, kept: 0, branches: [], waiting: 0 }],
  [
    "with a branch at its second turn",
    (tree) => runTurn(tree.db, branch(tree, tree.root, { at: tree.ends[1] as MessageId, title: "side" })),
    { messages: 8, kept: 4, branches: [{ title: "side" }] },
  ],
  [
    "with a branch of a branch, and another one further up",
    (tree) => {
      const side = branch(tree, tree.root, { at: tree.ends[2] as MessageId, title: "side" });
      runTurn(tree.db, side);
      branch(tree, side, { title: "far" });
      branch(tree, tree.root, { at: tree.ends[0] as MessageId, title: "up" });
    },
    { messages: 8, kept: 6, branches: expect.arrayContaining([expect.objectContaining({ title: "far" })]) },
  ],
  [
    "with a branch from a turn that was undone",
    (tree) => {
      branch(tree, tree.root, { title: "side" });
      tree.db.undo(tree.root.id, 3);
      runTurn(tree.db, tree.root, "another way");
    },
    { messages: 10, kept: 8, branches: [{ title: "side" }] },
  ],
  [
    "with a branch that is deleted itself, and a prompt that waits",
    (tree) => {
      const side = branch(tree, tree.root, { title: "side" });
      tree.db.deleteConversation(side.id);
      const target = { kind: "session", asked: tree.root.id } as const;
      const request = { request: requestId(), kind: "prompt", payload: prompt("later"), target } as const;
      tree.db.admit({ ...request, session: tree.root.id });
    },
    { messages: 8, kept: 0, branches: [], waiting: 1 },
  ],
];

it.each(CASES)("a conversation %s", (_, act, expected) => {
  const file = `${temporaryFolder(MEMORY)}/state.db`;
  const db = openLedger({ path: file });
  const root = newSession(db, { title: "root" });
  const ends = [1, 2, 3, 4].map((turn) => runTurn(db, root, `turn ${turn}`).id);
  act({ db, root, ends });
  const preview = db.deletePreview(root.conversation);
  expect(preview).toMatchObject(expected);
  const written = () => rowsOf(file, `select 1 from messages where session_id = '${root.id}'`).length;
  expect(written()).toBe(preview.messages);
  expect(db.deleteConversation(root.id).kind).toBe("deleted");
  while (!db.purgeStep());
  expect(written()).toBe(preview.kept);
});
