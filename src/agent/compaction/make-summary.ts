// The summary of one attempt: made by a model in stages, or from first words where there is none, and framed so that the
// model that goes on with it knows what it reads. Its lock is kept while it is made; it ends with a stop or its time.
import type { NewSummary, Spent } from "../../ledger/compaction.ts";
import { shownImages } from "../../ledger/image-token.ts";
import type { Message } from "../../ledger/types.ts";
import { tellWait } from "../ask-with-retries.ts";
import type { Model } from "../models/model.ts";
import { estimateText } from "../tokens.ts";
import { type Attempt, fixedTokens } from "./attempt.ts";
import { estimateAll } from "./context-size.ts";
import { extractSummary } from "./extract.ts";
import type { FoldPlan } from "./fold-plan.ts";
import { type SummaryResult, summarise } from "./summarise.ts";
import { transcriptTexts } from "./transcript-text.ts";

/** Of the window that sums up, what one request may take of the text. */
const STAGE = 0.5;
const STAGE_UNKNOWN = 40_000;
/** A request that is not so much smaller is soon as big again. */
const EFFECTIVE = 0.8;
/** In ms: how long an attempt may take, and how often its lock is renewed. */
const CEILING_MS = 15 * 60_000;
const RENEW_MS = 60_000;

export interface Made {
  readonly result: SummaryResult;
  readonly model: Model;
}

export async function summaryOf(run: Attempt): Promise<Made> {
  const { context, state, plan, wish } = run;
  const { compaction, db, turn } = context;
  const opened = compaction.summariser?.();
  const model = opened?.ok ? opened.model : state.model;
  if (opened?.ok === false)
    return {
      model,
      result: {
        kind: "failed",
        error: { code: "model_refused", message: `the model for summaries cannot be used: ${opened.problem}` },
      },
    };
  if (model.route.provider === "guide")
    return { model, result: { kind: "summary", text: extractSummary(plan.folded) } };
  const stop = new AbortController();
  const renewing = setInterval(() => {
    void db.renewCompaction({ conversation: turn.conversation, attempt: run.attempt }).then(
      (isMine) => isMine || stop.abort(),
      () => undefined, // the commit will meet the same trouble, and tell it
    );
  }, RENEW_MS);
  try {
    const result = await summarise({
      model,
      texts: transcriptTexts(plan.folded),
      focus: wish.focus ?? "",
      room: stageRoom(run, compaction.windowOf(model.route)),
      loadBlob: (hash) => db.blob(hash as Parameters<typeof db.blob>[0]),
      retrying: context.retrying,
      signal: AbortSignal.any([context.signal, stop.signal, AbortSignal.timeout(CEILING_MS)]),
      onStage: (stage, of) => context.emit({ type: "compaction-stage", admission: turn.admission, stage, of }),
      onWait: (wait) => tellWait(context, wait),
    });
    return { model, result };
  } finally {
    clearInterval(renewing);
  }
}

/** By our estimate, as the text is measured by it. */
function stageRoom({ before, scale, wish }: Attempt, window: number | undefined): number {
  const most = Math.min(STAGE_UNKNOWN, before * (wish.reason === "overflow" ? STAGE : 1));
  return Math.floor(window === undefined ? most : window * STAGE) / scale;
}

export function newSummary(run: Attempt, made: { text: string; model: Model; spent: readonly Spent[] }): NewSummary {
  const { context, state, plan, before, scale, wish, window } = run;
  const endsTurn = wish.endsTurn ?? false;
  const text = framed(made.text, plan, { endsTurn });
  const after = Math.round((fixedTokens(context) + estimateText(text) + estimateAll(plan.kept)) * scale);
  return {
    attempt: run.attempt,
    text,
    readUpTo: newestOf(state.path),
    ...(plan.keptFrom !== undefined && { keptFrom: plan.keptFrom }),
    folded: plan.folded.filter(({ role }) => role !== "note").length,
    before,
    after,
    isEffective: after <= EFFECTIVE * before && (window === undefined || after < context.compaction.at * window),
    at: context.now(),
    route: made.model.route,
    spent: made.spent,
    endsTurn,
    ...(endsTurn && state.usage && { usage: state.usage }),
  };
}

function newestOf(path: readonly Message[]): Message["id"] {
  const [last] = path.slice(-1);
  if (!last) throw new TypeError("a plan needs messages");
  return last.id;
}

/** What the model reads in the place of what is folded. A turn that goes on must not lose what it was asked. */
function framed(text: string, plan: FoldPlan, { endsTurn }: { endsTurn: boolean }): string {
  const summary = `This is your own summary of the conversation so far, which is not shown to you any more:\n\n${text}`;
  if (plan.keptFrom !== undefined || endsTurn) return summary;
  const words = wordsOfLastTurn(plan.folded);
  return `${summary}\n\nThe person's request that you are carrying out, in their words:\n\n${words}\n\nGo on with it.`;
}

/** All that the person said in it, in full: the plan has seen to it that there is room. */
function wordsOfLastTurn(folded: readonly Message[]): string {
  const turn = folded.at(-1)?.turn;
  return folded
    .filter((message) => message.role === "user" && message.turn === turn)
    .flatMap(({ parts }) => parts.map((part) => (part.kind === "text" ? shownImages(part.text) : "")))
    .join("\n\n");
}
