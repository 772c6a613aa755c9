// `stele run`: one turn without a screen. Asking again under the same request id prints the stored end and exits
// alike, without running. Its exit code is the turn's outcome.
import { fstatSync } from "node:fs";
import { type SessionEvent, settledEvent } from "./agent/events.ts";
import { modelFacts } from "./agent/models/catalogue.ts";
import type { Runner } from "./agent/runner.ts";
import { indexSome } from "./agent/search-all.ts";
import { markDelivered } from "./deliver-answer.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { SteleError } from "./ledger/errors.ts";
import { newRequestId } from "./ledger/ids.ts";
import type {
  Admission,
  AdmissionId,
  Message,
  Outcome,
  Payload,
  RequestId,
  Session,
  Target,
  TurnError,
} from "./ledger/types.ts";
import { type Program, type SessionChoice } from "./program.ts";
import { compactedWords } from "./ui/compaction-words.ts";
import { FlushWatch } from "./ui/flush-watch.ts";
import { answerText, eventLine, jsonLine, type Output, safeText } from "./ui/printer.ts";
import { ProgressWords } from "./ui/progress-words.ts";
import { UsageError } from "./usage-error.ts";

export interface RunOptions {
  readonly prompt: string;
  /** Paths of images that go with it. */
  readonly images: readonly string[];
  readonly choice: SessionChoice;
  readonly request?: string;
  readonly json: boolean;
  readonly runQueued: boolean;
}

/** After a turn. */
const INDEX_STEPS = 3;

export async function runHeadless(program: Program, options: RunOptions, output: Output): Promise<ExitCode> {
  const printer = new RunPrinter(output, options);
  const stdout = new FlushWatch(process.stdout);
  const { admission, session, isNew } = await admit(program, options, output);
  const takesNone = modelFacts(session.route, program.config.models).images === false;
  if (options.images.length > 0 && takesNone)
    output.err(`${safeText(session.route.model)} takes no images: left out\n`);
  const runner = program.runner(session);
  printer.print({ type: "session", session, resumed: options.choice.kind !== "new" });
  const { id, request, summary: text } = admission;
  printer.print({ type: "prompt-admitted", admission: id, request, state: admission.status, text });
  const stopListening = runner.listen((event) => printer.print(event));
  const unhook = onSignals(runner);
  try {
    if (options.runQueued) await releaseHeld(program, runner);
    const end = await untilEnd(program, { runner, admission, isNew, isNamed: options.request !== undefined });
    const code = await printer.end(program, end);
    await markDelivered(program, end, stdout);
    if (process.stderr.isTTY && !options.json) output.err(`resume with: ${program.called} -r ${runner.session.id}\n`);
    // Who never opens a screen has an index too. What is left, or goes wrong, is for the next one.
    await indexSome(program.db, INDEX_STEPS).catch(() => false);
    return code;
  } finally {
    unhook();
    stopListening();
    await runner.close();
  }
}

async function admit(
  program: Program,
  options: RunOptions,
  output: Output,
): Promise<{ admission: Admission; session: Session; isNew: boolean }> {
  const target: Target = options.choice;
  const request = (options.request ?? newRequestId()) as RequestId;
  if (request.length > 1024 || request === "") throw new UsageError("--request takes 1 to 1024 characters.");
  const existing = options.choice.kind === "new" ? undefined : await program.existingSession(options.choice);
  if (program.continuedWords !== undefined) output.err(`${safeText(program.continuedWords)}\n`);
  const session = existing ? await program.continuedSession(existing) : await program.newSession({ source: "run" });
  const { prompt, blobs, stored } = await promptOf(program, options);
  const admitted = await program.db.admit({
    request,
    kind: "prompt",
    payload: { prompt, approval: program.mode, cwd: session.cwd },
    target,
    session: "id" in session ? session.id : session,
    blobs,
  });
  await stored();
  await rememberHere(program, admitted.admission.conversation);
  return { ...admitted, session: await program.db.canonical(admitted.admission.conversation) };
}

/** What `-c` in this terminal means from now on. */
async function rememberHere({ db, terminal }: Program, conversation: Session["conversation"]): Promise<void> {
  if (terminal === undefined) return;
  await db.rememberTerminal(terminal, conversation).catch(() => {
    // The prompt is stored, which is what counts; a ledger in trouble is told by what comes next.
  });
}

