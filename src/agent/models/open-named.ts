// A model by the name a person gave it, opened, or why not; and what is wrong with those that the config names for later.
import type { ModelRoute } from "../../ledger/types.ts";
import { effortOf } from "./effort.ts";
import type { ModelRegistry, Opened } from "./registry.ts";
import { switchRoute } from "./switch-route.ts";

/** `lostEffort`: the level that was set, and which this model does not have. */
export type Standing = Opened & { readonly lostEffort?: string };

export function openNamed(models: ModelRegistry, name: string): Opened {
  const resolved = named(models, name);
  return resolved.ok ? models.open(resolved.route) : resolved;
}

/** One that stands in for `from`: it thinks as much as that one did, where it knows that level. */
export function openInstead(models: ModelRegistry, from: ModelRoute, name: string): Standing {
  const resolved = named(models, name);
  if (!resolved.ok) return resolved;
  const switched = switchRoute(models, from, { to: resolved.route });
  if (!switched.ok) return switched;
  const effort = effortOf(from);
  const isLost = effort !== undefined && effortOf(switched.route) !== effort;
  return { ...models.open(switched.route), ...(isLost && { lostEffort: effort }) };
}

/** What the config names and nobody asks for until it is needed. */
export interface NamedModels {
  readonly fallback?: string;
  readonly compaction: { readonly model?: string };
  readonly aliases: Readonly<Record<string, string>>;
}
export interface NameProblem {
  /** Of the config, dotted. */
  readonly key: string;
  readonly name: string;
  readonly problem: string;
  readonly hint: string;
}

/** Asks nobody: only what is wrong by itself, and an alias only where it leads nowhere. */
export function nameProblems(models: ModelRegistry, config: NamedModels): readonly NameProblem[] {
  const needed = { fallback: config.fallback, "compaction.model": config.compaction.model };
  return [
    ...Object.entries(needed).flatMap(([key, name]) => problemOf({ key, name }, (each) => openNamed(models, each))),
    ...Object.entries(config.aliases).flatMap(([alias, name]) =>
      problemOf({ key: `aliases.${alias}`, name }, (each) => named(models, each)),
    ),
  ];
}

/** One line for a person, raw. */
export function nameProblemWords(found: NameProblem): string {
  return `${found.key} in the config names ${JSON.stringify(found.name)}, which cannot be used: ${whyNot(found)}`;
}

/** What is wrong, and what to do. */
export function whyNot({ problem, hint }: NameProblem): string {
  return `${problem}. ${hint}`;
}

type Looked = { readonly ok: true } | { readonly ok: false; readonly problem: string; readonly hint: string };

function problemOf(
  { key, name }: { readonly key: string; readonly name: string | undefined },
  look: (name: string) => Looked,
): readonly NameProblem[] {
  if (name === undefined) return [];
  const looked = look(name);
  return looked.ok ? [] : [{ key, name, problem: looked.problem, hint: looked.hint }];
}

type Named = { readonly ok: true; readonly route: ModelRoute } | Extract<Opened, { readonly ok: false }>;

function named(models: ModelRegistry, name: string): Named {
  const resolved = models.resolve(name);
  if (resolved.ok) return resolved;
  const hint = resolved.nearest.length === 0 ? "See: stele models" : `Nearest: ${resolved.nearest.join(", ")}.`;
  return { ok: false, problem: resolved.problem, hint };
}
