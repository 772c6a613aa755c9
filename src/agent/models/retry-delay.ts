// How long a provider asks to wait before the same request is worth repeating, in ms: from its headers (seconds,
// milliseconds or an HTTP date), else from its words ("try again in 1.5s") or the detail that Google sends.

/** `now` is ms since the epoch: what an HTTP date counts from. `said` is the error's body. */
export function retryDelay(headers: Headers | undefined, said: string, now: number): number | undefined {
  return fromHeaders(headers, now) ?? fromWords(said);
}

function fromHeaders(headers: Headers | undefined, now: number): number | undefined {
  const exact = headers?.get("retry-after-ms");
  if (exact && /^\d+(\.\d+)?$/.test(exact.trim())) return Math.ceil(Number(exact));
  const text = headers?.get("retry-after")?.trim();
  if (text === undefined || text === "") return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

const IN_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

function fromWords(said: string): number | undefined {
  const found = /(?:"retryDelay"\s*:\s*"|(?:try again|retry) in )((?:\d+(?:\.\d+)?(?:ms|h|m|s))+)/i.exec(said)?.[1];
  if (found === undefined) return undefined;
  let ms = 0;
  for (const [, count, unit] of found.toLowerCase().matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)) {
    ms += Number(count) * IN_MS[unit as keyof typeof IN_MS];
  }
  return Math.ceil(ms);
}
