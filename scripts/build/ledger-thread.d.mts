/** Writes `worker.cjs` and its pack into the folder, which is there. */
export function bundleLedgerThread(folder: string): Promise<void>;
