// What the command line asked for, done: the screen, one turn, or one command; and how it ends. Every error
// leaves here as one message with its hint, on stderr, as text or as JSON, with the exit code of its kind.
// Loads only what was asked for, when it is needed: the screen paints before parser, settings and ledger are there.

import { statSync } from "node:fs";
import type { CommandResult } from "./commands/command.ts";
import type { Dispatched, Globals } from "./commands/dispatch.ts";
import { EXIT, type ExitCode, exitCodeOf } from "./exit-codes.ts";
import { SteleError } from "./ledger/errors.ts";
import { LostOutput } from "./lost-output.ts";
import { plainStart } from "./plain-start.ts";
import type { Program, SessionChoice } from "./program.ts";
import { jsonLine, type Output, printResult, safeText } from "./ui/printer.ts";
import { UsageError } from "./usage-error.ts";

const output: Output = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
};

const lostOutput = new LostOutput();

export async function main(argv: readonly string[], version: string): Promise<ExitCode> {
  lostOutput.watch();
  const said = { json: argv.includes("--json") };
  const code = await codeOf(argv, version, said);
  const lost = await lostOutput.problem();
  if (lost) reportLine(lost, said.json);
  if (code !== EXIT.done) return code;
  if (lost) return EXIT.turnFailed;
  return lostOutput.isReaderGone ? EXIT.stopped : code;
}

/** `said.json`: how errors are told, as soon as that is known for certain. */
async function codeOf(argv: readonly string[], version: string, said: { json: boolean }): Promise<ExitCode> {
  try {
    const asked = await askedFor(argv);
    if (asked.kind === "usage") throw new UsageError(asked.message, asked.hint);
    if (asked.kind === "help") return await printHelp(asked.about);
    said.json = asked.globals.json;
    return await perform(asked, version);
  } catch (error) {
    return report(error, said.json);
  }
}

async function askedFor(argv: readonly string[]): Promise<Dispatched> {
  const globals = plainStart(argv);
  if (globals) return { kind: "screen", prompt: "", globals };
  const { dispatch } = await import("./commands/dispatch.ts");
  return dispatch(argv);
}

type Asked = Exclude<Dispatched, { kind: "usage" | "help" }>;

async function perform(asked: Asked, version: string): Promise<ExitCode> {
  if (asked.globals.noColor) process.env["NO_COLOR"] = "1";
  const choice = choiceOf(asked.globals);
  if (asked.kind !== "run" && asked.globals.images && canShowScreen())
    throw new UsageError(
      "--image goes with stele run.",
      "On the screen paste or drop the file, or write @ and its path.",
    );
  if (asked.kind === "screen" && canShowScreen()) return openTheScreen(asked, { version, choice });
  const { openProgram } = await import("./program.ts");
  const program = await openProgram({ flags: asked.globals, env: process.env, version, cwd: process.cwd() });
  try {
    for (const notice of program.notices) output.err(`${safeText(notice)}\n`);
    await opened(program, asked);
    if (asked.kind === "command") return await performCommand(program, asked, choice);
    return await performRun(program, asked, choice);
  } finally {
    await program.db.close();
  }
}

/** `doctor --fix` may set a file aside that is no ledger; everything else leaves it where it is. */
async function opened(program: Program, asked: Asked): Promise<void> {
  try {
    await program.db.opened;
  } catch (error) {
    const isDoctor = asked.kind === "command" && asked.command.name === "doctor";
    if (isDoctor && asked.globals.json && error instanceof SteleError)
      output.out(`${jsonLine(unopened(program, error))}\n`);
    const mayFix = asked.kind === "command" && asked.command.name === "doctor" && asked.args.flags["fix"] === true;
    if (!mayFix || !(error instanceof SteleError) || error.code !== "ledger_unreadable") throw error;
    const stats = statSync(program.home.ledgerFile, { throwIfNoEntry: false });
    if (stats && !stats.isFile()) throw error;
    const { setAside } = await import("./ledger/set-aside.ts");
    const aside = setAside(program.home.ledgerFile, Date.now());
    throw new SteleError("ledger_unreadable", `${error.message} It was set aside as ${aside}.`, {
      hint: "The next start begins a new ledger. Keep the file: what is in it may be worth saving.",
    });
  }
}

