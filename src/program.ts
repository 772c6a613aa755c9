// Puts the program together from what the command line asked for: home, settings, models, ledger, one session
// and its runner. Nothing here prints. The ledger opens in its own thread while the rest is read.
import { statSync } from "node:fs";
import path from "node:path";
import { parseRule, type Rules } from "./agent/approvals.ts";
import { inspectWorkspace } from "./agent/context.ts";
import type { ImageShelf } from "./agent/images/image-shelf.ts";
import { LoopKeeper } from "./agent/loop/loop-keeper.ts";
import { modelFacts } from "./agent/models/catalogue.ts";
import { costOf } from "./agent/models/cost.ts";
import { nameProblems, nameProblemWords, whyNot } from "./agent/models/open-named.ts";
import { type DefaultRoute, type ModelRegistry, modelRegistry, type RouteSource } from "./agent/models/registry.ts";
import { isSameModel } from "./agent/models/route-name.ts";
import { isSameRoute, movedRoute, type SwitchWish, switchRoute, switchWords } from "./agent/models/switch-route.ts";
import { PullRequests } from "./agent/pull-requests.ts";
import { recoveryWorld } from "./agent/recovery-world.ts";
import { Runner } from "./agent/runner.ts";
import { createFileGate, type FileGate } from "./agent/tools/files.ts";
import type { TurnContext } from "./agent/turn-context.ts";
import { calledAs } from "./called-as.ts";
import type { CommandContext, FreeContext, Settings } from "./commands/command.ts";
import type { Config } from "./config/config.ts";
import { type Home, resolveHome } from "./config/home.ts";
import { type ConfigRequest, type LoadedConfig, loadConfig } from "./config/load-config.ts";
import { profileLedgers } from "./config/profiles.ts";
import { sortedSources } from "./config/sources.ts";
import { rememberTrust } from "./config/trust.ts";
import { updateConfig } from "./config/update-config.ts";
import { AsyncSessionDB } from "./ledger/async-session-db.ts";
import { SteleError } from "./ledger/errors.ts";
import { currentProcess } from "./ledger/identity.ts";
import { newHolderId } from "./ledger/ids.ts";
import { type Recovered, type RecoveryStep, reclaimFromTheDead, recover, type World } from "./ledger/recovery.ts";
import type { NewSession } from "./ledger/sessions.ts";
import { sidecarPath } from "./ledger/sidecar-path.ts";
import type { ApprovalMode, ModelRoute, Session } from "./ledger/types.ts";
import { thisTerminal } from "./this-terminal.ts";
import { tildify } from "./tilde.ts";
import { UsageError } from "./usage-error.ts";

/** The flags that every way of starting understands. */
export interface GlobalFlags {
  readonly home?: string;
  readonly profile?: string;
  readonly ledger?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly cwd?: string;
  readonly yes?: boolean;
  readonly readOnly?: boolean;
}

/** Which conversation: none is a new one. */
export type SessionChoice =
  | { readonly kind: "new" }
  | { readonly kind: "continue" }
  | { readonly kind: "session"; readonly asked: string };

/** At a start that has nobody else to ask: a server that runs answers in a few, nobody listening is known at once. */
const DISCOVER_MS = 1_500;

type LoadedFine = Extract<LoadedConfig, { ok: true }>;

export class Program {
  readonly home: Home;
  readonly cwd: string;
  readonly version: string;
  readonly db: AsyncSessionDB;
  readonly files: FileGate;
  readonly models: ModelRegistry;
  readonly world: World;
  /** Undefined where there is none that can be told from others. */
  readonly terminal: string | undefined;
  /** Why `-c` did not take the folder's newest conversation. */
  continuedWords: string | undefined;
  #loaded: LoadedFine;
  #rules: Rules;
  readonly #pullRequests: PullRequests;
  readonly #flags: GlobalFlags;
  readonly #env: NodeJS.ProcessEnv;

