// Where one attempt of a call keeps what outlives this program, and whose folder a name is.
import path from "node:path";
import type { ToolCall } from "../ledger/types.ts";

/** Of the attempt that comes next. */
export function nextSpoolFolder(root: string, { effectKey, attempts }: ToolCall): string {
  return path.join(root, `${effectKey}.${attempts + 1}`);
}

export function effectKeyOf(folder: string): string {
  return path.basename(folder).replace(/\.\d+$/, "");
}
