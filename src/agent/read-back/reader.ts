// What a reader of shell commands is: it finds out in the outside world whether a command that left no exit record
// happened. It only looks and never changes anything; what it cannot prove it calls unknown.

export type Verdict = "done" | "not-done" | "unknown";

export interface ReadBack {
  readonly verdict: Verdict;
  /** One line; holds words of other programs and of commits, so it is to be sanitised before a terminal sees it. */
  readonly evidence: string;
}

export interface ReadContext {
  /** Where the command ran. Absolute. */
  readonly cwd: string;
  /** Not later than the start of the command, in ms. */
  readonly startedAt: number;
  readonly effectKey: string;
  readonly signal?: AbortSignal;
}

/** Words are those of one simple command, as the shell passes them on. */
export interface Reader {
  matches(words: readonly string[]): boolean;
  read(words: readonly string[], context: ReadContext): Promise<ReadBack>;
}

const MAX_EVIDENCE = 300;

export function verdictOf(verdict: Verdict, evidence: string): ReadBack {
  const line = withoutPasswords(evidence).replace(/\s+/g, " ").trim();
  return { verdict, evidence: line.length > MAX_EVIDENCE ? `${line.slice(0, MAX_EVIDENCE - 1)}…` : line };
}

export function unknown(evidence: string): ReadBack {
  return verdictOf("unknown", evidence);
}

export function cannotBeRead(why?: string): ReadBack {
  return unknown(why === undefined ? "cannot be read back" : `cannot be read back: ${why}`);
}

/** Addresses of remotes may carry a password or a token. */
function withoutPasswords(text: string): string {
  return text.replace(/:\/\/[^\s/@]+@/g, "://");
}
