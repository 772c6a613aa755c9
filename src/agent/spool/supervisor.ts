// A program of its own, one for each command: `node supervisor.cjs FOLDER`, leader of the command's process group. It
// records who it is, waits for the word, starts the command, and records how it ended; it outlives the one who started
// it. Every record is on disk before the step that it announces. Loads little: its start is paid for by every command.
import { type ChildProcess, spawn } from "node:child_process";
import {
  closeSync,
  createReadStream,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { currentProcess } from "../../ledger/identity.ts";
import { isGroupRunning } from "../tools/process-group.ts";
import { createOutputCap, type OutputCap } from "./output-cap.ts";
import {
  type ExitedRecord,
  type ExitRecord,
  GO,
  type OutputCut,
  SPOOL_FILES,
  type SupervisorOrder,
  type SupervisorWord,
} from "./records.ts";

const [, , folder = ""] = process.argv;

/** They are meant for the command, which shares the group; USR1 would open Node's debugger. */
const NOT_FOR_US = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGALRM"] as const;

/** Between two looks at the size of the output, in ms: while it grows fast, otherwise, and after the command's end. */
const LOOK_MS = { fast: 25, slow: 250, left: 1_000 };
const FAST_BYTES = 1024 * 1024;

/** Room for the exit record, taken before the command can fill the disk. */
const RESERVED_BYTES = 1024;
const RESERVED = `${SPOOL_FILES.exit}.part`;

let input = "";

for (const signal of NOT_FOR_US) process.on(signal, () => undefined);
try {
  main();
} catch (error) {
  tell({ kind: "problem", problem: wordsOf(error) });
  process.exit(1);
}

function main(): void {
  const line = readLine();
  if (line === undefined) return neverStarted();
  const order = JSON.parse(line) as SupervisorOrder;
  const identity = { identity: currentProcess("stele-supervisor"), group: process.pid };
  writeRecord(SPOOL_FILES.identity, identity);
  tell({ kind: "ready", identity });
  if (readLine() !== GO) return neverStarted();
  recordGo();
  start(order);
}

function neverStarted(problem?: string): never {
  writeRecord(SPOOL_FILES.exit, { kind: "never-started", ...(problem !== undefined && { problem }) });
  tell({ kind: "recorded" });
  process.exit(0);
}

function recordGo(): void {
  const reserved = openSync(join(folder, RESERVED), "w", 0o600);
  writeSync(reserved, " ".repeat(RESERVED_BYTES));
  closeSync(reserved);
  const fd = openSync(join(folder, SPOOL_FILES.go), "w", 0o600);
  fsyncSync(fd);
  closeSync(fd);
  syncFolder();
}

function start({ command, cwd, shell, env, cap }: SupervisorOrder): void {
  const path = join(folder, SPOOL_FILES.output);
  const fd = openSync(path, "a", 0o600);
  let child: ChildProcess;
  try {
    // A file, not a pipe: nothing of ours has to live for the command to go on writing, and no reader can hold it up.
    child = spawn(shell, ["-c", command], { cwd, env: { ...process.env, ...env }, stdio: ["ignore", fd, fd] });
  } catch (error) {
    return neverStarted(wordsOf(error)); // too long for the system
  }
  child.once("error", (error) => {
    if (child.pid === undefined) neverStarted(error.message);
  });
  const output = createOutputCap({ fd, path, cap });
  const look = () => {
    const known = output.cut?.bytes;
    const grown = output.look();
    if (output.cut && output.cut.bytes !== known) tellCut(output.cut);
    timer = setTimeout(look, grown > FAST_BYTES ? LOOK_MS.fast : LOOK_MS.slow);
  };
  let timer = setTimeout(look, LOOK_MS.fast);
  // Not "close": that would wait for what the command left in the background.
  child.once("exit", (code, signal) => {
    clearTimeout(timer);
    void finish({ fd, path, output, code, signal });
  });
}

/** Only for those who read along. */
function tellCut(cut: OutputCut): void {
  try {
    writeRecord(SPOOL_FILES.cut, cut, "unsynced");
  } catch {
    // No room for it: they see a jump in the output that is not explained until the end.
  }
}

interface Ended {
  readonly fd: number;
  readonly path: string;
  readonly output: OutputCap;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

async function finish(ended: Ended): Promise<void> {
  const { code, signal } = ended;
  const output = await keepOutput(ended).catch((error: unknown) => ({
    // A full disk, mostly. The status is known all the same.
    bytes: fstatSync(ended.fd).size,
    problem: wordsOf(error),
  }));
  const dropped = ended.output.cut;
  writeRecord(SPOOL_FILES.exit, { kind: "exited", code, signal, ...output, ...(dropped && { dropped }) });
  tell({ kind: "recorded" });
  for (const pipe of [0, 1]) closeSync(pipe); // nobody waits for more
  await keepSmall(ended.fd, output.bytes);
  process.exit(0);
}

/**
 * What the command left in the background goes on writing, also when the file's name is gone with its result: until its
 * processes have ended the file is cut again and again, or it would fill the disk where nobody sees it. `bytes`: what was
 * recorded of it, which stays as long as somebody may read it.
 */
async function keepSmall(fd: number, bytes: number): Promise<void> {
  const group = { id: process.pid, supervisor: process.pid };
  let pause = LOOK_MS.fast;
  while (await isGroupRunning(group)) {
    const { nlink, size } = fstatSync(fd);
    const kept = nlink === 0 ? 0 : bytes;
    const isTooLarge = size > kept + FAST_BYTES;
    if (isTooLarge) ftruncateSync(fd, kept);
    pause = isTooLarge ? LOOK_MS.fast : Math.min(pause * 2, LOOK_MS.left);
    await delay(pause);
  }
}

async function keepOutput({ fd, path, output }: Ended): Promise<Pick<ExitedRecord, "bytes" | "sha256">> {
  output.restoreTail();
  fsyncSync(fd);
  const bytes = fstatSync(fd).size;
  return { bytes, sha256: await hashOf(path, bytes) };
}

async function hashOf(path: string, bytes: number): Promise<string> {
  // Loaded here, while nobody waits for the start any more.
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256");
  if (bytes > 0) {
    for await (const chunk of createReadStream(path, { end: bytes - 1, highWaterMark: 1024 * 1024 })) {
      hash.update(chunk as Buffer);
    }
  }
  return hash.digest("hex");
}

function writeRecord(name: string, record: ExitRecord | object, sync: "synced" | "unsynced" = "synced"): void {
  const part = join(folder, `${name}.part`);
  // "r+" keeps the reserved room: the spaces after the record are no part of the JSON.
  const fd = openPart(part);
  writeSync(fd, JSON.stringify(record), 0);
  if (sync === "synced") fsyncSync(fd);
  closeSync(fd);
  renameSync(part, join(folder, name));
  if (sync === "synced") syncFolder();
}

function openPart(part: string): number {
  try {
    return openSync(part, "r+");
  } catch {
    return openSync(part, "w", 0o600); // nothing was reserved under this name
  }
}

function syncFolder(): void {
  const fd = openSync(folder, "r");
  fsyncSync(fd);
  closeSync(fd);
}

/** Blocks: there is nothing else to do. Undefined at the end of input. */
function readLine(): string | undefined {
  const chunk = Buffer.alloc(64 * 1024);
  const parts: Buffer[] = [];
  for (;;) {
    const end = input.indexOf("\n");
    if (end >= 0) {
      const line = input.slice(0, end);
      input = input.slice(end + 1);
      return line;
    }
    const count = readSync(0, chunk);
    if (count === 0) return undefined;
    parts.push(Buffer.from(chunk.subarray(0, count)));
    if (chunk.subarray(0, count).includes(10)) input += Buffer.concat(parts.splice(0)).toString("utf8");
  }
}

function tell(word: SupervisorWord): void {
  try {
    writeSync(1, `${JSON.stringify(word)}\n`);
  } catch {
    // The one who started this is gone; what matters is on disk.
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
