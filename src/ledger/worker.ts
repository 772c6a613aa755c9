// The other end of `AsyncSessionDB`: one thread, one SessionDB, verbs in the order they were sent.
// Everything it answers is plain data; an error crosses as code, message and hint.
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import type { Answer, Question } from "./async-session-db.ts";
import { plainError } from "./errors.ts";
import { SessionDB, type SessionDBOptions } from "./session-db.ts";

const port = parentPort;

/** Until it is told to close: then what ran is kept for the next start, and nothing waits for the answer. */
export function serve(keep: () => void): void {
  const db = open(workerData as SessionDBOptions);
  if (!db) return;
  port?.on("message", (question: Question) => {
    let next: Question | undefined = question;
    while (next) {
      const answer = ask(db, next);
      const isLast = next.verb === "close";
      if (isLast) keep();
      // Acknowledged only now, after the commit; closing the port lets the thread end.
      port.postMessage(answer);
      if (isLast) return port.close();
      next = awaitNext();
    }
  });
}

/** A turn's writes follow each other closely: a thread that is awake answers in half the time of one that slept. */
const AWAKE_MS = 0.2;

function awaitNext(): Question | undefined {
  const end = performance.now() + AWAKE_MS;
  for (;;) {
    const received = port && (receiveMessageOnPort(port) as { message: Question } | undefined);
    if (received) return received.message;
    if (performance.now() > end) return undefined;
  }
}

function open(options: SessionDBOptions): SessionDB | undefined {
  try {
    const db = new SessionDB(options);
    port?.postMessage({ id: 0, value: db.info() } satisfies Answer);
    return db;
  } catch (error) {
    port?.postMessage({ id: 0, error: plainError(error) } satisfies Answer);
    port?.close();
    return undefined;
  }
}

function ask(db: SessionDB, { id, verb, args }: Question): Answer {
  try {
    const method = db[verb] as (...args: unknown[]) => unknown;
    return { id, value: method.apply(db, [...args]) };
  } catch (error) {
    return { id, error: plainError(error) };
  }
}