  constructor(parts: {
    home: Home;
    cwd: string;
    version: string;
    flags: GlobalFlags;
    env: NodeJS.ProcessEnv;
    loaded: LoadedFine;
    db: AsyncSessionDB;
  }) {
    const { home, cwd, version, flags, env, loaded, db } = parts;
    this.home = home;
    this.cwd = cwd;
    this.version = version;
    this.db = db;
    this.terminal = thisTerminal(env, process.stdin.isTTY && process.stdout.isTTY);
    this.files = createFileGate({ ledgerFiles: [home.ledgerFile, sidecarPath(home.ledgerFile)] });
    this.world = recoveryWorld({ db, files: this.files, spoolRoot: home.spoolFolder });
    const { providers, aliases } = loaded.config;
    this.models = modelRegistry({ env, providers, aliases, models: loaded.config.models });
    this.#loaded = loaded;
    this.#rules = loaded.config.approval;
    this.#pullRequests = new PullRequests({ env, now: Date.now });
    this.#flags = flags;
    this.#env = env;
  }

  get config(): Config {
    return this.#loaded.config;
  }
  get rules(): Rules {
    return this.#rules;
  }

  /** `--yes` and `--read-only` win over every file. */
  get mode(): ApprovalMode {
    if (this.#flags.readOnly) return "plan";
    return this.#flags.yes ? "auto" : this.#loaded.config.approval.mode;
  }

  /** What a project file wanted and did not get. */
  get notices(): string[] {
    return this.#loaded.ignored.map(({ file, key, why }) => `${tildify(file)}: ${key} is ignored: ${why}`);
  }

  /** What is told before it is needed: models of the config that cannot be used. */
  get warnings(): readonly string[] {
    return nameProblems(this.models, this.config).map(nameProblemWords);
  }

  get trust(): { question: string; answer: (trusted: boolean) => Promise<readonly string[]> } | undefined {
    const { trust } = this.#loaded;
    if (trust.state !== "unasked") return undefined;
    return {
      question: `Trust ${tildify(trust.file)}? It wants more than a project may set by itself.`,
      answer: async (trusted) => {
        await rememberTrust(this.home.trustFile, trust, trusted ? "trusted" : "declined");
        return trusted
          ? ["Trusted. It takes effect at the next start."]
          : ["Not trusted: those settings stay ignored."];
      },
    };
  }

  /** The model of a new session. Throws `UsageError` for a name that fits nothing, and an effort that it does not know. */
  async defaultRoute(): Promise<ModelRoute> {
    const { effort } = this.#flags;
    const named = this.#namedModels;
    // Local servers come after what has a key: nobody waits for them who does not need them.
    const hasOwn = Object.keys(this.#loaded.config.providers).length > 0;
    const isFound = ({ source }: DefaultRoute) => source !== "guide" && !(source === "found" && hasOwn);
    if (!isFound(this.models.defaultRoute(named))) await this.models.discover(AbortSignal.timeout(DISCOVER_MS));
    const found = this.models.defaultRoute(named);
    if (found.ok) return this.#switched(found.route, effort === undefined ? {} : { effort });
    const nearest = found.nearest.length > 0 ? `Nearest: ${found.nearest.join(", ")}.` : "See: stele models";
    throw new UsageError(found.problem, nearest);
  }

  /** Where the model of a new session comes from, by what is known of the providers so far. */
  get modelSource(): RouteSource {
    return this.models.defaultRoute(this.#namedModels).source;
  }

  get #namedModels(): { readonly flag?: string; readonly configured?: string } {
    const { model: flag } = this.#flags;
    const { model: configured } = this.#loaded.config;
    return { ...(flag !== undefined && { flag }), ...(configured !== undefined && { configured }) };
  }

  #switched(from: ModelRoute, wish: SwitchWish): ModelRoute {
    const switched = switchRoute(this.models, from, wish);
    if (switched.ok) return switched.route;
    throw new UsageError(switched.problem, switched.hint);
  }

  async newSession(more: { title?: string; openedByNew?: boolean; source: string }): Promise<NewSession> {
    const [route, workspace] = await Promise.all([this.defaultRoute(), inspectWorkspace(this.cwd)]);
    const { gitRoot, gitBranch } = workspace;
    return { ...more, cwd: this.cwd, route, ...(gitRoot && { gitRoot }), ...(gitBranch && { gitBranch }) };
  }

  /** The session that was asked for. Throws `UsageError` with the nearest names when there is none. */
  async existingSession(choice: Exclude<SessionChoice, { kind: "new" }>): Promise<Session> {
    if (choice.kind === "continue") {
      const found = await this.db.continued(this.cwd, this.terminal);
      if (!found)
        throw new UsageError(`There is no conversation in ${tildify(this.cwd)} to continue.`, "See: stele sessions");
      if (found.insteadOf) this.continuedWords = ownWords(found.session, found.insteadOf);
      return found.session;
    }
    if (choice.asked === "latest") {
      const [newest] = await this.db.listSessions({ byActivity: true, limit: 1 });
      if (newest) return newest.session;
    }
    const resolved = await this.db.resolveSession(choice.asked);
    if (resolved.kind === "found") return resolved.session;
    if (resolved.kind === "ambiguous") {
      const matches = resolved.matches.map((each) => `${each.id} (${each.title ?? "untitled"})`).join(", ");
      throw new UsageError(`“${choice.asked}” fits several sessions: ${matches}.`, "Type more of the id.");
    }
    const nearest = resolved.nearest.length > 0 ? `Nearest: ${resolved.nearest.join(", ")}.` : "See: stele sessions";
    throw new UsageError(`There is no session “${choice.asked}”.`, nearest);
  }

  /** What a command without -r or -c means. */
  async latestHere(): Promise<Session> {
    const latest = await this.db.continued(this.cwd);
    if (latest) return latest.session;
    throw new UsageError(
      `There is no conversation in ${tildify(this.cwd)} yet.`,
      "Name one with -r ID; see: stele sessions",
    );
  }

  /**
   * The route that a session goes on with: what it was, unless a flag says otherwise, at the address that its provider
   * has today. A name that fits nothing and a model that cannot be asked change nothing.
   */
  async continuedSession(session: Session): Promise<Session> {
    const { model, effort } = this.#flags;
    const route = session.route;
    if (model === undefined && effort === undefined) {
      const moved = movedRoute(this.models, route);
      return moved ? this.#setRoute(session, moved).catch(() => session) : session; // the next one tries again
    }
    const to = model === undefined ? route : await this.defaultRoute();
    const next = this.#switched(route, { to, ...(effort !== undefined && { effort }) });
    const opened = this.models.open(next);
    if (!opened.ok && !isSameModel(route, next)) {
      throw new UsageError(`${opened.problem}; the conversation keeps its model`, opened.hint);
    }
    return this.#setRoute(session, next);
  }

  async #setRoute(session: Session, route: ModelRoute): Promise<Session> {
    if (isSameRoute(route, session.route)) return session;
    const text = switchWords(session.route, route);
    const changed = await this.db.setModel(session.id, route, { text, at: Date.now() });
    if ("kind" in changed) throw new UsageError(`The model cannot be changed now: ${changed.why}`);
    return changed;
  }

