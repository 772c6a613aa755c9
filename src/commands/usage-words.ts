// Numbers and durations of /usage as words.

export function numberWords(value: number): string {
  return value.toLocaleString("en-US");
}

/** `12 s`, `3 min 5 s`, `2 h 10 min`. */
export function durationWords(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** As long as its share of `width` cells, to an eighth; something that is not nothing is seen. */
export function barOf(share: number, width: number): string {
  const eighths = share <= 0 ? 0 : Math.max(1, Math.round(Math.min(1, share) * width * 8));
  return "█".repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? "");
}
