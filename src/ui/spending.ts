// How full the context is and what the session cost, read from the ledger when a conversation is opened, when its head
// moved and when a turn ended; in between the view counts messages itself. Never in the way: what cannot be read is not
// shown.
import type { SessionEvent } from "../agent/events.ts";
import type { ModelsConfig } from "../agent/models/catalogue.ts";
import { costOfAll } from "../agent/models/cost.ts";
import type { Runner } from "../agent/runner.ts";
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { SessionId } from "../ledger/types.ts";
import { LatestOnly } from "./latest-only.ts";
import type { UiAction } from "./view-state.ts";

interface Options {
  readonly db: Pick<AsyncSessionDB, "path" | "modelUsage">;
  readonly runner: Runner;
  readonly models: ModelsConfig;
  readonly dispatch: (action: UiAction) => void;
}

/** Enough to hold two counted answers of a turn with many calls. */
const LOOKED_AT = 100;
const TELLING: ReadonlySet<SessionEvent["type"]> = new Set(["session", "turn-settled", "head-moved"]);

export function watchSpending(options: Options): void {
  const { runner } = options;
  const asked = new LatestOnly(
    (id: SessionId) => readSpending(options, id).catch(() => undefined), // its trouble is told by who writes
    (id, action) => {
      if (action && id === runner.session.id) options.dispatch(action);
    },
  );
  runner.listen((event) => {
    if (TELLING.has(event.type)) asked.want(runner.session.id);
  });
  asked.want(runner.session.id);
}

async function readSpending({ db, models }: Options, id: SessionId): Promise<UiAction> {
  const [{ messages }, spent] = await Promise.all([db.path(id, { limit: LOOKED_AT }), db.modelUsage(id)]);
  const cost = costOfAll(spent, models, Date.now());
  return { type: "spending", messages, models, ...(cost && { cost }) };
}
