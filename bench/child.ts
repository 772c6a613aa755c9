// What runs in the child processes of the benches: opens a ledger as the program does, then a session with its
// newest messages, and says how long that took and how much memory is in use while it is held.
// Arguments: ledger, session, worker file. Started with --expose-gc.
import { AsyncSessionDB } from "../src/ledger/async-session-db.ts";

export interface ChildReport {
  /** To find the session and read its window, the ledger being open. */
  readonly sessionMs: number;
  /** The same with the opening of the ledger. */
  readonly openMs: number;
  readonly rssMiB: number;
}

export const WINDOW = 200;

const [path, asked, workerFile] = process.argv.slice(2);
if (path && asked && workerFile && process.send) process.send(await report(path, asked, workerFile));

async function report(path: string, asked: string, workerFile: string): Promise<ChildReport> {
  const start = performance.now();
  const db = new AsyncSessionDB({ path, program: "bench", workerFile });
  await db.opened;
  const opened = performance.now();
  const resolved = await db.resolveSession(asked);
  if (resolved.kind !== "found") throw new Error(`the session is ${resolved.kind}`);
  const window = await db.path(resolved.session.id, { limit: WINDOW });
  const end = performance.now();
  if (window.messages.length !== Math.min(WINDOW, resolved.session.messages)) throw new Error("the window is not full");
  globalThis.gc?.();
  const rssMiB = process.memoryUsage.rss() / 1024 / 1024;
  await db.close();
  // Read after the measurement, so that it was held during it.
  if (window.earlier + window.messages.length !== resolved.session.messages) throw new Error("the window is short");
  return { sessionMs: end - opened, openMs: end - start, rssMiB };
}
