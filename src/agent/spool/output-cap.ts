// Keeps a command's output below a size while it runs: the head stays, what follows is cut again and again, and in the
// end the last bytes before the newest cut are put back, so that head and true tail are there. For the supervisor.
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import type { OutputCut } from "./records.ts";

/** What is remembered of the bytes before a cut, at most. */
const TAIL_BYTES = 1024 * 1024;
const CATCH_UP_ROUNDS = 16;

export interface OutputCap {
  /** Cuts when the file is over its size; looking often is the caller's. Gives the bytes that came since. */
  look(): number;
  /** Call once, when the command has ended. */
  restoreTail(): void;
  readonly cut: OutputCut | undefined;
}

export interface CappedFile {
  /** Opened for appending. */
  readonly fd: number;
  readonly path: string;
  /** In bytes. */
  readonly cap: number;
}

export function createOutputCap({ fd, path, cap }: CappedFile): OutputCap {
  const head = Math.floor(cap / 2);
  const keptTail = Math.min(TAIL_BYTES, head);
  let tail: Buffer = Buffer.alloc(0);
  let dropped = 0;
  let seen = 0;

  function cutAt(size: number): void {
    let end = size;
    tail = lastOf([tail, readRange(path, Math.max(head, end - keptTail), end)], keptTail);
    // A command that writes meanwhile is caught up with. What it still writes between the last of these looks and the
    // cut, a few microseconds, is lost uncounted: there is no way to cut and look at once.
    for (let round = 0; round < CATCH_UP_ROUNDS; round += 1) {
      const now = fstatSync(fd).size;
      if (now === end) break;
      tail = lastOf([tail, readRange(path, Math.max(end, now - keptTail), now)], keptTail);
      end = now;
    }
    ftruncateSync(fd, head); // appending goes on there
    dropped += end - head;
    seen = head;
  }

  return {
    look() {
      const { size } = fstatSync(fd);
      const grown = size - seen;
      seen = size;
      if (size > cap) cutAt(size);
      return grown;
    },
    restoreTail() {
      const { size } = fstatSync(fd);
      if (size > cap) cutAt(size);
      const rest = fstatSync(fd).size - head;
      if (dropped === 0 || rest >= keptTail) return;
      const since = readRange(path, head, head + rest);
      const before = tail.subarray(tail.length - Math.min(tail.length, keptTail - rest));
      ftruncateSync(fd, head);
      writeAll(fd, Buffer.concat([before, since]));
      dropped -= before.length;
    },
    get cut() {
      return dropped > 0 ? { at: head, bytes: dropped } : undefined;
    },
  };
}

function lastOf(parts: readonly Buffer[], bytes: number): Buffer {
  const all = Buffer.concat(parts);
  return all.subarray(Math.max(0, all.length - bytes));
}

function readRange(path: string, start: number, end: number): Buffer {
  const found = Buffer.alloc(end - start);
  const fd = openSync(path, "r");
  try {
    let filled = 0;
    while (filled < found.length) {
      const count = readSync(fd, found, filled, found.length - filled, start + filled);
      if (count === 0) break;
      filled += count;
    }
    return found.subarray(0, filled);
  } finally {
    closeSync(fd);
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(fd, bytes, written);
}
