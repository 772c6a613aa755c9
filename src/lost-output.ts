// What stdout did not take. A reader that went away stops the program; a full disk does not: what runs goes on, and the
// end says that its output is not all there.
import { SteleError } from "./ledger/errors.ts";
import { FlushWatch } from "./ui/flush-watch.ts";

export class LostOutput {
  #first: NodeJS.ErrnoException | undefined;
  #isStopped = false;
  #isTold = false;

  /** A reader that went away (`stele … | head`) stops the program as ctrl+c does: a turn is settled first. */
  watch(): void {
    process.stdout.on("error", (error: NodeJS.ErrnoException) => {
      if (isOfReader(error)) this.#stop();
      else this.#first ??= error;
    });
    process.stderr.on("error", (error: NodeJS.ErrnoException) => {
      if (isOfReader(error)) this.#stop();
    });
  }

  /** Resolves when it was taken; rejects with the system's error, which the caller tells. */
  pour(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => {
        if (!error) return resolve();
        this.#isTold = true;
        reject(error);
      });
    });
  }

  /** It did not read to the end; the signal came too late where nothing ran any more. */
  get isReaderGone(): boolean {
    return this.#isStopped;
  }

  /** When all is written that will be; undefined: nothing is missing, or it was told. */
  async problem(): Promise<SteleError | undefined> {
    await new FlushWatch(process.stdout).flushed();
    return this.#first && !this.#isTold ? cannotBeWritten(this.#first) : undefined;
  }

  #stop(): void {
    if (!this.#isStopped) process.kill(process.pid, "SIGINT");
    this.#isStopped = true;
  }
}

/** Of a pipe, or of a terminal that was closed. */
function isOfReader({ code }: NodeJS.ErrnoException): boolean {
  return code === "EPIPE" || code === "ECONNRESET" || process.stdout.isTTY;
}

function cannotBeWritten({ message }: Error): SteleError {
  return new SteleError("output_lost", `stdout cannot be written: ${message}. Not all of the output is there.`, {
    hint: "What was done is done, and an answer is in the ledger: stele -c shows it.",
  });
}
