// Whose unsent text a row of `drafts` is: its key names the terminal and the very process, so that two programs never
// write over each other's text, and so that only the text of a program whose death is proven is given to another.
import { decodeProcess } from "./codec.ts";
import { isSameProcess, livenessOf } from "./identity.ts";
import type { DraftHolder, ProcessIdentity } from "./types.ts";

export function windowKey(terminal: string, process: ProcessIdentity): string {
  return JSON.stringify({ ...process, terminal });
}

/** The terminal alone, where no process is named. */
export function terminalOf(key: string): string {
  const named = decodeProcess(key.startsWith("{") ? key : null);
  if (named === undefined || !("terminal" in named)) return key;
  return String(named.terminal);
}

/** Keys that name no process were written before keys did: nobody who could tell of it is there any more. */
export function holderOf(key: string, self: ProcessIdentity): DraftHolder {
  const holder = decodeProcess(key.startsWith("{") ? key : null);
  if (holder === undefined) return "dead";
  return isSameProcess(holder, self) ? "self" : livenessOf(holder, self);
}