/** Throws `UsageError` for a file that cannot go along: nothing is asked without it. */
async function promptOf(
  program: Program,
  { prompt: text, images }: RunOptions,
): Promise<{ prompt: Payload["prompt"]; blobs: readonly Uint8Array[]; stored: () => Promise<void> }> {
  if (images.length === 0) return { prompt: [{ kind: "text", text }], blobs: [], stored: () => Promise.resolve() };
  const shelf = await program.images();
  const tokens: string[] = [];
  for (const each of images) {
    const attached = await shelf.attach(program.cwd, each);
    if (attached.kind !== "attached") throw new UsageError(`--image: ${attached.why}`);
    tokens.push(attached.image.token);
  }
  const made = await shelf.prompt([text, ...tokens].filter((part) => part !== "").join("\n\n"));
  if (!made.ok) throw new UsageError(`--image: ${made.why}`);
  return { ...made, stored: () => shelf.stored() };
}

/** What a crash left waiting in this conversation is run too, before what was asked now. */
async function releaseHeld(program: Program, runner: Runner): Promise<void> {
  await program.db.holdOrphans();
  for (const each of await program.db.openAdmissions(runner.session.conversation))
    if (each.status === "queued" && each.held !== undefined) await program.db.release(each.id);
}

/** Until a turn that was set going here has ended; its admission is the newest one that this runner settled. */
export async function followTurn(
  program: Program,
  runner: Runner,
): Promise<{ code: ExitCode; admission?: Admission; answer?: string }> {
  const seen: { settled?: AdmissionId; problem?: TurnError; isStopped?: boolean } = {};
  const stopListening = runner.listen((event) => {
    if (event.type === "stop-asked") seen.isStopped = true;
    if (event.type === "turn-settled") seen.settled = event.admission;
    if (event.type === "ledger-problem") seen.problem = event.error;
  });
  const unhook = onSignals(runner);
  try {
    await runner.idle();
    while (!seen.settled && !seen.problem && !seen.isStopped && (await isLeftWaiting(program, runner))) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      runner.wake();
      await runner.idle();
    }
  } finally {
    unhook();
    stopListening();
    await runner.close();
  }
  if (seen.problem) throw new SteleError(seen.problem.code, seen.problem.message, { hint: seen.problem.hint ?? "" });
  if (seen.settled === undefined) return { code: EXIT.needsPerson };
  const admission = await program.db.admission(seen.settled);
  const last = admission.lastMessage === undefined ? undefined : await program.db.message(admission.lastMessage);
  // Of a compaction that came to nothing the last message is an earlier one.
  const isOlder = admission.kind === "compact" && admission.outcome !== "completed";
  const answer = last && !isOlder ? endText(last) : undefined;
  return { code: exitOf(admission.outcome ?? "failed"), admission, ...(answer && { answer }) };
}

/** What was asked here stands behind a prompt of another program that lives: its turn comes. */
async function isLeftWaiting({ db }: Program, { session }: Runner): Promise<boolean> {
  const open = await db.openAdmissions(session.conversation);
  if (open.some(({ status }) => status === "unknown")) return false;
  return open.some(
    ({ status, held, submitter }) => status === "queued" && held === undefined && submitter.pid === process.pid,
  );
}

const POLL_MS = 200;

/** Drives or waits for this one admission until it is over or stuck. */
async function untilEnd(
  program: Program,
  run: { runner: Runner; admission: Admission; isNew: boolean; isNamed: boolean },
): Promise<Admission> {
  const { db } = program;
  let isStopped = false;
  let problem: TurnError | undefined;
  const stopListening = run.runner.listen((event) => {
    if (event.type === "stop-asked") isStopped = true;
    if (event.type === "ledger-problem") problem = event.error;
  });
  try {
    if (run.isNew) run.runner.wake();
    for (;;) {
      await run.runner.idle();
      // A ledger that cannot be written ends the run; what is stored says how far it came.
      if (problem) throw new SteleError(problem.code, problem.message, { hint: problem.hint ?? "" });
      const now = await db.admission(run.admission.id);
      if (now.status === "terminal" || now.status === "unknown") return now;
      if (isStopped) return now.status === "queued" ? db.cancel(now.id) : now;
      const open = await db.openAdmissions(now.conversation);
      if (open.some((each) => each.status === "unknown")) {
        // Under a name of its own it can be asked for again; without one it would only pile up.
        if (now.status === "queued" && run.isNamed) await db.hold(now.id, "an interrupted turn waits for a decision");
        else if (now.status === "queued") await db.cancel(now.id);
        return now;
      }
      if (now.status === "started") await reclaimFromTheDead(program, run.runner, now);
      else await adoptOrWait(program, run.runner, now);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  } finally {
    stopListening();
  }
}

/** Started by somebody else: theirs while they live, unknown once they are proven dead. */
async function reclaimFromTheDead(program: Program, runner: Runner, admission: Admission): Promise<void> {
  const wanted = { conversation: admission.conversation, holder: runner.holder };
  const taken = await program.db.acquireLease(wanted);
  if (taken.kind === "acquired") await program.db.releaseLease(taken.lease);
}

/** Asked before by a program that is gone: this one takes its place in asking. */
async function adoptOrWait(program: Program, runner: Runner, admission: Admission): Promise<void> {
  await program.db.holdOrphans();
  const now = await program.db.admission(admission.id);
  if (now.status === "queued" && now.held !== undefined) {
    await program.db.release(now.id);
    runner.wake();
  } else if (now.status === "queued" && now.submitter.pid === process.pid) {
    runner.wake();
  }
}

function onSignals(runner: Runner): () => void {
  const stop = (signal: NodeJS.Signals) => runner.stop(signal === "SIGHUP" ? "hang-up" : "asked");
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, stop);
  return () => {
    for (const signal of signals) process.off(signal, stop);
  };
}

