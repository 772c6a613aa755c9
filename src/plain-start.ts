// Starts that need no parser: the first frame does not wait for it. It reads these words the same way.
import type { Globals } from "./commands/dispatch.ts";

const noFlags: Globals = {
  continue: false,
  yes: false,
  readOnly: false,
  json: false,
  runQueued: false,
  noColor: false,
  screenReader: false,
};

const oneFlag = new Map<string, Partial<Globals>>([
  ["-c", { continue: true }],
  ["--continue", { continue: true }],
  ["-r", { resume: "" }],
  ["--resume", { resume: "" }],
  ["--screen-reader", { screenReader: true }],
]);

/** What these words ask of the screen; undefined where they have to be parsed. */
export function plainStart(argv: readonly string[]): Globals | undefined {
  const [word, ...more] = argv;
  if (word === undefined) return noFlags;
  const flag = more.length === 0 ? oneFlag.get(word) : undefined;
  return flag && { ...noFlags, ...flag };
}
