// Where each value in force came from, for `stele config`: one entry a dotted key; a rule is an entry of its own, for
// lists of rules grow from layer to layer.

export type Origin = "default" | "config file" | "project file" | "environment" | "flag";

export interface Source {
  /** As it was written. */
  readonly value: unknown;
  readonly from: Origin;
  readonly file?: string;
}
export type Sources = Readonly<Record<string, Source>>;

/** What one layer set, as it was written. */
export interface WrittenLayer {
  readonly from: Origin;
  readonly file?: string;
  readonly written: unknown;
}

/** From the lowest layer to the highest. */
export function listSources(layers: readonly WrittenLayer[]): Sources {
  const sources = new Map<string, Source>();
  const rules = { "approval.allow": 0, "approval.deny": 0 };
  for (const { written, ...origin } of layers) {
    for (const [key, value] of values(written)) {
      const isRules = key === "approval.allow" || key === "approval.deny";
      if (!isRules || !Array.isArray(value)) {
        sources.set(key, { value, ...origin });
        continue;
      }
      for (const rule of value) sources.set(`${key}.${rules[key]++}`, { value: rule, ...origin });
    }
  }
  for (const [key, count] of Object.entries(rules)) {
    if (count === 0) sources.set(key, { value: [], from: "default" });
  }
  return Object.fromEntries(sources);
}

/** As a person reads them. Not done by a start: the first order of words loads tables, which takes 30 ms. */
export function sortedSources(sources: Sources): readonly (readonly [key: string, Source])[] {
  const { compare } = new Intl.Collator("en", { numeric: true });
  return Object.entries(sources).sort(([a], [b]) => compare(a, b));
}

/** A section's keys one by one; a provider is a value as a whole. */
function values(written: unknown): readonly [key: string, value: unknown][] {
  return entries(written).flatMap(([key, value]): [string, unknown][] => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [[key, value]];
    return entries(value).map(([name, inner]) => [`${key}.${name}`, inner]);
  });
}

function entries(value: unknown): readonly [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}
