// Which rule of the ledger is switched off: none. Only the soak builds a private program in which this file names
// one, to show that its counts see what that rule prevents. Nothing outside of such a build can set it.

export type BrokenRule = "fence" | "intent" | "settle";

export const brokenRule: BrokenRule | undefined = undefined as BrokenRule | undefined;
