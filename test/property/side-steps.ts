// Steps of the model test about what stands beside the transcript: half answers and unsent text, changed files and
// their reverts. None of them may move a head.
import { expect } from "vitest";
import { sha256 } from "../../src/ledger/ids.ts";
import type { MessageId } from "../../src/ledger/types.ts";
import { QUEUE_STEPS, type Step } from "./queue-steps.ts";
import { callStep, running, startedOnly, TURN_STEPS, whenStarted } from "./turn-steps.ts";

const saveAnswer: Step = (world, { who, a, b, n }) => {
  const current = running(world, { who, a });
  if (!current) return;
  const { turn, session } = current;
  const { model } = world;
  const head = session?.head;
  // Now and then under a node that is not the end: kept, but no part of the conversation later.
  const parent = b % 5 === 0 && head !== undefined ? model.nodes.get(head)?.parent : head;
  const text = n === 4 ? "" : world.unique("half ");
  const saved = world.agree("saveAnswer", startedOnly(current), () => {
    world.dbs[who].saveAnswer(turn, { text, parent });
    return true;
  });
  if (!saved) return;
  model.renewExpired(turn.conversation);
  model.answers.set(turn.conversation, { text, admission: turn.admission, parent });
};

const saveComposer: Step = (world, { who, a, b, n }) => {
  const conversation = world.conversation(a);
  if (conversation === undefined) return;
  const { model } = world;
  const [window, text] = [`w${b % 2}`, n === 0 ? "" : world.unique("unsent ")];
  const saved = world.agree("saveComposer", model.sessionOf(conversation) ? "ok" : "not_found", () => {
    world.dbs[who].saveComposer(conversation, { window, text });
    return true;
  });
  if (!saved) return;
  const windows = model.composers.get(conversation) ?? new Map<string, string>();
  // A window is of one process: the other one's of the same name is another.
  if (text === "") windows.delete(`${window} of ${who}`);
  else windows.set(`${window} of ${who}`, text);
  model.composers.set(conversation, windows);
};

const CONTENTS = ["content 0", "content 1", "content 2", ""];

const planChange = callStep(
  "planChange",
  (world, { who, a, n }, call, turn) => {
    const side = (at: number) => {
      const bytes = Buffer.from(CONTENTS[at % CONTENTS.length] ?? "");
      return { hash: sha256(bytes), mode: 0o644, ...(n !== 3 && { bytes }) };
    };
    const change = { path: `/file ${a % 2}`, before: side(n), after: side(n + 1) };
    const origin = n === 2 ? "suspected" : "recorded";
    const [stored] =
      origin === "suspected"
        ? world.dbs[who].suspectChanges(turn, call.id, [change])
        : world.dbs[who].planChange(turn, call.id, change);
    if (!stored) throw new Error("no change was stored");
    expect(stored).toMatchObject({ call: call.id, restorable: n !== 3 });
    const row = {
      id: stored.id,
      path: change.path,
      before: change.before.hash,
      after: change.after.hash,
      origin,
    } as const;
    if (origin === "recorded" && call.attempts > 1) world.model.supersede(call, row);
    const known = world.model.changes.get(call.id) ?? [];
    if (!known.some(({ id }) => id === stored.id)) world.model.changes.set(call.id, [...known, row]);
  },
  (call, _, row) => whenStarted(row, ["running"], call),
);

const markRevert: Step = (world, { who, a, n }) => {
  const id = world.allReverts[a % Math.max(1, world.allReverts.length)];
  if (id === undefined) return;
  const known = world.model.reverts.get(id);
  const state = n % 2 === 0 ? "done" : "conflict";
  const marked = world.agree("markRevert", known ? "ok" : "row_missing", () => world.dbs[who].markRevert(id, state));
  if (!known || !marked) return;
  if (known.state === "planned") known.state = state;
  expect(marked.state).toBe(known.state);
};

/** Files of the present path, asked for by themselves; the head stays, and asked again it is the same plan. */
const planReverts: Step = (world, { who, a, b }) => {
  const id = world.session(a);
  const holder = world.model.holders[who];
  if (id === undefined || holder === undefined) return;
  const session = world.modelOf(id);
  const chosen = world.model
    .changesOn(session?.head)
    .slice(b % 3)
    .slice(0, 2);
  const reverts = chosen.map((change) => {
    const now = { bytes: Buffer.from(world.unique("now ")), mode: 0o644 };
    return { change, direction: "undo", now } as const;
  });
  const wanted = { request: world.request(), holder, reverts };
  const expected = session ? world.model.moveRefusal(session, who) : "not_found";
  const planned = world.agree("planReverts", expected, () => world.dbs[who].planReverts(id, wanted));
  if (!planned || "kind" in planned) return;
  expect(planned.map(({ change }) => change)).toEqual(chosen);
  for (const revert of planned) {
    const { change } = revert;
    world.model.reverts.set(revert.id, { id: revert.id, change, session: id, state: "planned" });
    world.allReverts.push(revert.id);
  }
  const other = who === 0 ? world.dbs[1] : world.dbs[0];
  if (planned.length > 0) expect(other.planReverts(id, wanted)).toEqual(planned);
};

const deliver: Step = (world, { who, b }) => {
  const known = [...world.model.nodes.keys()];
  const id = known[b % Math.max(1, known.length)] ?? (4711 as MessageId);
  const isThere = world.dbs[who].message(id) !== undefined;
  if (world.model.live().has(id)) expect(isThere).toBe(true);
  world.agree("deliver", isThere ? "ok" : "not_found", () => world.dbs[who].deliver(id, "terminal"));
};

/** A turn that changes a file and ends, so that there is something to take back. Each part may be refused. */
const changingTurn: Step = (world, { who, a, b }) => {
  const { admit, acquire, releaseLease } = QUEUE_STEPS;
  const { claim, wholeCall, finishCall, settle } = TURN_STEPS;
  for (const part of [admit, acquire, claim]) part(world, { who, a, b: 4 * b, n: 0 });
  wholeCall(world, { who, a, b, n: 1 });
  const last = { who, a, b: world.allCalls.length - 1, n: 0 };
  for (const part of [planChange, finishCall]) part(world, last);
  for (const part of [settle, releaseLease]) part(world, { who, a, b: 1, n: 0 });
};

export const SIDE_STEPS = {
  saveAnswer,
  saveComposer,
  planChange,
  markRevert,
  planReverts,
  deliver,
  changingTurn,
} satisfies { [name: string]: Step };
