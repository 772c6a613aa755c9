// The output of a command while it runs, for the screen: what is new is read a few times a second, decoded, and handed
// on. A reader that falls far behind skips, and says so; the result is read from the file itself (spool-output.ts).
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { type OutputCut, readRecord, SPOOL_FILES } from "./records.ts";

const CHUNK_BYTES = 64 * 1024;
const MAX_BEHIND_BYTES = 4 * 1024 * 1024;
/** Between two looks while it grows, and at most, in ms. */
const LOOK_MS = { growing: 40, most: 200 };

export interface Followed {
  /** Hands on what is there by now, and ends. */
  finish(): Promise<void>;
}

export function followOutput(folder: string, onOutput: (chunk: string) => void): Followed {
  let isOver = false;
  let wake: () => void = () => undefined;
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  async function follow(): Promise<void> {
    const handle = await open(join(folder, SPOOL_FILES.output), "r").catch(() => undefined);
    if (!handle) return; // nothing to see: a folder without output
    const reader = createReader(folder, handle);
    try {
      for (let ms = LOOK_MS.growing; ; ) {
        const isLast = isOver;
        const grew = await reader.readNew(onOutput);
        if (isLast) return;
        ms = grew ? LOOK_MS.growing : Math.min(ms * 1.5, LOOK_MS.most);
        if (!isOver) await pause(ms);
      }
    } finally {
      await handle.close();
    }
  }

  const following = follow();
  following.catch(() => undefined); // told by finish()
  return {
    finish() {
      isOver = true;
      wake();
      return following;
    },
  };
}

function createReader(folder: string, handle: FileHandle) {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let decoder = new TextDecoder();
  let at = 0;

  function jumpTo(place: number, onOutput: (chunk: string) => void): void {
    const left = decoder.decode();
    decoder = new TextDecoder();
    at = place;
    onOutput(`${left}\n[some of the output is not shown here]\n`);
  }

  return {
    async readNew(onOutput: (chunk: string) => void): Promise<boolean> {
      const { size } = await handle.stat();
      // Cut by the cap: what follows begins at the cut.
      if (size < at) jumpTo(Math.min(size, readRecord<OutputCut>(folder, SPOOL_FILES.cut)?.at ?? size), onOutput);
      if (size - at > MAX_BEHIND_BYTES) jumpTo(size - CHUNK_BYTES, onOutput);
      const start = at;
      while (at < size) {
        const { bytesRead } = await handle.read(chunk, 0, Math.min(CHUNK_BYTES, size - at), at);
        if (bytesRead === 0) break;
        at += bytesRead;
        const text = decoder.decode(chunk.subarray(0, bytesRead), { stream: true });
        if (text !== "") onOutput(text);
      }
      return at > start;
    },
  };
}
