// A model by the name a person gave it, opened, or why not.
import type { ModelRegistry, Opened } from "./registry.ts";

export function openNamed(models: ModelRegistry, name: string): Opened {
  const resolved = models.resolve(name);
  if (resolved.ok) return models.open(resolved.route);
  const hint = resolved.nearest.length === 0 ? "See: stele models" : `Nearest: ${resolved.nearest.join(", ")}.`;
  return { ok: false, problem: resolved.problem, hint };
}
