// Does a long conversation open as fast as a short one? Finding the session and reading its newest 200 messages:
// on a fresh handle in this process, its opening not counted, and in a fresh process, alone and from the start.
import { SessionDB } from "../src/ledger/session-db.ts";
import { WINDOW } from "./child.ts";
import { type Conversation, conversation, openInChild } from "./conversations.ts";
import { type Bench, compare, type Figure, interleave } from "./harness.ts";

const SHORT = "200 messages";
const LONG = "20,000 messages";

export async function benchOpenSession(bench: Bench): Promise<Figure[]> {
  const conversations = new Map([
    [SHORT, conversation(bench, 200)],
    [LONG, conversation(bench, 20_000)],
  ]);
  return [await onFreshHandles(bench, conversations), ...(await inFreshProcesses(bench, conversations))];
}

const JUDGED = { unit: "ms", side: LONG, base: SHORT, target: 1.5 } as const;

async function onFreshHandles(bench: Bench, conversations: ReadonlyMap<string, Conversation>): Promise<Figure> {
  const sides = [...conversations].map(([name, { file, session }]) => ({
    name,
    measure: () => openHere(file, session),
  }));
  const measured = await interleave(sides, { rounds: bench.isQuick ? 15 : 60, warmUp: 5 });
  return compare(measured, { ...JUDGED, what: "open a session, fresh handle" });
}

function openHere(file: string, asked: string): number {
  const db = new SessionDB({ path: file, program: "bench" });
  try {
    const start = performance.now();
    const resolved = db.resolveSession(asked);
    if (resolved.kind !== "found") throw new Error(`the session is ${resolved.kind}`);
    const { messages } = db.path(resolved.session.id, { limit: WINDOW });
    const took = performance.now() - start;
    if (messages.length !== WINDOW) throw new Error("the window is not full");
    return took;
  } finally {
    db.close();
  }
}

async function inFreshProcesses(bench: Bench, conversations: ReadonlyMap<string, Conversation>): Promise<Figure[]> {
  const whole = new Map<string, number[]>([...conversations.keys()].map((name) => [name, []]));
  const sides = [...conversations].map(([name, each]) => ({
    name,
    measure: async () => {
      const { sessionMs, openMs } = await openInChild(bench, each);
      whole.get(name)?.push(openMs);
      return sessionMs;
    },
  }));
  const measured = await interleave(sides, { rounds: bench.isQuick ? 5 : 15, warmUp: 1 });
  return [
    compare(measured, { ...JUDGED, what: "open a session, fresh process" }),
    compare(whole, { ...JUDGED, what: "open ledger and session, fresh process" }),
  ];
}
