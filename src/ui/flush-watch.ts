// Whether what was written to a stream has been taken: by the word of its write callback, and never again once a
// write has failed. A stream that somebody stopped reading may take an empty write and lose the text before it.

export interface WatchedStream {
  write(text: string, done: (error?: Error | null) => void): unknown;
  on(name: "error", listener: () => void): unknown;
}

export class FlushWatch {
  readonly #stream: WatchedStream;
  #isBroken = false;

  /** From here on: failures before are not heard of. */
  constructor(stream: WatchedStream) {
    this.#stream = stream;
    stream.on("error", () => {
      this.#isBroken = true;
    });
  }

  /** All that was written up to now; false: the stream is broken. */
  flushed(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#stream.write("", (error) => resolve(!error && !this.#isBroken));
    });
  }
}
