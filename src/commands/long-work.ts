// Work that may take long and can be stopped: on the screen by escape, without one by a signal, which then leaves nothing
// half done behind.
import type { FreeContext } from "./command.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export async function stoppable<T>(
  { signal, onProgress }: Pick<FreeContext, "signal" | "onProgress">,
  action: (work: { signal: AbortSignal; onProgress?: (line: string) => void }) => Promise<T>,
): Promise<T> {
  const told = onProgress ? { onProgress: paced(onProgress) } : {};
  if (signal) return action({ signal, ...told });
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  for (const each of SIGNALS) process.on(each, onSignal);
  try {
    return await action({ signal: stop.signal, ...told });
  } finally {
    for (const each of SIGNALS) process.off(each, onSignal);
  }
}

const TOLD_MS = 500;

/** What is over at once tells nothing. */
function paced(tell: (line: string) => void): (line: string) => void {
  let last = Date.now();
  return (line) => {
    if (Date.now() - last < TOLD_MS) return;
    last = Date.now();
    tell(line);
  };
}

/** 12 B, 3.4 KB, 1.2 MB. */
export function sizeWords(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1_000, "KB"] : [bytes / 1_000_000, "MB"];
  return `${size.toFixed(1)} ${unit}`;
}
