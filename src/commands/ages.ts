// How long ago something was, in words. Ages, not clock times: they read the same in every zone.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS: readonly (readonly [name: string, ms: number])[] = [
  ["year", 365 * DAY],
  ["month", 30 * DAY],
  ["week", 7 * DAY],
  ["day", DAY],
  ["hour", HOUR],
  ["minute", MINUTE],
];

/** `12 minutes ago`; under a minute, or ahead of this clock: `just now`. */
export function ageOf(at: number, now: number): string {
  for (const [name, ms] of STEPS) {
    const count = Math.floor((now - at) / ms);
    if (count >= 1) return `${count} ${name}${count === 1 ? "" : "s"} ago`;
  }
  return "just now";
}