class RunPrinter {
  readonly #output: Output;
  readonly #json: boolean;
  readonly #isNamed: boolean;
  readonly #progress = new ProgressWords();
  #settled: SessionEvent | undefined;

  constructor(output: Output, { json, request }: Pick<RunOptions, "json" | "request">) {
    this.#output = output;
    this.#json = json;
    this.#isNamed = request !== undefined;
  }

  print(event: SessionEvent): void {
    if (event.type === "turn-settled") this.#settled = event;
    if (this.#json) {
      const line = eventLine(event);
      if (line) this.#output.out(`${jsonLine(line)}\n`);
      return;
    }
    for (const line of this.#progress.lines(event)) this.#output.err(`${safeText(line)}\n`);
  }

  /** What becomes of a prompt that could not be run. */
  #keptWords({ status }: Admission): string {
    if (status !== "queued") return "";
    return this.#isNamed
      ? ". Your prompt waits: ask again under the same --request, or with --run-queued."
      : ". Your prompt was not kept: ask again afterwards.";
  }

  /** The end as it is stored; said again when this process did not run it. */
  async end(program: Program, admission: Admission): Promise<ExitCode> {
    const last = admission.lastMessage === undefined ? undefined : await program.db.message(admission.lastMessage);
    if (admission.status !== "terminal") {
      const text = `An interrupted turn of this conversation waits for a decision: stele recover${this.#keptWords(admission)}`;
      if (!this.#json) this.#output.err(`${text}\n`);
      else this.#output.err(`${jsonLine({ error: { code: "needs_person", message: text, hint: "stele recover" } })}\n`);
      return EXIT.needsPerson;
    }
    if (!this.#settled) {
      if (last) this.print({ type: "message-added", message: last });
      this.print(settledEvent(admission));
    }
    if (!this.#json && last?.role === "assistant") this.#output.out(`${safeText(answerText(last)).trimEnd()}\n`);
    return exitOf(admission.outcome ?? "failed");
  }
}

/** The answer, what a command of a person put out, or what a compaction made of the conversation. */
function endText(last: Message): string | undefined {
  if (last.role === "assistant") return answerText(last).trimEnd();
  if (last.role === "summary") return compactedWords(last);
  const result = last.parts.find((part) => part.kind === "tool-result");
  return result?.outcome.output?.trimEnd();
}

function exitOf(outcome: Outcome): ExitCode {
  switch (outcome) {
    case "completed":
    case "steered":
      return EXIT.done;
    case "interrupted":
    case "cancelled":
      return EXIT.stopped;
    case "failed":
    case "rejected":
      return EXIT.turnFailed;
  }
}

/** How long a pipe that nobody writes to is waited for when there is a prompt already. */
const STDIN_PATIENCE_MS = 300;
const STDIN_MAX_BYTES = 16 * 1024 * 1024;

/** What is piped in; a pipe that is open and silent does not hold a prompt up. */
export async function readStdin(stdin: NodeJS.ReadStream, hasPrompt: boolean): Promise<string> {
  if (stdin.isTTY || isClosed()) return "";
  const chunks: Buffer[] = [];
  let size = 0;
  await new Promise<void>((resolve, reject) => {
    const timer = hasPrompt && !isFile() ? setTimeout(resolve, STDIN_PATIENCE_MS) : undefined;
    stdin.on("data", (chunk: Buffer) => {
      clearTimeout(timer);
      size += chunk.length;
      if (size > STDIN_MAX_BYTES)
        reject(new UsageError("More than 16 MB came on stdin.", "Write it to a file and name the file."));
      chunks.push(chunk);
    });
    stdin.on("end", resolve);
    stdin.on("error", resolve); // closed or unreadable: then nothing is piped in
  }).finally(() => stdin.destroy());
  return Buffer.concat(chunks).toString("utf8").toWellFormed();
}

function isClosed(): boolean {
  try {
    fstatSync(0);
    return false;
  } catch {
    return true; // started without a stdin
  }
}

function isFile(): boolean {
  return fstatSync(0).isFile();
}
