// Ends processes that a test knows by a number it read: 0 would be the group of the test run itself, and so would be an
// empty text.

/** A process, or with `group` all of its group. Throws for what is no number of one. */
export function killNow(pid: number | string, { group = false } = {}): void {
  const number = typeof pid === "number" ? pid : /^\s*\d+\s*$/.test(pid) ? Number(pid) : Number.NaN;
  if (!Number.isInteger(number) || number <= 1) throw new Error(`${JSON.stringify(pid)} is no process of a test`);
  process.kill(group ? -number : number, "SIGKILL");
}
