// Whether another provider has a model of the same name: then the status line says whose it is. Asked of what is known
// without asking anybody, whenever the session is told.
import type { ModelRegistry } from "../agent/models/registry.ts";
import type { Runner } from "../agent/runner.ts";
import type { ModelRoute } from "../ledger/types.ts";
import type { UiAction } from "./view-state.ts";

interface Options {
  readonly runner: Runner;
  readonly models: Pick<ModelRegistry, "list">;
  readonly dispatch: (action: UiAction) => void;
}

export function watchSharedModel({ runner, models, dispatch }: Options): void {
  const tell = () => {
    const { route } = runner.session;
    dispatch({ type: "shared-model", ...(isShared(models, route) && { model: route.model }) });
  };
  runner.listen(({ type }) => {
    if (type === "session" || type === "session-changed") tell();
  });
  tell();
}

/** One whose models nobody knows may have it too. */
export function isShared(models: Pick<ModelRegistry, "list">, { provider, model }: ModelRoute): boolean {
  return models
    .list()
    .filter((each) => each.provider !== provider)
    .some((each) => each.id === `${each.provider}/${model}` || (each.available && each.id === `${each.provider}/*`));
}
