// `stele loop … --foreground`: stays, and runs the loop until it is done or paused. ctrl+c pauses it.
import type { LoopKeeper } from "./agent/loop/loop-keeper.ts";
import type { Runner } from "./agent/runner.ts";
import { watchConversation } from "./agent/watch.ts";
import { markDelivered } from "./deliver-answer.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import type { AsyncSessionDB } from "./ledger/async-session-db.ts";
import type { AdmissionId, Loop } from "./ledger/types.ts";
import { FlushWatch } from "./ui/flush-watch.ts";
import { answerText, eventLine, jsonLine, type Output, safeText } from "./ui/printer.ts";
import { ProgressWords } from "./ui/progress-words.ts";

interface Followed {
  readonly db: AsyncSessionDB;
  readonly keeper: LoopKeeper;
  readonly runner: Runner;
  readonly loop: Loop;
  /** As a person calls this program. */
  readonly called: string;
}

export async function followLoop(
  { db, keeper, runner, loop, called }: Followed,
  output: Output,
  json: boolean,
): Promise<ExitCode> {
  const progress = new ProgressWords();
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  let end: (loop: Loop) => void = () => {};
  const ended = new Promise<Loop>((resolve) => {
    end = resolve;
  });
  const stdout = new FlushWatch(process.stdout);
  let told: Promise<void> = Promise.resolve();
  const stop = () => {
    runner.stop();
    void keeper.pause("stopped by a signal");
  };
  for (const signal of signals) process.on(signal, stop);
  const unlisten = runner.listen((event) => {
    const line = json ? eventLine(event) : undefined;
    if (line) output.out(`${jsonLine(line)}\n`);
    if (!json) for (const words of progress.lines(event)) output.err(`${safeText(words)}\n`);
    if (!json && event.type === "message-added" && event.message.role === "assistant") {
      const text = safeText(answerText(event.message)).trimEnd();
      if (text !== "") output.out(`${text}\n`);
    }
    if (event.type === "turn-settled") told = told.then(() => markTold(db, event.admission, stdout));
    if (event.type === "loop-changed" && event.loop?.id === loop.id && event.loop.state !== "active") end(event.loop);
  });
  // Another window may pause it.
  const stopWatching = watchConversation(db, runner, () => keeper.look());
  try {
    const last = await ended;
    await runner.idle();
    await keeper.settled();
    const [newest] = await db.loopTicks(last.id, 1);
    if (!json) output.err(`The loop is ${last.state}: ${safeText(last.why ?? "")}.\n`);
    if (!json && last.state === "paused")
      output.err(`resume with: ${called} loop resume --foreground -r ${runner.session.id}\n`);
    if (newest?.outcome === "failed") return EXIT.turnFailed;
    return last.state === "done" ? EXIT.done : EXIT.stopped;
  } finally {
    unlisten();
    stopWatching();
    for (const signal of signals) process.off(signal, stop);
    await keeper.close();
    await runner.close();
    await told;
  }
}

/** Who follows it sees each answer: none is told again at the next start. */
async function markTold(db: AsyncSessionDB, id: AdmissionId, stdout: FlushWatch): Promise<void> {
  await markDelivered({ db }, await db.admission(id), stdout);
}
