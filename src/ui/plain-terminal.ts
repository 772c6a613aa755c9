// Which terminals get lines instead of a screen: those that say they can do no more, those that say nothing about
// themselves, and those of people who listen. Loaded before the first frame: nothing else in here.

type Env = Readonly<Record<string, string | undefined>>;

/** Terminals that act on no escape sequence; an unknown one is taken for such. */
export function isDumb(env: Env): boolean {
  return ["", "dumb", "unknown", "network"].includes(env["TERM"] ?? "");
}

/** Besides the flag: set once in a person's shell it holds for every start. */
export function asksForLines(env: Env): boolean {
  const asked = env["STELE_SCREEN_READER"] ?? "";
  return asked !== "" && asked !== "0" && asked !== "false";
}
