/** Writes `worker.cjs` and its pack into the folder, which is there. */
export function bundleLedgerThread(place: { readonly root: string; readonly folder: string }): Promise<void>;
