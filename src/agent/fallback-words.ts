// What is said where another model takes over a turn: that it does, and what of the route it does not have.

export interface TakenOver {
  /** `provider/model` */
  readonly from: string;
  readonly to: string;
  /** The level that was set, and which the other model does not have. */
  readonly lostEffort?: string;
  readonly error: { readonly message: string };
}

/** Two lines, raw. */
export function fallbackWords({ from, to, lostEffort, error }: TakenOver): readonly [string, string] {
  const lost = lostEffort === undefined ? "" : ` It has no effort "${lostEffort}", so it has its default.`;
  return [`No answer of ${from}: ${error.message}`, `The fallback ${to} answers the rest of this turn.${lost}`];
}
