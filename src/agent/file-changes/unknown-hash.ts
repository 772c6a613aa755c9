// Stands for the content of a file that was seen and not read. The hash of nothing: no content equals it.
import type { Hash } from "../../ledger/types.ts";

export const UNKNOWN_HASH = "0".repeat(64) as Hash;
