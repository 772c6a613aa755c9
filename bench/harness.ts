// How every bench measures: all sides in one run, one after the other in each round and in another order each
// time, so that a machine that drifts slows them alike. What is judged is a ratio of medians, never a time.

/** What the benches are given. */
export interface Bench {
  readonly root: string;
  /** A folder of this run: bundles lie in it, data goes into it. It is removed afterwards. */
  readonly folder: string;
  readonly isQuick: boolean;
}

export interface Side {
  readonly name: string;
  /** One measurement, in the unit of the bench. What should not count happens outside of what it times. */
  readonly measure: () => number | Promise<number>;
}

export interface Figure {
  readonly what: string;
  readonly unit: "µs" | "ms" | "KiB" | "MiB";
  readonly base: { readonly name: string; readonly median: number };
  readonly median: number;
  readonly ratio: number;
  /** The ratio may be at most this; absent where it is only looked at. */
  readonly target?: number;
  readonly stretch?: number;
}

export interface Rounds {
  readonly rounds: number;
  /** Measured and thrown away. */
  readonly warmUp: number;
}

/** The measurements of each side, by its name. */
export async function interleave(sides: readonly Side[], { rounds, warmUp }: Rounds): Promise<Map<string, number[]>> {
  const measured = new Map(sides.map((side) => [side.name, [] as number[]]));
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const side of inOrder(sides, Math.abs(round))) {
      const value = await side.measure();
      if (round >= 0) measured.get(side.name)?.push(value);
    }
  }
  return measured;
}

/** Everybody is first in turn, and what runs before whom changes too: forwards in one round, backwards in the next. */
function inOrder<T>(items: readonly T[], round: number): readonly T[] {
  const at = Math.floor(round / 2) % items.length;
  const rotated = [...items.slice(at), ...items.slice(0, at)];
  return round % 2 === 0 ? rotated : rotated.reverse();
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const high = sorted[middle];
  if (high === undefined) throw new Error("nothing was measured");
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? high) + high) / 2;
}

export function compare(
  measured: ReadonlyMap<string, readonly number[]>,
  figure: Pick<Figure, "what" | "unit" | "target" | "stretch"> & { readonly side: string; readonly base: string },
): Figure {
  const { side, base, ...rest } = figure;
  const of = (name: string) => median(measured.get(name) ?? []);
  return { ...rest, base: { name: base, median: of(base) }, median: of(side), ratio: of(side) / of(base) };
}

export function isMiss({ ratio, target }: Figure): boolean {
  return target !== undefined && ratio > target;
}

export function verdict(figure: Figure): string {
  if (figure.target === undefined) return "-";
  if (isMiss(figure)) return "MISS";
  return figure.stretch !== undefined && figure.ratio <= figure.stretch ? "ok, stretch too" : "ok";
}
