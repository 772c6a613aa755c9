// One run: a home and a work folder of its own, a few commands of the program of which some are killed, a person who
// decides what recovery asks, and at the end what is found when all is quiet.
import { mkdirSync } from "node:fs";
import path from "node:path";
import {
  commands,
  commandsOf,
  type Ended,
  killAll,
  type Line,
  type Place,
  pause,
  processesOf,
  Stele,
} from "./driver.ts";
import { type Finding, findAfterKill, findAtEnd } from "./findings.ts";
import { type Hit, hitOf } from "./kills.ts";
import { type Look, lookAt } from "./look.ts";
import { crashAt, type Moment, reached } from "./moments.ts";
import type { Random } from "./random.ts";
import { Script, type StepKind } from "./script.ts";
import { World } from "./world.ts";

/** Longer than any command of the script. */
const QUIET_LIMIT_MS = 4_000;
const QUIET_POLL_MS = 20;

/** What a holder of the lease is never told. */
const REFUSED = /"code":"(lease_lost|stale_head|illegal_edge)"/;

export interface RunGiven {
  readonly folder: string;
  readonly bin: string;
  readonly modelUrl: string;
  readonly model: string;
  readonly random: Random;
}

export interface Ending {
  readonly undoesFiles: boolean;
  readonly comparesRequests: boolean;
  readonly isWhole: boolean;
}

export class Run {
  readonly random: Random;
  readonly world: World;
  readonly script: Script;
  readonly place: Place;
  readonly hits: Hit[] = [];
  readonly findings: Finding[] = [];
  /** How many processes were stopped so that another one went on with their turn. */
  overtaken = 0;
  /** How often a command may have run, where it is not once. */
  readonly allowed = new Map<string, number>();
  readonly #started: Stele[] = [];

  constructor({ folder, bin, modelUrl, model, random }: RunGiven) {
    const [home, work] = [path.join(folder, "home"), path.join(folder, "work")];
    mkdirSync(work, { recursive: true });
    this.random = random;
    this.world = new World(work);
    this.script = new Script(this.world, random);
    this.place = { bin, home, folder: work, modelUrl, model };
  }

  /** Undefined until one was told. */
  get session(): string | undefined {
    return this.#told().find(({ type }) => type === "session")?.["session"] as string | undefined;
  }

  #told(): Line[] {
    return this.#started.flatMap(({ lines }) => lines);
  }

  look(): Look {
    return lookAt(this.place.home);
  }

  start(args: readonly string[], crash = ""): Stele {
    const stele = new Stele(this.place, args, crash);
    this.#started.push(stele);
    return stele;
  }

  /** To its end. What does not come to one by itself is no finding of the counts: it breaks the run off. */
  async ask(args: readonly string[]): Promise<Ended> {
    return this.endOf(this.start(args));
  }

  async endOf(stele: Stele): Promise<Ended> {
    const ended = await stele.ended;
    const how = ended.hung ? "hung" : "was killed by somebody else";
    if (ended.signal !== null) throw new Error(`stele ${stele.args.join(" ")} ${how}: ${ended.err}`);
    return ended;
  }

  /** Those who hold the conversation since `from` and were refused all the same. */
  findRobbed(from: number): void {
    for (const { args, lines, err } of this.#started.slice(from)) {
      const isTurn = args[0] === "run" || args[1] === "resume";
      const code = isTurn && REFUSED.exec(`${err}${JSON.stringify(lines)}`)?.[1];
      if (code) this.findings.push({ count: "turns taken from their owner", what: `${args.join(" ")}: ${code}` });
    }
  }

  get startedCount(): number {
    return this.#started.length;
  }

  prompt(kinds: readonly StepKind[]): readonly string[] {
    return commands.run(this.script.turn(kinds).prompt, this.session);
  }

  /** True when the process was killed; what that hit is counted. */
  async doom(args: readonly string[], moment: Moment): Promise<boolean> {
    const finals = this.script.finals;
    const stele = this.start(args, crashAt(moment));
    if (await reached(moment, stele, this)) {
      if (this.random.chance(0.2)) stele.killGroup();
      else stele.kill();
    }
    const ended = await stele.ended;
    if (ended.hung) throw new Error(`stele ${args.join(" ")} hung: ${ended.err}`);
    if (ended.signal !== "SIGKILL") return false;
    const look = this.look();
    this.hits.push(hitOf({ args, lines: ended.lines, look, gotFinal: this.script.finals > finals }));
    this.findings.push(...findAfterKill(look, this.world));
    return true;
  }

  /** `kill -9` of everything that commands of this home run. */
  killCommands(): void {
    killAll(commandsOf(this.place.home));
  }

  /** Until no command runs in this home any more, as a person would look before deciding. */
  async quiet(limitMs = QUIET_LIMIT_MS): Promise<void> {
    const until = performance.now() + limitMs;
    while (commandsOf(this.place.home).length > 0 && performance.now() < until) await pause(QUIET_POLL_MS);
  }

  /** `comparesRequests`: nobody else asked for the same answers meanwhile. `isWhole`: the person came to an end. */
  async finish(options: Ending): Promise<void> {
    await this.quiet();
    const { world, allowed, script } = this;
    const { undoesFiles, isWhole } = options;
    const ledger = path.join(this.place.home, "state.db");
    const given = { look: this.look(), world, lines: this.#told(), ledger, allowed, undoesFiles, isWhole };
    this.findings.push(...findAtEnd(given));
    for (const what of options.comparesRequests ? script.changedRequests : [])
      this.findings.push({ count: "requests changed by a crash", what });
  }

  /** Whatever happened in it. */
  end(): void {
    killAll(processesOf(this.place.home));
  }
}
