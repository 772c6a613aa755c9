// Gives a conversation a better title than its first words, once, behind its first answered turn. Nothing waits for it and
// nothing is said when it fails; a close ends it at once. It knows its conversation by id, whatever is open by then.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { Untitled } from "../ledger/model-title.ts";
import type { AdmissionId, ConversationId } from "../ledger/types.ts";
import { openNamed } from "./models/open-named.ts";
import type { ModelRegistry } from "./models/registry.ts";
import type { Runner } from "./runner.ts";
import { overLimit, type Spending } from "./spending-limits.ts";
import { askTitle } from "./title-request.ts";
import { whileIdle } from "./while-idle.ts";

export interface TitleKeeperOptions {
  readonly db: AsyncSessionDB;
  readonly runner: Pick<Runner, "listen" | "session" | "refresh" | "idle">;
  readonly models: ModelRegistry;
  /** The one for summaries, by name; absent: the conversation's own. */
  readonly model?: string;
  /** Absent: nothing is limited. */
  readonly spending?: Spending;
}

/** Who thinks for longer is not waited for, in ms. */
const PATIENCE_MS = 60_000;
/** A turn that begins breaks it off; then it is asked for again, so many times in all. */
const TIMES = 4;

/** Returns how to stop. */
export function keepTitles(options: TitleKeeperOptions): () => void {
  const closing = new AbortController();
  const unlisten = options.runner.listen((event) => {
    if (event.type !== "turn-settled" || event.outcome !== "completed") return;
    const { conversation } = options.runner.session;
    improve(options, { conversation, settled: event.admission }, closing.signal).catch(() => {
      // Its first words stay its title: a ledger that cannot be written is told by whatever writes next.
    });
  });
  return () => {
    unlisten();
    closing.abort();
  };
}

async function improve(
  { db, runner, models, model: name, spending }: TitleKeeperOptions,
  turn: { conversation: ConversationId; settled: AdmissionId },
  closing: AbortSignal,
): Promise<void> {
  const { route } = runner.session;
  const about = await db.untitled(turn.conversation, turn.settled);
  if (!about || closing.aborted) return;
  const opened = name === undefined ? models.open(route) : openNamed(models, name);
  if (!opened.ok || opened.model.route.provider === "guide") return;
  const { id: session } = await db.canonical(about.conversation);
  const asker = { db, now: Date.now, turn: { admission: turn.settled, session }, ...(spending && { spending }) };
  if (await overLimit(asker, opened.model.route)) return;
  const answer = await whileIdle(runner, { closing, times: TIMES }, (signal) =>
    askTitle(opened.model, about, AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])),
  );
  if (closing.aborted || !answer || (answer.title === undefined && !answer.usage)) return;
  const isBetter = await db.improveTitle(about.conversation, titleFrom(about, answer, opened.model.route));
  if (isBetter && runner.session.conversation === about.conversation && !closing.aborted) await runner.refresh();
}

function titleFrom(
  about: Untitled,
  { title, usage }: Awaited<ReturnType<typeof askTitle>>,
  route: Runner["session"]["route"],
): Parameters<AsyncSessionDB["improveTitle"]>[1] {
  return { was: about.title, ...(title !== undefined && { title }), ...(usage && { spent: { route, usage } }) };
}