  /** Loaded only where a prompt may have some. */
  async images(): Promise<ImageShelf> {
    const { ImageShelf } = await import("./agent/images/image-shelf.ts");
    return new ImageShelf({ db: this.db, files: this.files, folder: this.home.imagesFolder });
  }

  /** `ask` is absent where nobody watches. */
  runner(session: Session, ask?: TurnContext["ask"]): Runner {
    return new Runner({
      db: this.db,
      session,
      models: this.models,
      files: this.files,
      spoolRoot: this.home.spoolFolder,
      rules: () => this.#rules,
      mode: this.mode,
      ask: ask ?? nobodyToAsk,
      contextFiles: this.config.contextFiles,
      retrying: { limit: this.config.retries },
      compaction: { ...this.config.compaction, at: this.config.compaction.at / 100 },
      modelFacts: (route) => modelFacts(route, this.config.models),
      spending: { limits: this.config.limits, models: this.config.models },
      ...(this.config.fallback !== undefined && { fallback: this.config.fallback }),
      isWatched: ask !== undefined,
      onRule: async (kind, rule) => {
        const stored = await this.settings.addRule(kind, rule);
        return stored.ok ? { ok: true, file: tildify(this.home.configFile) } : stored;
      },
      program: `stele ${this.version}`,
    });
  }

  /** What a start does about the dead, without the checks of the file: their turns become unknown. */
  reclaim(tell: (step: RecoveryStep) => void): Promise<void> {
    return reclaimFromTheDead(this.db, { holder: newHolderId(process.pid), world: this.world }, tell);
  }

