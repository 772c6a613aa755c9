// What the ledger's promises cost beside the bare driver: one durable append of a message of about 2 KB, through
// `SessionDB` in this thread, through `AsyncSessionDB` and its worker, and as two plain statements between
// `begin immediate` and `commit`. The rows, the schema and the pragmas are the same. All sides begin with the message:
// whoever writes such a row makes its JSON and its hash. Beside it stands how long the two statements alone take, of a
// row that was ready before the clock started. Each side has a ledger of its own on the same disk.
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { AsyncSessionDB } from "../src/ledger/async-session-db.ts";
import { SETTLED_MS } from "../src/ledger/file-watch.ts";
import { SessionDB } from "../src/ledger/session-db.ts";
import type { Message, MessageId, TurnRef } from "../src/ledger/types.ts";
import { type Bench, compare, type Figure, interleave, type Side } from "./harness.ts";
import { buildRunningTurn, insertInto, openBare, requireSound, rowUnder, someParts, touchSession } from "./ledgers.ts";

const BARE = "better-sqlite3";
const READY = "better-sqlite3, row ready";

const BATCH = 20;
/** As long as V8 takes to compile what every append runs: of a verb it is much, of two statements next to nothing. */
const WARM_UP = 150;

interface OpenSide extends Side {
  readonly close: () => void | Promise<void>;
}

export async function benchAppend(bench: Bench): Promise<Figure[]> {
  return [
    ...(await besideBare(bench, { name: "SessionDB", target: 1.3, open: directSide })),
    ...(await besideBare(bench, { name: "AsyncSessionDB", target: 1.6, open: threadedSide })),
  ];
}

interface Judged {
  readonly name: "SessionDB" | "AsyncSessionDB";
  readonly target: number;
  readonly open: (file: string, workerFile: string) => OpenSide;
}

/** One judged side at a time: whoever comes after a side that runs in another thread finds its own caches cold. */
async function besideBare({ folder, isQuick }: Bench, { name, target, open }: Judged): Promise<Figure[]> {
  const files = [BARE, READY, name].map((each) => path.join(folder, "append", name, `${each}.db`));
  const [bare = "", ready = "", judged = ""] = files;
  const sides = [bareSide(BARE, bare), bareSide(READY, ready), open(judged, path.join(folder, "worker.cjs"))];
  await delay(SETTLED_MS); // as any ledger but one of this moment
  const measured = await interleave(sides.map(inBatches), { rounds: isQuick ? 20 : 75, warmUp: WARM_UP });
  for (const side of sides) await side.close();
  for (const file of files) requireSound(file);
  return [
    compare(measured, { unit: "µs", base: BARE, what: `durable append, ${name}`, side: name, target }),
    compare(measured, { unit: "µs", base: READY, what: `beside the statements alone, ${name}`, side: name }),
  ];
}

/**
 * A round is a batch of appends, and its value their mean, checkpoints included. One at a time, every append through
 * the worker would also pay for the sleep its thread was sent into while the other sides ran.
 */
function inBatches({ name, measure }: Side): Side {
  const batch = async (): Promise<number> => {
    let sum = 0;
    for (let at = 0; at < BATCH; at += 1) sum += await measure();
    return sum / BATCH;
  };
  return { name, measure: batch };
}

function bareSide(name: typeof BARE | typeof READY, file: string): OpenSide {
  const { turn, head } = buildRunningTurn(file);
  const db = openBare(file);
  const [begin, insert, touch, commit] = [
    db.prepare("begin immediate"),
    insertInto(db),
    touchSession(db),
    db.prepare("commit"),
  ];
  let parent: Pick<Message, "id" | "hash" | "depth" | "turn" | "at"> = head;
  const measure = (): number => {
    const { session, admission } = turn;
    const message = newMessage(parent);
    const early = performance.now();
    const row = rowUnder(parent, { ...message, session, admission });
    const start = name === BARE ? early : performance.now();
    begin.run();
    const id = Number(insert.run(row).lastInsertRowid) as MessageId;
    touch.run(id, row.at, session);
    commit.run();
    const took = performance.now() - start;
    parent = { ...row, id };
    return took * 1_000;
  };
  return { name, measure, close: () => void db.close() };
}

function directSide(file: string): OpenSide {
  const { turn, head } = buildRunningTurn(file);
  const db = new SessionDB({ path: file, program: "bench" });
  return {
    name: "SessionDB",
    measure: timedAppends(turn, head, (...args) => db.append(...args)),
    close: () => db.close(),
  };
}

function threadedSide(file: string, workerFile: string): OpenSide {
  const { turn, head } = buildRunningTurn(file);
  const db = new AsyncSessionDB({ path: file, program: "bench", workerFile });
  return {
    name: "AsyncSessionDB",
    measure: timedAppends(turn, head, (...args) => db.append(...args)),
    close: () => db.close(),
  };
}

type Append = (
  ...args: Parameters<SessionDB["append"]>
) => ReturnType<SessionDB["append"]> | ReturnType<AsyncSessionDB["append"]>;

function timedAppends(turn: TurnRef, head: Message, append: Append): () => Promise<number> {
  let parent = head;
  return async () => {
    const message = { ...newMessage(parent), parent: parent.id };
    const start = performance.now();
    const appended = append(turn, message);
    // A value is not awaited: that would add a turn of the event loop that the verb does not have.
    const { message: stored } = appended instanceof Promise ? await appended : appended;
    const took = performance.now() - start;
    parent = stored;
    return took * 1_000;
  };
}

function newMessage(parent: Pick<Message, "depth" | "at">) {
  const parts = someParts(parent.depth);
  const answer = { provider: "bench", model: "bench", finishReason: "stop" };
  return { role: "assistant", parts, at: parent.at + 1, ...answer } as const;
}
