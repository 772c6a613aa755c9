// Lengths of time as a person writes them: "30s", "1h30m", "2 d".

const UNIT_MS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };
const DURATION = /^(?:[\d.]+d)?(?:[\d.]+h)?(?:[\d.]+m)?(?:[\d.]+s)?$/;

/** In ms; undefined when it is no duration. A number without a unit is none: nobody knows what it means. */
export function parseDuration(text: string): number | undefined {
  const compact = text.replace(/\s+/g, "").toLowerCase();
  if (compact === "" || !DURATION.test(compact)) return undefined;
  let total = 0;
  for (const [, amount = "", unit = ""] of compact.matchAll(/([\d.]+)([dhms])/g)) {
    if (!/^\d+(\.\d+)?$/.test(amount)) return undefined;
    total += Number(amount) * (UNIT_MS[unit] ?? 0);
  }
  const ms = Math.round(total);
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** `1h30m`, `45s`: as `parseDuration` reads it, to the second. */
export function durationText(ms: number): string {
  let left = Math.max(1_000, Math.round(ms / 1_000) * 1_000);
  let text = "";
  for (const [unit, size] of Object.entries(UNIT_MS)) {
    const count = Math.floor(left / size);
    if (count > 0) text += `${count}${unit}`;
    left -= count * size;
  }
  return text;
}