  async recover(
    onStep: (step: RecoveryStep) => void = () => {},
  ): Promise<Recovered & { readonly steps: readonly RecoveryStep[] }> {
    const steps: RecoveryStep[] = [];
    for await (const event of recover(this.db, { holder: newHolderId(process.pid), world: this.world })) {
      if (event.type === "done") return { ...event, steps };
      steps.push(event.step);
      onStep(event.step);
    }
    throw new SteleError("recovery", "The recovery checklist ended before its end.");
  }

  /** `isFree`: nobody types, and nothing is asked. */
  context(runner: Runner, surface: CommandContext["surface"], isFree = () => true): CommandContext {
    const loop = new LoopKeeper({
      ...{ db: this.db, models: this.models, runner, isFree, now: Date.now, self: currentProcess("stele") },
      costOf: (usage, route, at) => costOf(usage, modelFacts(route, this.config.models).prices, at)?.usd,
      spending: { limits: this.config.limits, models: this.config.models },
    });
    const context = { ...this.freeContext(surface, runner), runner, loop };
    runner.runCommand = (text) => this.#repeat(text, context);
    return context;
  }

  /** What a command says that a loop repeats. */
  async #repeat(text: string, context: CommandContext): Promise<string> {
    const [{ parseCommand }, { registry }, { runCommand }, { resultText }] = await Promise.all([
      import("./commands/parse-command.ts"),
      import("./commands/registry.ts"),
      import("./commands/run-command.ts"),
      import("./ui/printer.ts"),
    ]);
    const parsed = parseCommand(text, registry);
    return resultText(parsed.ok ? await runCommand(parsed, { ...context, surface: "argv" }) : parsed.usage);
  }

  /** For commands that need no conversation; `open` is the one that is open, if any. */
  freeContext(surface: CommandContext["surface"], open?: Runner): FreeContext {
    return {
      db: this.db,
      ...(open && { runner: open }),
      runnerFor: (session) => Promise.resolve(this.#runnerFor(session, open)),
      models: this.models,
      files: this.files,
      jobs: async () => {
        const { listJobs } = await import("./agent/spool/background-jobs.ts");
        return listJobs(this.home.spoolFolder);
      },
      world: this.world,
      settings: this.settings,
      surface,
      now: Date.now,
      lastList: { sessions: [] },
      recover: () => this.recover(),
      createFile: (name, text) => this.#createFile(name, text),
      readFile: (name) => this.#readFile(name),
      hasFolder: async (folder) => {
        const stat = await this.files.stat(folder);
        return stat.ok && stat.value.kind === "folder";
      },
      newSession: (more) => this.newSession({ ...more, source: surface }),
      pullRequests: this.#pullRequests,
      profiles: () => profileLedgers(this.home, this.#flags.profile),
    };
  }

  #runnerFor(session: Session, open: Runner | undefined): Runner {
    if (open?.session.conversation === session.conversation) return open;
    return this.runner(session);
  }

  async #readFile(name: string): Promise<string | undefined> {
    const read = await this.files.read(path.join(this.cwd, name), { maxBytes: 1024 * 1024 });
    return read.ok ? new TextDecoder().decode(read.value.bytes) : undefined;
  }

  get settings(): Settings {
    return {
      configFile: this.home.configFile,
      mayBeAuto: this.#flags.yes === true || this.#loaded.config.approval.mode === "auto",
      list: () => {
        const problems = new Map(nameProblems(this.models, this.config).map((found) => [found.key, whyNot(found)]));
        return sortedSources(this.#loaded.sources).map(([key, source]) => ({
          key,
          value: JSON.stringify(source.value),
          from: "file" in source && source.file ? `${source.from} ${tildify(String(source.file))}` : source.from,
          ...(problems.has(key) && { problem: problems.get(key) ?? "" }),
        }));
      },
      models: () => this.config.models,
      nameProblems: () => nameProblems(this.models, this.config),
      limits: () => this.config.limits,
      loops: () => this.config.loops,
      rules: () => ({
        allow: this.#rules.allow.map((rule) => rule.text),
        deny: this.#rules.deny.map((rule) => rule.text),
      }),
      addRule: (kind, rule) => this.#changeRules({ kind, rule, action: "add" }),
      removeRule: (rule) => this.#changeRules({ kind: "allow", rule, action: "remove" }),
    };
  }

  async #changeRules(change: {
    kind: "allow" | "deny";
    rule: string;
    action: "add" | "remove";
  }): Promise<{ ok: true } | { ok: false; problem: string }> {
    const parsed = parseRule(change.rule);
    if (!parsed.ok) return parsed;
    const key = change.action === "remove" ? "approval.forget" : (`approval.${change.kind}` as const);
    const written = await updateConfig(this.home.configFile, { key, rule: change.rule });
    if (!written.ok) return { ok: false, problem: written.problem };
    const without = (rules: Rules["allow"]) => rules.filter((rule) => rule.text !== parsed.rule.text);
    const base: Rules = { allow: without(this.#rules.allow), deny: without(this.#rules.deny) };
    this.#rules = change.action === "remove" ? base : { ...base, [change.kind]: [...base[change.kind], parsed.rule] };
    await this.#reload();
    return { ok: true };
  }

  /** What `/config` shows is what is in the files now; the rules in force are this session's. */
  async #reload(): Promise<void> {
    const { model } = this.#flags;
    const flags = model === undefined ? {} : { model };
    const loaded = await loadConfig({ home: this.home, cwd: this.cwd, env: this.#env, flags, keyIssues });
    if (loaded.ok) this.#loaded = loaded;
  }

  async #createFile(name: string, text: string): Promise<{ ok: true; path: string } | { ok: false; problem: string }> {
    const file = path.join(this.cwd, name);
    if (await this.files.exists(file)) return { ok: false, problem: `${name} exists already; nothing was changed.` };
    const bytes = new TextEncoder().encode(text);
    const written = await this.files.write({ cwd: this.cwd, path: file, bytes, expected: "absent" });
    return written.ok ? { ok: true, path: file } : { ok: false, problem: written.problem.message };
  }

  /** To be typed into a shell: the same ledger again. */
  get called(): string {
    return calledAs(this.#flags);
  }

  get env(): NodeJS.ProcessEnv {
    return this.#env;
  }
}

function ownWords(own: Session, newest: Session): string {
  const [mine, other] = [own, newest].map(({ title, id }) => (title === undefined ? id : `“${title}”`));
  return `-c went on with ${mine}, which this terminal had; the newest of this folder is ${other}: -r ${newest.id}`;
}

/** Without a screen a call that has to be asked about is denied, and the model is told why. */
const nobodyToAsk: TurnContext["ask"] = () => Promise.resolve({ kind: "nobody" });

/** Reads the settings and begins to open the ledger. Throws `UsageError` for flags and files that are wrong. */
export async function openProgram(options: {
  flags: GlobalFlags;
  env: NodeJS.ProcessEnv;
  version: string;
  cwd: string;
}): Promise<Program> {
  const { flags, env, version } = options;
  const cwd = flags.cwd === undefined ? options.cwd : path.resolve(options.cwd, flags.cwd);
  const resolved = resolveHome({ env, platform: process.platform, cwd: options.cwd, flags });
  if (!resolved.ok) throw new UsageError(resolved.problem, resolved.hint);
  const { home } = resolved;
  requireFolder(cwd, flags.cwd);
  const loaded = await loadConfig({
    home,
    cwd,
    env,
    flags: { ...(flags.model !== undefined && { model: flags.model }) },
    keyIssues,
  });
  if (!loaded.ok) throw new UsageError(loaded.problem, loaded.hint);
  const db = new AsyncSessionDB({ path: home.ledgerFile, program: "stele" });
  return new Program({ home, cwd, version, flags, env, loaded, db });
}

function requireFolder(cwd: string, flag: string | undefined): void {
  if (flag === undefined) return;
  const stats = flag === "" ? undefined : statSync(cwd, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) throw new UsageError(`--cwd: ${JSON.stringify(flag)} is no folder.`);
}

/** The screen knows what keys there are: loaded only where somebody chose some. */
const keyIssues: NonNullable<ConfigRequest["keyIssues"]> = async (keys) =>
  Object.keys(keys).length === 0 ? [] : (await import("./ui/key-settings.ts")).keyIssues(keys);
