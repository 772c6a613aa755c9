// What another program does to a conversation that is open here, and what the screen makes of it.
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SessionEvent } from "../../../src/agent/events.ts";
import type { Runner } from "../../../src/agent/runner.ts";
import { watchConversation } from "../../../src/agent/watch.ts";
import type { AsyncSessionDB } from "../../../src/ledger/async-session-db.ts";
import { currentProcess } from "../../../src/ledger/identity.ts";
import { newHolderId } from "../../../src/ledger/ids.ts";
import { withLease } from "../../../src/ledger/recovery.ts";
import { SessionDB } from "../../../src/ledger/session-db.ts";
import type { AdmissionId, Session } from "../../../src/ledger/types.ts";
import { initialView, type ViewState, viewReducer } from "../../../src/ui/view-state.ts";
import { openAsyncLedger } from "../../helpers/async-ledger.ts";
import { newSession, startTurn, temporaryFolder } from "../../helpers/ledger.ts";
import { type Desk, openDesk } from "../commands/command-harness.ts";

/** Above every pid a kernel gives. */
const NO_PID = 2 ** 22 + 1;

interface Windows {
  readonly desk: Desk;
  /** The ledger as another program has it open. */
  readonly other: AsyncSessionDB;
  view(): ViewState;
}

async function windows(file = path.join(temporaryFolder(), "state.db")): Promise<Windows> {
  const desk = await openDesk({ file });
  const other = await openAsyncLedger(file);
  const { session } = desk.runner;
  const start = viewReducer(initialView(80), { type: "booted", session, mode: "ask", waiting: [] });
  onTestFinished(watchConversation(desk.db, desk.runner));
  return { desk, other, view: () => desk.events.reduce<ViewState>(viewReducer, start) };
}

function next(runner: Runner, isIt: (event: SessionEvent) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const unlisten = runner.listen((event) => {
      if (!isIt(event)) return;
      unlisten();
      resolve();
    });
  });
}

const prompt = (text: string) => [{ kind: "text", text } as const];

/** A program that is gone left a turn of it. */
function leaveTurn(file: string): { session: Session; turn: AdmissionId } {
  const db = new SessionDB({ path: file, process: { ...currentProcess("stele"), pid: NO_PID } });
  const session = newSession(db, { cwd: temporaryFolder() });
  const { admission } = startTurn(db, session, "say what was cut off");
  db.close();
  return { session, turn: admission };
}

function settleIn(db: AsyncSessionDB, { conversation }: Session, id: AdmissionId): Promise<object> {
  const end = { id, outcome: "interrupted", note: "Settled.", at: Date.now(), keepDraft: false } as const;
  return withLease(db, { conversation, holder: newHolderId(process.pid) }, (lease) => db.settleUnknown(lease, end));
}

describe("an open conversation", () => {
  it("goes on with a prompt as soon as another program decided about the turn in its way", async () => {
    const file = path.join(temporaryFolder(), "state.db");
    const { session, turn } = leaveTurn(file);
    const { desk, other, view } = await windows(file);
    await desk.runner.open(session, true);
    const { id } = await desk.runner.submit(prompt("say x1"));
    await desk.runner.idle();
    expect(view()).toMatchObject({ blocked: turn, queue: [{ id }] });

    const done = next(desk.runner, (event) => event.type === "turn-settled" && event.admission === id);
    await settleIn(other, session, turn);
    await done;
    expect(view()).toMatchObject({ queue: [] });
    expect(view().blocked).toBeUndefined();
  });

  it("is not asked for again while the turn in its way is undecided", async () => {
    const file = path.join(temporaryFolder(), "state.db");
    const { session, turn } = leaveTurn(file);
    const { desk, other, view } = await windows(file);
    await desk.runner.open(session, true);
    const { id } = await desk.runner.submit(prompt("say x1"));
    await desk.runner.idle();
    const blocked = () => desk.events.filter(({ type }) => type === "turn-blocked").length;
    const before = blocked();
    const looked = next(desk.runner, ({ type }) => type === "queue-changed");
    await other.createSession({ cwd: "/", route: session.route, source: "test" });
    await looked;
    await desk.runner.idle();
    expect(blocked()).toBe(before);
    expect(view()).toMatchObject({ blocked: turn, queue: [{ id }] });
    await settleIn(other, session, turn);
  });

  it("shows no prompt as waiting that another program dropped, and tells which still wait", async () => {
    const { desk, other, view } = await windows();
    const held = next(desk.runner, ({ type }) => type === "queue-changed");
    const taken = await other.acquireLease({
      conversation: desk.runner.session.conversation,
      holder: newHolderId(process.pid),
    });
    if (taken.kind !== "acquired") throw new Error("held");
    const waits = next(desk.runner, ({ type }) => type === "lease-awaited");
    const one = await desk.runner.submit(prompt("say one"));
    const two = await desk.runner.submit(prompt("say two"));
    await waits;
    desk.runner.stop();
    await Promise.all([held, desk.runner.idle()]);
    expect(view().queue.map(({ id }) => id)).toEqual([one.id, two.id]);

    const isTold = next(desk.runner, (event) => event.type === "queue-changed" && event.waiting.length === 1);
    await other.cancel(one.id);
    await isTold;
    expect(view().queue).toMatchObject([{ id: two.id, held: "you stopped waiting" }]);
  });

  it("shows what waits in a conversation that is opened later", async () => {
    const { desk, other, view } = await windows();
    const session = await desk.newSession();
    const { admission } = await other.admit({
      request: "later" as never,
      kind: "prompt",
      payload: { prompt: prompt("say later"), approval: "ask", cwd: desk.folder },
      target: { kind: "session", asked: session.id },
      session: session.id,
    });
    await other.hold(admission.id, "held");
    const isTold = next(desk.runner, (event) => event.type === "queue-changed" && event.waiting.length === 1);
    await desk.runner.open(session, true);
    await isTold;
    expect(view().queue).toMatchObject([{ id: admission.id, held: "held" }]);
  });

  it("is said to be waited for only as long as it is", async () => {
    const { desk, other, view } = await windows();
    const { conversation } = desk.runner.session;
    await other.acquireLease({ conversation, holder: newHolderId(process.pid) });
    const waits = next(desk.runner, ({ type }) => type === "lease-awaited");
    await desk.runner.submit(prompt("say one"));
    await waits;
    expect(view().awaited).toBeDefined();
    desk.runner.stop();
    await desk.runner.idle();
    expect(view().awaited).toBeUndefined();
    expect(view().queue).toMatchObject([{ held: "you stopped waiting" }]);
  });
});
