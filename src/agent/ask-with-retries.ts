// Asking until there is an answer, a fault that repeating does not mend, or a stop. Each request is a row of the
// ledger, closed before the next goes out; nothing of one that failed is kept. A wait is told before it begins and
// ends at once with a stop. A fallback model takes over for the rest of the turn, never without a note about it.
import { type Answer, askModel, type NoAnswer } from "./ask-model.ts";
import { fallbackWords } from "./fallback-words.ts";
import type { Model, ModelError } from "./models/model.ts";
import { isSameModel, routeName } from "./models/route-name.ts";
import { nextStep } from "./retry-policy.ts";
import { added, headOf, type TurnContext, type TurnState } from "./turn-context.ts";

export async function askWithRetries(context: TurnContext, state: TurnState): Promise<Answer | NoAnswer> {
  const { retrying } = context;
  for (let failures = 1; ; failures += 1) {
    const answer = await askModel(context, state);
    if (answer.kind !== "error") return answer;
    const { limit, random } = retrying;
    const fallback = state.hasFallenBack ? undefined : retrying.fallback?.(state.model.route);
    const hasFallback = fallback?.ok === true && !isSameModel(fallback.model.route, state.model.route);
    const step = nextStep({ error: answer.error, failures, limit, random, hasFallback });
    if (step.kind === "wait") {
      await context.db.failRequest(context.turn);
      tellWait(context, { error: answer.error, failures, ms: step.ms });
      await retrying.sleep(step.ms, context.signal);
      if (context.signal.aborted) return { kind: "stopped", partial: "" };
    } else if (step.kind === "fall-back" && fallback?.ok) {
      await context.db.failRequest(context.turn);
      await fallBack(context, state, { ...fallback, error: answer.error });
      failures = 0;
    } else {
      const unusable = fallback?.ok === false && answer.error.retryable ? fallback.problem : undefined;
      return { kind: "error", error: lastWords(answer.error, { failures, unusable, ...step }) };
    }
  }
}

export interface Wait {
  readonly error: ModelError;
  readonly failures: number;
  readonly ms: number;
}

export function tellWait(context: TurnContext, { error: { code, message }, failures, ms }: Wait): void {
  const { limit } = context.retrying;
  const { admission } = context.turn;
  const at = context.now() + ms;
  context.emit({ type: "retry-wait", admission, retry: failures, of: limit, waitMs: ms, at, error: { code, message } });
}

/** The note is stored before the other model is asked; the session's own model stays what it is. */
async function fallBack(
  context: TurnContext,
  state: TurnState,
  { model, error, lostEffort }: { model: Model; error: ModelError; lostEffort?: string },
): Promise<void> {
  const { code, message: words } = error;
  const lost = lostEffort === undefined ? {} : { lostEffort };
  const taken = {
    from: routeName(state.model.route),
    to: routeName(model.route),
    ...lost,
    error: { code, message: words },
  };
  const text = fallbackWords(taken).join("\n");
  const note = { parent: headOf(state), role: "note", parts: [{ kind: "note", text }], at: context.now() } as const;
  const { message } = await context.db.append(context.turn, note, []);
  added(context, state, message);
  context.emit({ type: "fallback", admission: context.turn.admission, ...taken });
  state.model = model;
  state.hasFallenBack = true;
}

interface LastWords {
  readonly failures: number;
  readonly unusable: string | undefined;
  readonly askedMs?: number;
}

function lastWords(error: ModelError, { failures, unusable, askedMs }: LastWords): ModelError {
  const asked = askedMs === undefined ? [] : [`It asks to wait ${Math.ceil(askedMs / 60_000)} minutes.`];
  const other = unusable === undefined ? [] : [`The fallback cannot be used: ${unusable}`];
  const hint = [...asked, ...(error.hint === undefined ? [] : [error.hint]), ...other].join(" ");
  const times = failures === 1 ? "" : ` (asked ${failures} times)`;
  return { ...error, message: `${error.message}${times}`, ...(hint !== "" && { hint }) };
}
