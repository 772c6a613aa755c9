// Numbers that a seed decides (mulberry32), so that a run's choices can be made again.

export interface Random {
  /** From 0, below `limit`. */
  below(limit: number): number;
  /** Both ends included. */
  between(low: number, high: number): number;
  chance(part: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
}

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    between: (low, high) => low + below(high - low + 1),
    chance: (part) => next() < part,
    pick: (items) => items[below(items.length)] ?? items[0],
  };
}
