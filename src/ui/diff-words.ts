// The words that changed between two lines. Bounded: what both begin and end with is set aside, and only a short middle
// is compared word by word; of a longer one all is marked. Lines that have little in common are not marked at all.

/** From and to, in characters of the line. */
export type Range = readonly [start: number, end: number];

export interface WordMarks {
  readonly before: readonly Range[];
  readonly after: readonly Range[];
}

const maxLine = 2_000;
/** Words of the one times words of the other. */
const maxPairs = 10_000;
const minCommon = 0.3;

export function changedWords(before: string, after: string): WordMarks | undefined {
  if (before.length > maxLine || after.length > maxLine || before === after) return undefined;
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const start = commonStart(old, now);
  const end = commonEnd(old.slice(start), now.slice(start));
  const middle = compare(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const kept = (words: readonly string[], own: readonly boolean[]) =>
    words.map((_, index) => index < start || index >= words.length - end || own[index - start] === true);
  const [keptOld, keptNow] = [kept(old, middle.old), kept(now, middle.now)];
  const common = letters(old.filter((_, index) => keptOld[index] === true));
  if (common < minCommon * Math.max(letters(old), letters(now))) return undefined;
  return { before: rangesOf(old, keptOld), after: rangesOf(now, keptNow) };
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}\p{M}_]+|\s+|[^\p{L}\p{N}\p{M}_\s]/gu) ?? [];
}

function letters(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + word.trim().length, 0);
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && a[count] === b[count]) count += 1;
  return count;
}

function commonEnd(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < Math.min(a.length, b.length) && a.at(-1 - count) === b.at(-1 - count)) count += 1;
  return count;
}

interface Kept {
  readonly old: readonly boolean[];
  readonly now: readonly boolean[];
}

/** The longest common row of words. */
function compare(old: readonly string[], now: readonly string[]): Kept {
  const kept = { old: old.map(() => false), now: now.map(() => false) };
  if (old.length * now.length > maxPairs) return kept;
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  const at = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = now.length - 1; column >= 0; column -= 1) {
      const own = lengths[row];
      const isSame = old[row] === now[column];
      if (own) own[column] = isSame ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  for (let row = 0, column = 0; row < old.length && column < now.length; ) {
    if (old[row] === now[column]) {
      kept.old[row] = true;
      kept.now[column] = true;
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return kept;
}

/** Of what is not kept; a blank between two of them belongs to both. */
function rangesOf(words: readonly string[], kept: readonly boolean[]): readonly Range[] {
  const ranges: [number, number][] = [];
  let at = 0;
  words.forEach((word, index) => {
    const isBetween = word.trim() === "" && kept[index - 1] === false && kept[index + 1] === false;
    if (kept[index] === false || isBetween) {
      const last = ranges.at(-1);
      if (last?.[1] === at) last[1] = at + word.length;
      else ranges.push([at, at + word.length]);
    }
    at += word.length;
  });
  return ranges;
}
