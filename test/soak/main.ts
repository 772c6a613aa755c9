// The soak: many seeded runs, a few at a time, and what they found. `run.mjs` builds what this is given.
import { cpSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startModelServer } from "../helpers/model-server.ts";
import { ACTS, type ActName } from "./acts.ts";
import { allConditions } from "./conditions.ts";
import { Stele } from "./driver.ts";
import { Run } from "./one-run.ts";
import { seeded } from "./random.ts";
import { exitCode, isSuspicious, type Judged, record, type Soak, table } from "./report.ts";
import type { Script } from "./script.ts";

export interface SoakGiven {
  readonly runs: number;
  readonly seed: number;
  readonly broken?: string;
  /** Only this one; all of them in turn without it. */
  readonly act?: string;
  readonly json?: string;
  /** `kills` or `screens`; both without it. */
  readonly only?: string;
  /** Of the private copy. */
  readonly bin: string;
  /** The program itself. */
  readonly real: string;
  /** Where the runs have their homes. It is removed afterwards. */
  readonly place: string;
  /** Where runs that found something are kept. */
  readonly kept: string;
}

/** Runs wait more than they work. */
const LANES = 3;
const KEPT_RUNS = 5;
const ACT_NAMES = Object.keys(ACTS) as ActName[];

/** The exit code. A broken rule has to be found; nothing else may be. */
export async function main(given: SoakGiven): Promise<number> {
  if (given.act !== undefined && !Object.hasOwn(ACTS, given.act)) {
    process.stderr.write(`there is no act ${given.act}; acts: ${ACT_NAMES.join(", ")}\n`);
    return 2;
  }
  const kills = given.only === "screens" ? 0 : await killRuns(given);
  // A broken rule of the ledger shows nothing on a screen.
  const screens =
    given.only === "kills" || given.broken !== undefined
      ? 0
      : await allConditions({ bin: given.real, place: given.place });
  return Math.max(kills, screens);
}

async function killRuns(given: SoakGiven): Promise<number> {
  const start = performance.now();
  const judged = await allRuns(given);
  const { runs, seed, broken } = given;
  const soak: Soak = { runs, seed, seconds: (performance.now() - start) / 1_000, judged, ...(broken && { broken }) };
  process.stdout.write(`${table(soak)}\n`);
  if (given.json !== undefined) writeFileSync(given.json, `${JSON.stringify(record(soak), null, 2)}\n`);
  return exitCode(soak);
}

async function allRuns(given: SoakGiven): Promise<readonly Judged[]> {
  const scripts = new Map<string, Script>();
  const server = await startModelServer((body, n) => {
    const script = scripts.get(body.model);
    const closed = server.requests[n]?.closed;
    return script && closed ? script.reply(body, closed) : { status: 404, body: { error: { message: "no such run" } } };
  });
  const setting = { given, modelUrl: server.url, scripts, undoesFiles: await canUndoFiles(given) };
  const judged: Judged[] = [];
  let next = 0;
  const lane = async () => {
    while (next < given.runs) {
      const n = next;
      next += 1;
      const done = await oneRun(n, setting);
      judged.push(done);
      keepOrRemove(done, { given, isWanted: judged.filter(isSuspicious).length <= KEPT_RUNS });
      progress(judged.length, given.runs);
    }
  };
  try {
    await Promise.all(Array.from({ length: LANES }, lane));
  } finally {
    await server.close();
  }
  return judged.sort((a, b) => a.n - b.n);
}

interface Setting {
  readonly given: SoakGiven;
  readonly modelUrl: string;
  readonly scripts: Map<string, Script>;
  readonly undoesFiles: boolean;
}

async function oneRun(n: number, { given, modelUrl, scripts, undoesFiles }: Setting): Promise<Judged> {
  const [folder, model] = [folderOf(given, n), `run-${n}`];
  const act = (given.act ?? ACT_NAMES[n % ACT_NAMES.length]) as ActName;
  const run = new Run({ folder, bin: given.bin, modelUrl, model, random: seeded(given.seed + n * 7919) });
  scripts.set(model, run.script);
  const problems: string[] = [];
  const note = (error: unknown) => problems.push((error as Error).message);
  await ACTS[act](run).catch(note);
  const ending = { undoesFiles, comparesRequests: act !== "takeover", isWhole: problems.length === 0 };
  await run.finish(ending).catch(note);
  run.end();
  scripts.delete(model);
  const { hits, findings, overtaken } = run;
  return { n, act, hits, overtaken, findings, problems, temporaryFiles: run.world.temporaryFiles() };
}

function folderOf({ place }: SoakGiven, n: number): string {
  return path.join(place, `run-${n}`);
}

/** A rule that was broken on purpose leaves nothing to look into. */
function keepOrRemove(judged: Judged, { given, isWanted }: { given: SoakGiven; isWanted: boolean }): void {
  const folder = folderOf(given, judged.n);
  if (isSuspicious(judged) && isWanted && given.broken === undefined) {
    const target = path.join(given.kept, path.basename(folder));
    cpSync(folder, target, { recursive: true });
    judged.kept = target;
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Earlier programs move only the conversation. */
async function canUndoFiles({ bin, place }: SoakGiven): Promise<boolean> {
  const asked = { bin, home: path.join(place, "probe"), folder: place, modelUrl: "http://127.0.0.1:9", model: "probe" };
  const { text } = await new Stele(asked, ["help", "undo"]).ended;
  return text.includes("--files");
}

function progress(done: number, runs: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${runs} runs${done === runs ? "\n" : ""}`);
}
