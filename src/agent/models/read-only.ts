// A session whose model cannot be asked now can be read, branched and given another model; its prompts wait.
import type { ModelRoute } from "../../ledger/types.ts";
import type { ModelRegistry } from "./registry.ts";

/** Undefined where the model can be asked. */
export function readOnlyWords(models: Pick<ModelRegistry, "open">, route: ModelRoute): readonly string[] | undefined {
  const opened = models.open(route);
  if (opened.ok) return undefined;
  return [
    `This conversation's model cannot be asked: ${opened.problem}. ${opened.hint}`,
    "Read on, /branch, or choose another model with /model; a prompt that is sent waits, and goes to no other model by itself.",
  ];
}
