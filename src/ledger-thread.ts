// The first lines of the ledger's thread: its code is in a pack beside it, taken with what V8 kept of it.
import { type BundleFiles, loadBundle } from "./code-cache.ts";

declare const __STELE_BUNDLE__: BundleFiles;

const { exports, keep } = loadBundle<typeof import("./ledger/worker.ts")>(__STELE_BUNDLE__);
exports.serve(keep);
