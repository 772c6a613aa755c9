// Ranking of short names against what a person types: prefixes before words before letters in order.

/** Smaller is better; undefined: no match. Both are compared without case. An empty query matches all alike. */
export function matchRank(query: string, text: string): number | undefined {
  const wanted = query.toLowerCase();
  const name = text.toLowerCase();
  if (name.startsWith(wanted)) return name.length === wanted.length ? 0 : 1;
  const at = name.indexOf(wanted);
  if (at > 0) return /[\p{L}\p{N}]/u.test(name.charAt(at - 1)) ? 3 : 2;
  const spread = subsequenceSpread(wanted, name);
  return spread === undefined ? undefined : 4 + spread;
}

/** How many other characters stand between the first and the last letter found. */
function subsequenceSpread(wanted: string, name: string): number | undefined {
  let first = -1;
  let at = -1;
  for (const letter of wanted) {
    at = name.indexOf(letter, at + 1);
    if (at === -1) return undefined;
    if (first === -1) first = at;
  }
  return at - first + 1 - wanted.length;
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
