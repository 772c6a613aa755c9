// Where a ref was and when, from git's own log of it. Its times are whole seconds, so what happened in the second of
// the start may be older than the start; the times of files, in ms, tell more where git keeps such files.
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Repository } from "./git-program.ts";

export interface RefMove {
  /** Where it led; full hash. */
  readonly hash: string;
  readonly short: string;
  /** Unix seconds, in the clock of the one who moved it. */
  readonly at: number;
  /** Git's words: `commit: subject`, `checkout: moving from a to b`. */
  readonly what: string;
  /** `Name <address>` of the one who moved it. */
  readonly who: string;
  /** Of the commit it led to. */
  readonly subject: string;
}

const FIELDS = ["%H", "%h", "%gd", "%gs", "%gn <%ge>", "%s"].join("%x00");
const MOST = 1000;
/** The kernel stamps files with a clock that may be some ms behind the one programs see. */
const STAMP_LAG_MS = 20;

/** Newest first; undefined when git cannot say, empty when the ref has no log. */
export async function movesOf(repository: Repository, ref: string): Promise<readonly RefMove[] | undefined> {
  const format = ["--date=unix", `--format=${FIELDS}%x01`, "--encoding=UTF-8", "--no-show-signature", "--no-color"];
  const text = await repository.answer("log", "-g", "-n", String(MOST), ...format, ref, "--");
  return text
    ?.split("\u0001")
    .map((record) => toMove(record.replace(/^\n/, "")))
    .filter((move) => move !== undefined);
}

function toMove(record: string): RefMove | undefined {
  const [hash, short, selector = "", what, who, subject] = record.split("\0");
  const at = Number(/@\{(\d+)\}$/.exec(selector)?.[1]);
  if (!hash || !short || what === undefined || who === undefined || subject === undefined) return undefined;
  return Number.isInteger(at) ? { hash, short, at, what, who, subject } : undefined;
}

export function secondOf(startedAt: number): number {
  return Math.floor(startedAt / 1000);
}

/** Those that may be as young as the start; all of them, when the log goes back far enough. */
export function movesSince(moves: readonly RefMove[], startedAt: number): readonly RefMove[] {
  return moves.filter(({ at }) => at >= secondOf(startedAt));
}

export function isCutOff(moves: readonly RefMove[]): boolean {
  return moves.length >= MOST;
}

/** Whether the log of a ref was written before the start, and not since: an answer only where the log is a file. */
export async function isLogOlder(repository: Repository, ref: string, startedAt: number): Promise<boolean | undefined> {
  const at = await modifiedAt(repository, `logs/${ref}`);
  return at === undefined ? undefined : at < startedAt - STAMP_LAG_MS;
}

/** Whether HEAD may have been put on another branch since the start, or git cannot say: a command then meant another. */
export async function mayHaveSwitched(repository: Repository, startedAt: number): Promise<boolean> {
  const moves = await movesOf(repository, "HEAD");
  if (!moves) return true;
  if (!movesSince(moves, startedAt).some(({ what }) => what.startsWith("checkout:"))) return false;
  return (await isLogOlder(repository, "HEAD", startedAt)) !== true;
}

/** Whether the commit itself was written after the start; false when that cannot be seen. */
export async function isCommitYounger(repository: Repository, hash: string, startedAt: number): Promise<boolean> {
  const at = await modifiedAt(repository, `objects/${hash.slice(0, 2)}/${hash.slice(2)}`);
  return at !== undefined && at >= startedAt;
}

async function modifiedAt(repository: Repository, gitPath: string): Promise<number | undefined> {
  const path = await pathOf(repository, gitPath);
  if (path === undefined) return undefined;
  // Not there: packed, or another way of storing refs.
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}

/** Absolute path of a file of the repository, whether it is there or not. */
export async function pathOf(repository: Repository, gitPath: string): Promise<string | undefined> {
  const path = await repository.answer("rev-parse", "--git-path", gitPath);
  return path === undefined ? undefined : resolve(repository.folder, path);
}