/** What `doctor --json` can say of a ledger that does not open: one object, like every other. */
function unopened(program: Program, { code, message, hint }: SteleError): object {
  const check = { name: "open", status: "fail", detail: `${code}: ${message}`, advice: hint };
  return { file: program.home.ledgerFile, verify: null, checks: [check] };
}

function canShowScreen(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY;
}

async function openTheScreen(
  asked: Extract<Asked, { kind: "screen" }>,
  start: { version: string; choice: SessionChoice },
): Promise<ExitCode> {
  const { startScreen } = await import("./screen.ts");
  return startScreen({ ...start, globals: asked.globals, prompt: asked.prompt });
}

async function performRun(
  program: Program,
  asked: Extract<Asked, { kind: "screen" | "run" }>,
  choice: SessionChoice,
): Promise<ExitCode> {
  const { readStdin, runHeadless } = await import("./headless.ts");
  const { globals } = asked;
  if (choice.kind === "session" && choice.asked === "") throw new UsageError("-r needs the name of a session here.");
  const piped = await readStdin(process.stdin, asked.prompt !== "");
  const prompt = [asked.prompt, piped.trimEnd()].filter((text) => text !== "").join("\n\n");
  const images = globals.images ?? [];
  if (prompt.trim() === "" && images.length === 0) {
    const here = asked.kind === "screen" ? `There is no terminal here, so stele runs one turn and ends; ` : "";
    throw new UsageError(`${here}no prompt was given.`, "stele run “what to do”, or pipe the prompt in.");
  }
  const request = globals.request === undefined ? {} : { request: globals.request };
  for (const warning of program.warnings) output.err(`! ${safeText(warning)}\n`);
  await tellFindings(program);
  await reclaim(program);
  const { json, runQueued } = globals;
  return runHeadless(program, { prompt, images, choice, ...request, json, runQueued }, output);
}

/** What differs in the file since the last start: that open was the one to notice it, so no later one tells. */
async function tellFindings(program: Program): Promise<void> {
  const info = await program.db.opened;
  const links = info.otherNames === 0 ? [] : (await import("./ledger/recovery.ts")).linkNotice(info);
  for (const finding of [...info.findings, ...links]) output.err(`! ${safeText(finding)}\n`);
}

/** What a start owes the dead before anything else: their turns, and their half-done undos. */
function reclaim(program: Program): Promise<void> {
  return program.reclaim(({ detail }) => output.err(`${safeText(detail)}\n`));
}

async function performCommand(
  program: Program,
  asked: Extract<Asked, { kind: "command" }>,
  choice: SessionChoice,
): Promise<ExitCode> {
  const { runCommand } = await import("./commands/run-command.ts");
  // Before the command runs: its first tick waits for nobody.
  const foreground = asked.command.name === "loop" ? await import("./loop-foreground.ts") : undefined;
  const { name } = asked.command;
  if (name !== "recover" && name !== "doctor") await tellFindings(program);
  // The checklist does it itself, and tells it.
  if (name !== "recover") await reclaim(program);
  const named = choice.kind === "new" ? undefined : await program.existingSession(choice);
  tellContinued(program);
  const session = named ?? (asked.command.needsNoSession ? undefined : await program.latestHere());
  const runner = session && program.runner(session);
  // How far long work is; other commands say on stderr what they always did.
  const tells = asked.command.needsIndex === true || asked.command.isLong === true || asked.command.name === "doctor";
  const onProgress = (line: string) => output.err(`${safeText(line)}\n`);
  const plain = runner ? program.context(runner, "argv") : program.freeContext("argv");
  const context = {
    ...plain,
    ...(tells && { onProgress }),
    ...(!process.stdout.isTTY && { pipe: (text: string) => lostOutput.pour(text) }),
  };
  const result = await runCommand(asked, context);
  if (result.kind === "confirm" && asked.globals.yes)
    throw new SteleError("usage", "This command takes its own --yes.");
  if (result.kind === "turn") return await endTurn(program, result, asked.globals.json);
  // Its events say it all.
  if (result.kind !== "loop" || !asked.globals.json) printResult(result, output, asked.globals.json);
  if (result.kind === "loop" && foreground && context.loop && runner) {
    return await foreground.followLoop(
      { db: program.db, keeper: context.loop, runner, loop: result.loop, called: program.called },
      output,
      asked.globals.json,
    );
  }
  await runner?.close();
  return endOf(result, asked.globals.json);
}

