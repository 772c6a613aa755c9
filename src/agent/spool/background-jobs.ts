// Commands that went on after their call had its result. A job is known by the name of its spool folder; what was read
// of its output, and whether its end was told, stands in the folder, so that it survives us. Reading twice under the
// same key gives the same: a read whose result was lost in a crash is run again.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { overprinted } from "./overprint.ts";
import { type CallRecord, readRecord, SPOOL_FILES } from "./records.ts";
import { isBackgroundJob, readSpool, removeSpool, type SpoolState, spoolsIn } from "./spool.ts";
import { readSlice, TEXT_LIMIT } from "./spool-output.ts";

export interface Job {
  /** The folder's name. */
  readonly id: string;
  readonly folder: string;
  readonly state: SpoolState;
  readonly startedAt?: number;
  readonly summary?: string;
}

/** Jobs whose end was not yet told, newest last; of all conversations of this ledger. */
export async function listJobs(spoolRoot: string): Promise<readonly Job[]> {
  const folders = (await jobFolders(spoolRoot)).filter((folder) => reportOf(folder) === undefined);
  const jobs = await Promise.all(folders.map(readJob));
  return jobs.sort((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0));
}

/** Also one whose end was told under this very key. */
export async function findJob(spoolRoot: string, { id, key }: { id: string; key: string }): Promise<Job | undefined> {
  const folder = (await jobFolders(spoolRoot)).find((each) => basename(each) === id);
  if (folder === undefined || (reportOf(folder) ?? key) !== key) return undefined;
  return readJob(folder);
}

async function jobFolders(spoolRoot: string): Promise<readonly string[]> {
  const folders = await spoolsIn(spoolRoot);
  const isJob = await Promise.all(folders.map(isBackgroundJob));
  return folders.filter((_, index) => isJob[index]);
}

async function readJob(folder: string): Promise<Job> {
  const call = readRecord<CallRecord>(folder, SPOOL_FILES.call);
  return {
    id: basename(folder),
    folder,
    state: await readSpool(folder),
    ...(call && { startedAt: call.startedAt, summary: call.summary }),
  };
}

/** From here on the folder belongs to the job: it stays when the call's result is stored. */
export function markBackground(folder: string): void {
  writeWhole(folder, SPOOL_FILES.background, "");
}

export interface News {
  /** Output since the read before. */
  readonly text: string;
  readonly state: SpoolState;
}

interface Cursor {
  readonly key: string;
  readonly from: number;
  readonly to: number;
}

/** Moves the place from which the next key reads. An end that it gives counts as told. */
export async function takeNews(folder: string, key: string): Promise<News> {
  // First the state: the output of a job that had ended by then is all there.
  const state = await readSpool(folder);
  const before = readRecord<Cursor>(folder, SPOOL_FILES.cursor);
  const from = before ? (before.key === key ? before.from : before.to) : 0;
  const { bytes, to } = await readSlice(folder, { from, limit: TEXT_LIMIT });
  writeWhole(folder, SPOOL_FILES.cursor, JSON.stringify({ key, from, to } satisfies Cursor));
  if ((await isBackgroundJob(folder)) && hasEnded(state)) writeWhole(folder, SPOOL_FILES.reported, key);
  return { text: overprinted(bytes.toString("utf8")), state };
}

export function hasEnded({ kind }: SpoolState): boolean {
  return kind !== "running" && kind !== "starting";
}

/** Jobs whose end was told by an earlier call than this one: its result is stored by now. */
export async function removeToldJobs(spoolRoot: string, key: string): Promise<void> {
  for (const folder of await jobFolders(spoolRoot)) {
    const report = reportOf(folder);
    if (report !== undefined && report !== key) await removeSpool(folder);
  }
}

/** The key under which the end was told. */
function reportOf(folder: string): string | undefined {
  const file = join(folder, SPOOL_FILES.reported);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

function writeWhole(folder: string, name: string, content: string): void {
  const part = join(folder, `${name}.part`);
  writeFileSync(part, content, { mode: 0o600 });
  renameSync(part, join(folder, name));
}
