// Ranking of short names against what a person types: prefixes before words before letters in order.

/** Smaller is better; undefined: no match. Both are compared without case. An empty query matches all alike. */
export function matchRank(query: string, text: string): number | undefined {
  return rankFolded(query.toLowerCase(), text.toLowerCase());
}

/** The same for texts that are in lower case already. */
export function rankFolded(wanted: string, name: string): number | undefined {
  if (name.startsWith(wanted)) return name.length === wanted.length ? 0 : 1;
  const at = name.indexOf(wanted);
  if (at > 0) return isInWord(name, at - 1) ? 3 : 2;
  const spread = subsequenceSpread(wanted, name);
  return spread === undefined ? undefined : 4 + spread;
}

/** Asked of every row at every key: the usual letters without a pattern. */
function isInWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90);
  return /[\p{L}\p{N}]/u.test(text.charAt(at));
}

/** Longer texts are sentences, where a few letters in order stand everywhere; one word, as a path, may be longer. */
const shortText = 64;
const longestWord = 256;

/** How many other characters stand between the first and the last letter found. */
function subsequenceSpread(wanted: string, name: string): number | undefined {
  const found = scattered(wanted, name);
  const [first, last] = [found?.[0], found?.at(-1)];
  return first === undefined || last === undefined ? undefined : last - first + 1 - wanted.length;
}

/** Where the letters stand, in order and in one word: closest together in the first word that has them. */
function scattered(wanted: string, name: string): readonly number[] | undefined {
  if (name.length > shortText && (name.length > longestWord || name.includes(" "))) return undefined;
  let end = -1;
  for (let at = name.indexOf(wanted.charAt(0)); at !== -1; at = name.indexOf(wanted.charAt(0), end)) {
    end = endOfWord(name, at);
    const last = lastLetter(wanted, name, at);
    if (last !== undefined && last < end) return fromBehind(wanted, name, last);
  }
  return undefined;
}

function endOfWord(name: string, at: number): number {
  const end = name.indexOf(" ", at);
  return end === -1 ? name.length : end;
}

function lastLetter(wanted: string, name: string, from: number): number | undefined {
  let at = from;
  for (let index = 1; index < wanted.length; index += 1) {
    at = name.indexOf(wanted.charAt(index), at + 1);
    if (at === -1) return undefined;
  }
  return at;
}

function fromBehind(wanted: string, name: string, last: number): readonly number[] {
  const places = [last];
  for (let index = wanted.length - 2, at = last; index >= 0; index -= 1) {
    at = name.lastIndexOf(wanted.charAt(index), at - 1);
    places.unshift(at);
  }
  return places;
}

/** Those that match, best first, equal ones in their own order. */
export function rankBy<Item>(items: readonly Item[], rank: (item: Item) => number | undefined): readonly Item[] {
  const ranked: { item: Item; rank: number }[] = [];
  for (const item of items) {
    const value = rank(item);
    if (value !== undefined) ranked.push({ item, rank: value });
  }
  return ranked.sort((a, b) => a.rank - b.rank).map((each) => each.item);
}

/** Where the letters stand that made `text` match: from and to, in order. None where case changes lengths. */
export function matchedRanges(query: string, text: string): readonly (readonly [from: number, to: number])[] {
  const wanted = query.toLowerCase();
  const name = text.toLowerCase();
  if (name.length !== text.length || wanted === "") return [];
  const whole = name.indexOf(wanted);
  if (whole !== -1) return [[whole, whole + wanted.length]];
  const ranges: [number, number][] = [];
  for (const at of scattered(wanted, name) ?? []) {
    const last = ranges.at(-1);
    if (last?.[1] === at) last[1] = at + 1;
    else ranges.push([at, at + 1]);
  }
  return ranges;
}
