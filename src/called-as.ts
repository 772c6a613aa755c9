// How this program has to be called again so that it finds the same ledger, from any folder: a line to paste into a shell.
import path from "node:path";
import { shellQuote } from "./agent/shell-quote.ts";

export interface LedgerFlags {
  readonly home?: string;
  readonly profile?: string;
  readonly ledger?: string;
}

export function calledAs({ home, profile, ledger }: LedgerFlags): string {
  const flags = [
    ...(home === undefined ? [] : ["--home", whole(home)]),
    ...(profile === undefined ? [] : ["--profile", profile]),
    ...(ledger === undefined ? [] : ["--ledger", whole(ledger)]),
  ];
  return ["stele", ...flags.map(shellQuote)].join(" ");
}

/** The person's folder is resolved by whoever reads the flag. */
function whole(file: string): string {
  return file === "~" || file.startsWith("~/") ? file : path.resolve(file);
}
