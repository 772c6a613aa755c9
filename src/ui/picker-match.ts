// Which of a long list fit what is typed, best first. Pure, and quick enough for tens of thousands at every key: what
// is compared is folded once a list, what fitted the beginning of a query is all that can fit the rest, and ranks are
// sorted by counting.
import { matchedRanges, rankFolded } from "./fuzzy.ts";
import type { PickerItem } from "./picker-state.ts";

interface Folded {
  readonly label: string;
  readonly rest: string;
}

const foldedLists = new WeakMap<readonly PickerItem[], readonly Folded[]>();

function foldedOf(items: readonly PickerItem[]): readonly Folded[] {
  const known = foldedLists.get(items);
  if (known) return known;
  const made = items.map(folded);
  foldedLists.set(items, made);
  return made;
}

const foldedItems = new WeakMap<PickerItem, Folded>();

/** Once an item: a list that is read on has the same ones again. */
function folded(item: PickerItem): Folded {
  const known = foldedItems.get(item);
  if (known) return known;
  const { label, detail = "", search = "" } = item;
  const made = { label: label.toLowerCase(), rest: `${detail}\n${search}`.toLowerCase() };
  foldedItems.set(item, made);
  return made;
}

/** Made before the first key, so that it does not wait. */
export function prepareMatching(items: readonly PickerItem[]): void {
  foldedOf(items);
}

export interface Matches {
  /** Indices that fit, in the order of the items: what a longer query is looked for in. */
  readonly hits: readonly number[];
  /** The same, best first, equal ones in their own order. */
  readonly ranked: readonly number[];
}

export function queryWords(query: string): readonly string[] {
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}

const worst = 200;

/** Every word has to fit. `among`: the hits of a query that this one begins with. */
export function matchItems(items: readonly PickerItem[], query: string, among?: readonly number[]): Matches {
  const words = queryWords(query);
  const all = foldedOf(items);
  const hits: number[] = [];
  const byRank: (number[] | undefined)[] = Array.from({ length: worst + 1 });
  const look = (index: number): void => {
    const rank = rankOf(all[index], words);
    if (rank === undefined) return;
    hits.push(index);
    const alike = byRank[rank];
    if (alike) alike.push(index);
    else byRank[rank] = [index];
  };
  if (among) for (const index of among) look(index);
  else for (let index = 0; index < items.length; index += 1) look(index);
  const ranked: number[] = [];
  for (const alike of byRank) if (alike) for (const index of alike) ranked.push(index);
  return { hits, ranked };
}

/** In another text than the label: behind those whose label has the word, before those with scattered letters. */
const elsewhere = 4;

/** For words that do not stand together as they were typed. */
const apart = 2;

function rankOf(item: Folded | undefined, words: readonly string[]): number | undefined {
  if (!item) return undefined;
  let sum = 0;
  for (const word of words) {
    const rank = rankFolded(word, item.label);
    if (rank !== undefined && rank < elsewhere) sum += rank;
    else if (item.rest.includes(word)) sum += elsewhere;
    else if (rank === undefined) return undefined;
    else sum += rank + 1;
  }
  if (words.length > 1 && !standTogether(item, words.join(" "))) sum += apart * words.length;
  return Math.min(sum, worst);
}

function standTogether({ label, rest }: Folded, phrase: string): boolean {
  return label.includes(phrase) || rest.includes(phrase);
}

/** Where what made the item fit stands in `shown`, which may be a part of its label: from and to. */
export function marksIn(item: PickerItem, words: readonly string[], shown: string) {
  if (words.length === 0) return [];
  const { label, rest } = folded(item);
  return words.flatMap((word) => {
    // Letters that happen to be there are no hit where the word stands in a part that is not shown.
    const isWhole = label.includes(word) || rest.includes(word);
    return isWhole && !shown.toLowerCase().includes(word) ? [] : matchedRanges(word, shown);
  });
}
