// Work beside a conversation that a turn must never wait for, at a server that perhaps does one thing at a time: it is
// broken off when a turn begins, and begun anew when nothing runs any more.
import type { Runner } from "./runner.ts";

/** Undefined: it was closed, or broken off so many times. */
export async function whileIdle<T>(
  runner: Pick<Runner, "listen" | "idle">,
  { closing, times }: { readonly closing: AbortSignal; readonly times: number },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  for (let time = 0; time < times; time += 1) {
    await runner.idle();
    if (closing.aborted) return undefined;
    const turn = new AbortController();
    const unlisten = runner.listen(({ type }) => {
      if (type === "turn-started") turn.abort();
    });
    try {
      const done = await work(AbortSignal.any([closing, turn.signal]));
      if (!turn.signal.aborted) return done;
    } finally {
      unlisten();
    }
  }
  return undefined;
}
