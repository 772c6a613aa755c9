// The terminal of a person who works in lines: the terminal itself edits and echoes them, no mode of it is touched and
// no sequence is written. Ends like the screen's guard: no hang-up and no failed write ends the program before what has
// to be saved is saved. ctrl+z and fg are the terminal's own here.
import { StringDecoder } from "node:string_decoder";
import { neverBlock } from "./output-pace.ts";
import type { GuardOptions, TerminalGuard } from "./terminal-guard.ts";

export interface LineHandlers {
  readonly onLine: (line: string) => void;
  readonly onInterrupt: () => void;
  readonly onEnd: () => void;
}

type Listener = readonly [NodeJS.EventEmitter, string, (reason: unknown) => void];
/** Heard until the process is gone: without a listener each of these ends it, before it has saved. */
const lasting: ReadonlySet<string> = new Set(["error", "SIGHUP", "SIGTERM", "SIGINT"]);

export function guardLines(
  { onSignal, onCrash }: Pick<GuardOptions, "onSignal" | "onCrash">,
  { onLine, onInterrupt, onEnd }: LineHandlers,
): TerminalGuard {
  const { stdin, stdout, stderr } = process;
  let isClosed = false;
  let isGone = false;
  let isLent = false;
  const { read, flush } = lineReader(onLine);
  const hangUp = (): void => {
    if (!isGone) onSignal("SIGHUP");
    isGone = true;
  };
  const interrupt = (): void => {
    if (isLent) return;
    if (isClosed) onSignal("SIGINT");
    else onInterrupt();
  };
  const end = (): void => {
    if (isClosed || isGone) return;
    flush();
    onEnd();
  };
  const listeners: readonly Listener[] = [
    [process, "SIGTERM", () => onSignal("SIGTERM")],
    [process, "SIGINT", interrupt],
    [process, "SIGHUP", hangUp],
    [process, "uncaughtException", onCrash],
    [process, "unhandledRejection", onCrash],
    [stdout, "error", hangUp],
    [stderr, "error", hangUp],
    [stdin, "error", hangUp],
    [stdin, "end", end],
  ];
  stdout.removeAllListeners("error");
  neverBlock();
  for (const [emitter, name, listener] of listeners) emitter.on(name, listener);
  const take = (): void => {
    stdin.ref();
    stdin.on("data", read);
    stdin.resume();
  };
  const give = (): void => {
    flush();
    stdin.off("data", read);
    stdin.pause();
    stdin.unref();
  };
  take();
  return {
    suspend() {
      process.kill(0, "SIGTSTP");
    },
    lend() {
      isLent = true;
      give();
      return () => {
        isLent = false;
        if (!isClosed && !isGone) take();
      };
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      give();
      for (const [emitter, name, listener] of listeners) {
        if (!lasting.has(name)) emitter.off(name, listener);
      }
    },
  };
}

/** In ms: nobody types two lines within that. What is pasted comes like this, and is one text. */
const burstMs = 20;

/** Bytes in, whole lines out; lines that come together are one text of several lines. */
function lineReader(onLine: (line: string) => void): LineReader {
  const utf8 = new StringDecoder("utf8");
  let rest = "";
  let burst: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    const lines = burst;
    burst = [];
    if (lines.length > 0) onLine(lines.join("\n"));
  };
  const read = (bytes: Buffer): void => {
    const lines = (rest + utf8.write(bytes)).split("\n");
    rest = lines.pop() ?? "";
    burst.push(...lines.map((line) => line.replace(/\r$/, "")));
    clearTimeout(timer);
    timer = setTimeout(flush, burstMs);
  };
  return { read, flush };
}

interface LineReader {
  readonly read: (bytes: Buffer) => void;
  /** What came is told at once. */
  readonly flush: () => void;
}
