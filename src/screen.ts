// Boots the screen: mounts it first, then loads the program and opens ledger, settings and session while the first
// frame is there.
import type { Runner } from "./agent/runner.ts";
import { calledAs } from "./called-as.ts";
import type { Globals } from "./commands/dispatch.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Session } from "./ledger/types.ts";
import type { Program, SessionChoice } from "./program.ts";
import { tildify, tildifyStart } from "./tilde.ts";
import { openScreen } from "./ui/app.tsx";
import { asksForLines, isDumb } from "./ui/plain-terminal.ts";
import type { Booted, ScreenHost } from "./ui/screen-start.ts";

export interface ScreenRequest {
  readonly version: string;
  readonly globals: Globals;
  readonly choice: SessionChoice;
  readonly prompt: string;
}

/** Shown of a resumed conversation; the rest stays in the ledger. */
const WINDOW = 200;
const HISTORY = 200;

export async function startScreen(request: ScreenRequest): Promise<ExitCode> {
  const running: { program?: Program; stop?: () => void; session?: () => Session } = {};
  const cwd = request.globals.cwd ?? process.cwd();
  const isPlain = request.globals.screenReader || asksForLines(process.env) || isDumb(process.env);
  const lines = isPlain ? (await import("./ui/line-front.ts")).lineFront() : undefined;
  const code = await openScreen({
    ...(lines && { lines }),
    version: request.version,
    called: calledAs(request.globals),
    folder: tildify(cwd),
    env: process.env,
    ...(request.prompt !== "" && { prompt: request.prompt }),
    boot: async (host) => {
      const [{ openProgram }, { followTerminal }, { watchConversation }] = await Promise.all([
        import("./program.ts"),
        import("./this-terminal.ts"),
        import("./agent/watch.ts"),
      ]);
      const program = await openProgram({
        flags: request.globals,
        env: process.env,
        version: request.version,
        cwd: process.cwd(),
      });
      running.program = program;
      const booted = await boot(program, request, host);
      running.session = () => booted.runner.session;
      const stopWatching = watchConversation(program.db, booted.runner, () => booted.context.loop?.look());
      const { terminal } = program;
      const { choice } = request;
      const isResumed = choice.kind === "continue" || (choice.kind === "session" && choice.asked !== "");
      const stopFollowing = followTerminal({ db: program.db, runner: booted.runner }, { terminal, isResumed });
      // Nobody waits for what they load.
      const behind = [keepTitles(program, booted.runner), fillIndex(program, booted.runner)];
      running.stop = () => {
        stopFollowing();
        stopWatching();
        for (const each of behind) void each.then((stop) => stop());
      };
      return booted;
    },
    shutdown: async () => {
      running.stop?.();
      const { program } = running;
      const last = running.session?.();
      if (last?.head === undefined && last) await program?.db.discardEmpty(last.id).catch(() => false);
      await program?.db.close();
    },
  });
  return code as ExitCode;
}

async function boot(program: Program, request: ScreenRequest, host: ScreenHost): Promise<Booted> {
  await program.db.opened;
  const recovered = await program.recover((step) => host.onStep({ ...step, detail: tildifyStart(step.detail) }));
  finishPurges(program).catch(() => {
    // Busy, or closing: the next start goes on with it.
  });
  const session = await chooseSession(program, request.choice);
  const runner = program.runner(session, (question, signal) => host.ask(question, signal));
  const window = await program.db.path(session.id, { limit: WINDOW });
  const calls = await program.db.callsOfMessages(window.messages.map((message) => message.id));
  const { trust } = program;
  const context = program.context(runner, "screen", () => host.isFree());
  const { folderWords } = await import("./commands/folder-words.ts");
  const where = await folderWords(session, program.cwd, context.hasFolder);
  return {
    runner,
    context,
    images: await program.images(),
    open: recovered.open,
    waiting: recovered.waiting,
    undelivered: recovered.undelivered,
    drafts: await program.db.drafts(session.conversation),
    unsent: await program.db.unsentTexts(),
    window: { ...window, calls },
    warnings: program.warnings,
    notices: [
      ...where,
      ...program.notices,
      ...(program.continuedWords === undefined ? [] : [program.continuedWords]),
      ...(await modelNotice(program, session)),
      ...(await contextNotice(program, session)),
    ],
    ...(trust && { trust }),
    models: program.config.models,
    keys: program.config.keys,
    history: await program.db.promptHistory(HISTORY),
    display: program.config,
    ...(request.choice.kind === "session" && request.choice.asked === "" && { openPicker: "/resume" }),
  };
}

async function keepTitles({ db, models, config }: Program, runner: Runner): Promise<() => void> {
  if (config.titles === "off") return () => {};
  const titles = await import("./agent/title-keeper.ts");
  const { model } = config.compaction;
  const spending = { limits: config.limits, models: config.models };
  return titles.keepTitles({ db, models, runner, spending, ...(model !== undefined && { model }) });
}

async function fillIndex({ db }: Program, runner: Runner): Promise<() => void> {
  const { keepIndex } = await import("./agent/index-keeper.ts");
  return keepIndex(db, runner);
}

/** What a deletion left half-way, in small steps behind everything else. */
async function finishPurges({ db }: Program): Promise<void> {
  while (!(await db.purgeStep()));
}

async function chooseSession(program: Program, choice: SessionChoice): Promise<Session> {
  if (choice.kind === "new" || (choice.kind === "session" && choice.asked === ""))
    return program.db.createSession(await program.newSession({ source: "screen" }));
  return program.continuedSession(await program.existingSession(choice));
}

async function contextNotice({ files, config }: Program, { cwd, gitRoot, route }: Session): Promise<string[]> {
  const [{ contextWords, readContextFiles }, { fileRoomWords }, { modelFacts }] = await Promise.all([
    import("./agent/context-files.ts"),
    import("./agent/context-room.ts"),
    import("./agent/models/catalogue.ts"),
  ]);
  const request = { files, cwd, names: config.contextFiles, ...(gitRoot !== undefined && { gitRoot }) };
  const found = await readContextFiles(request);
  const words = [contextWords(found), fileRoomWords(found.read, modelFacts(route, config.models).window)];
  return words.flatMap((each) => each ?? []);
}

async function modelNotice({ models, modelSource }: Program, session: Session): Promise<readonly string[]> {
  if (session.route.provider !== "guide") {
    const { readOnlyWords } = await import("./agent/models/read-only.ts");
    return readOnlyWords(models, session.route) ?? [];
  }
  const { guideWords } = await import("./agent/models/guide-words.ts");
  return guideWords(modelSource);
}
