// Names like the one that was asked for, for results that say "there is no such".
import { distance } from "fastest-levenshtein";

/** At most three, nearest first; none when nothing is near. */
export function nearestNames(name: string, known: readonly string[]): readonly string[] {
  const wanted = name.toLowerCase();
  return known
    .map((candidate) => ({ candidate, far: distance(wanted, candidate.toLowerCase()) }))
    .filter(({ candidate, far }) => far <= Math.max(2, Math.ceil(Math.max(wanted.length, candidate.length) / 2)))
    .toSorted((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}
