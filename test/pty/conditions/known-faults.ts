// What is known to be wrong, where, and why: such findings are counted by the soak and do not fail a run; any other
// finding in the same cell does. An entry goes when what it names is mended.
import type { Cell, Condition } from "./cells.ts";
import type { Finding, Kind } from "./findings.ts";

interface KnownFault {
  readonly condition: Condition;
  readonly kinds: readonly Kind[];
  readonly why: string;
}

export const knownFaults: readonly KnownFault[] = [];

export function isKnown({ condition }: Cell, { kind }: Finding): boolean {
  return knownFaults.some((fault) => fault.condition === condition && fault.kinds.includes(kind));
}