/** A command that set a turn going: what it came to, its answer, and the exit code of its outcome. */
async function endTurn(
  program: Program,
  result: Extract<CommandResult, { kind: "turn" }>,
  json: boolean,
): Promise<ExitCode> {
  const { followTurn } = await import("./headless.ts");
  const [{ FlushWatch }, { ProgressWords }, { markDelivered }] = await Promise.all([
    import("./ui/flush-watch.ts"),
    import("./ui/progress-words.ts"),
    import("./deliver-answer.ts"),
  ]);
  const progress = new ProgressWords();
  if (!json)
    result.runner.listen((event) => {
      // What it came to is the command's own output.
      if (event.type === "message-added" && event.message.role === "summary") return;
      for (const line of progress.lines(event)) output.err(`${safeText(line)}\n`);
    });
  const { code, admission, answer } = await followTurn(program, result.runner);
  const stdout = new FlushWatch(process.stdout);
  const { outcome, error } = admission ?? {};
  const ended = { ...result.json, ...(outcome && { outcome }), ...(error && { error }), ...(answer && { answer }) };
  printResult({ ...result, json: ended }, output, json);
  if (!json && answer) output.out(`${safeText(answer)}\n`);
  if (admission) await markDelivered(program, admission, stdout);
  return code;
}

function endOf(result: CommandResult, json: boolean): ExitCode {
  switch (result.kind) {
    case "usage":
      reportLine({ code: result.code ?? "usage", message: result.message, hint: result.hint ?? "" }, json);
      return EXIT.usage;
    case "refused":
      reportLine({ code: result.code, message: result.why, hint: "" }, json);
      return REFUSAL_EXITS[result.code];
    case "confirm":
      reportLine({ code: "confirm", message: result.question, hint: "Say --yes to do it." }, json);
      return EXIT.usage;
    case "preview":
      reportLine({ code: "confirm", message: result.title, hint: "Nothing was changed. Say --yes to do it." }, json);
      return EXIT.usage;
    case "stop":
      return EXIT.stopped;
    case "lines":
      return result.failure === "ledger" ? EXIT.ledger : EXIT.done;
    case "recovery":
      return result.steps.some(({ status }) => status === "fail") ? EXIT.ledger : EXIT.done;
    default:
      return EXIT.done;
  }
}

const REFUSAL_EXITS = {
  busy: EXIT.busy,
  conflict: EXIT.turnFailed,
  person: EXIT.needsPerson,
  failed: EXIT.turnFailed,
} as const;

async function printHelp(about: string | undefined): Promise<ExitCode> {
  const [{ commandHelp, helpPage }, { optionLines }, { registry }, { findCommand }] = await Promise.all([
    import("./commands/help-pages.ts"),
    import("./commands/dispatch.ts"),
    import("./commands/registry.ts"),
    import("./commands/parse-command.ts"),
  ]);
  const command = about === undefined ? undefined : findCommand(registry, about);
  output.out(`${(command ? commandHelp(command) : helpPage(optionLines())).join("\n")}\n`);
  return EXIT.done;
}

function tellContinued({ continuedWords }: Program): void {
  if (continuedWords !== undefined) output.err(`${safeText(continuedWords)}\n`);
}

function choiceOf(globals: Globals): SessionChoice {
  if (globals.resume !== undefined) return { kind: "session", asked: globals.resume };
  return globals.continue ? { kind: "continue" } : { kind: "new" };
}

/** What went wrong, in one place. A defect keeps its stack: it is for us, not for the person. */
function report(error: unknown, json: boolean): ExitCode {
  if (!(error instanceof SteleError)) {
    output.err(
      `stele: unexpected error\n${safeText(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`,
    );
    return EXIT.turnFailed;
  }
  reportLine(error, json);
  return exitCodeOf(error.code);
}

function reportLine({ code, message, hint }: { code: string; message: string; hint: string }, json: boolean): void {
  if (json) output.err(`${jsonLine({ error: { code, message, ...(hint !== "" && { hint }) } })}\n`);
  else output.err(`stele: ${safeText(message)}${hint === "" ? "" : `\n  ${safeText(hint)}`}\n`);
}
