// The files of a spool folder, and what stands in them. The supervisor writes them, every other process only reads:
// each is written whole under another name, synced and renamed, so that it is there with all it says or not at all.
// `output` is the exception: the command appends to it. The folder is 0700, its files 0600; no environment is kept.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProcessIdentity } from "../../ledger/types.ts";

export const SPOOL_FILES = {
  /** What the call is, for lists and for people. */
  call: "order.json",
  identity: "identity.json",
  /** Its being there says: the command may have been started. */
  go: "go",
  /** Standard output and errors, in the order they were written. */
  output: "output",
  /** What the cap took out of `output` so far. */
  cut: "cut.json",
  exit: "exit.json",
  /** Its being there says: the call has its result, the command went on without it. */
  background: "background",
  cursor: "cursor.json",
  reported: "reported",
} as const;

/** How much of a command's output is kept, in bytes: beyond it the middle is dropped. */
export const OUTPUT_CAP = 256 * 1024 * 1024;

/** First line on the supervisor's standard input; never on disk. */
export interface SupervisorOrder {
  readonly command: string;
  readonly cwd: string;
  readonly shell: string;
  /** Variables for the command that the supervisor must not have itself: NODE_OPTIONS would change it. */
  readonly env: Readonly<Record<string, string>>;
  /** Bytes of output kept. */
  readonly cap: number;
}

export const GO = "go";

/** The supervisor's words to the one who started it, a line each: its identity or what went wrong, and the end. */
export type SupervisorWord =
  | { readonly kind: "ready"; readonly identity: SpoolIdentity }
  | { readonly kind: "problem"; readonly problem: string }
  | { readonly kind: "recorded" };

/** The supervisor leads its own session and process group: `group` is its pid. */
export interface SpoolIdentity {
  readonly identity: ProcessIdentity;
  readonly group: number;
}

/** `bytes` were taken out at this place of the file. */
export interface OutputCut {
  readonly at: number;
  readonly bytes: number;
}

export interface ExitedRecord {
  readonly kind: "exited";
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Length of `output` at the command's end; what it left behind may have written more since. */
  readonly bytes: number;
  /** Of those bytes; absent, with the reason in `problem`, where the disk would not keep them. */
  readonly sha256?: string;
  readonly problem?: string;
  readonly dropped?: OutputCut;
}

/** The command did not run: there was no go, or with `problem` the system could not start it. */
export interface NeverStartedRecord {
  readonly kind: "never-started";
  readonly problem?: string;
}

export type ExitRecord = ExitedRecord | NeverStartedRecord;

export interface CallRecord {
  readonly effectKey: string;
  readonly startedAt: number;
  /** One line. */
  readonly summary: string;
}

export function readIdentity(folder: string): SpoolIdentity | undefined {
  const found = readRecord<SpoolIdentity>(folder, SPOOL_FILES.identity);
  return isPid(found?.group) && isPid(found.identity?.pid) ? found : undefined;
}

export function readExit(folder: string): ExitRecord | undefined {
  const found = readRecord<ExitRecord>(folder, SPOOL_FILES.exit);
  return found?.kind === "exited" || found?.kind === "never-started" ? found : undefined;
}

/** Undefined where there is none, and where what is there is not JSON: then it says nothing. */
export function readRecord<T extends object>(folder: string, name: string): (Partial<T> & T) | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(join(folder, name), "utf8"));
    return typeof found === "object" && found !== null ? (found as T) : undefined;
  } catch {
    return undefined; // see above; a file that cannot be read proves nothing either
  }
}

/** 0 would be the group of who sends it a signal, and 1 the system's. */
function isPid(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 1;
}
