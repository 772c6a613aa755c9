// Small words and limits of the way out.

/** In ms: how long a turn gets to end (a command that ignores TERM takes 5 s), and then the ledger to close. */
export const patience = { answer: 100, turn: 6_000, shutdown: 4_000, crashTurn: 2_000, draft: 300, exit: 100 };

export function waitingWords(count: number): string {
  return count === 1 ? "1 prompt waits: /queue" : `${count} prompts wait: /queue`;
}

/** Resolves at the latest after `ms`; what goes wrong is over with it: the process ends. */
export async function within(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise.catch(() => undefined), limit]);
  clearTimeout(timer);
}
