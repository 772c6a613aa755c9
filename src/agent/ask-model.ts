// Asking a model once: the request is recorded before it goes out, deltas are told as they come, and what came
// is an answer only when the stream's own end was seen.
import { projectForModel } from "../ledger/projection.ts";
import type { Hash, MessageId, Part, Usage } from "../ledger/types.ts";
import type { FinishReason, ModelError, ModelStreamPart } from "./models/model.ts";
import { stubOldResults } from "./stub-results.ts";
import { headOf, type TurnContext, type TurnState } from "./turn-context.ts";

export interface Answer {
  readonly kind: "answer";
  readonly parts: readonly Part[];
  readonly reason: FinishReason;
  readonly usage?: Usage;
}
export type NoAnswer =
  | { readonly kind: "stopped"; readonly partial: string }
  | { readonly kind: "error"; readonly error: ModelError };

export async function askModel(context: TurnContext, state: TurnState): Promise<Answer | NoAnswer> {
  const { db, turn, signal } = context;
  const { model } = state;
  const parent = headOf(state);
  const stream = model.stream({
    system: context.system,
    messages: projectForModel(stubOldResults(state.path, context.compaction.windowOf(model.route))),
    tools: context.tools.listTools().map((tool) => ({
      name: tool.name,
      description: tool.description,
      input: tool.schema,
    })),
    route: model.route,
    signal,
    loadBlob: (hash) => db.blob(hash as Hash),
    beforeSend: (digest) => db.askModel(turn, { parent, digest: digest as Hash }),
  });
  const collected = new AnswerParts();
  const draft = new AnswerDraft(context, parent);
  for await (const part of stream) {
    if (part.type === "error" || part.type === "finish") draft.close();
    if (part.type === "error") return noAnswer(context, collected, part.error);
    if (part.type === "finish")
      return { kind: "answer", parts: collected.parts(), reason: part.reason, ...usageOf(part) };
    if (part.type === "text-delta") context.emit({ type: "text-delta", text: part.text });
    if (part.type === "reasoning-delta") context.emit({ type: "reasoning-delta", text: part.text });
    collected.add(part, model.route.provider);
    if (part.type === "text-delta") draft.save(() => collected.text());
  }
  draft.close();
  return noAnswer(context, collected, {
    code: "model_cut",
    message: "The answer ended before its end.",
    retryable: true,
  });
}

export function usageOf(part: { usage?: Usage }): { usage?: Usage } {
  return part.usage ? { usage: part.usage } : {};
}

function noAnswer(context: TurnContext, collected: AnswerParts, error: ModelError): NoAnswer {
  if (context.signal.aborted) return { kind: "stopped", partial: collected.text() };
  return { kind: "error", error };
}

const DRAFT_MS = 500;

/** What has streamed, kept about twice a second: after a crash it is shown as cut off. The answer's own write drops it. */
class AnswerDraft {
  readonly #context: TurnContext;
  readonly #parent: MessageId | undefined;
  #savedAt = performance.now();
  #isSaving = false;
  /** What came too soon after a save is saved when its time has come. */
  #later: NodeJS.Timeout | undefined;

  constructor(context: TurnContext, parent: MessageId | undefined) {
    this.#context = context;
    this.#parent = parent;
  }

  /** Not awaited: a slow disk must not hold the stream. Verbs run in order, so none comes after the answer's write. */
  save(text: () => string): void {
    const left = this.#savedAt + DRAFT_MS - performance.now();
    if (this.#isSaving || left > 0) {
      this.#later ??= setTimeout(
        () => {
          this.#later = undefined;
          this.save(text);
        },
        Math.max(left, 1),
      );
      return;
    }
    this.#isSaving = true;
    const { db, turn } = this.#context;
    void db
      .saveAnswer(turn, { text: text(), parent: this.#parent })
      .catch(() => undefined) // the answer's own write will meet the same trouble, and tell it
      .finally(() => {
        this.#isSaving = false;
        this.#savedAt = performance.now();
      });
  }

  /** The stream has ended: its answer is written next, and drops the draft. */
  close(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
  }
}

/** Deltas in the order they came, as parts. */
export class AnswerParts {
  readonly #parts: Part[] = [];

  add(part: ModelStreamPart, provider: string): void {
    const last = this.#parts.at(-1);
    switch (part.type) {
      case "text-delta":
        if (last?.kind === "text" && !last.opaque)
          this.#parts[this.#parts.length - 1] = { ...last, text: last.text + part.text };
        else this.#parts.push({ kind: "text", text: part.text });
        return;
      case "text-end":
        if (last?.kind === "text") this.#parts[this.#parts.length - 1] = { ...last, opaque: part.opaque };
        return;
      case "reasoning-delta":
        if (last?.kind === "reasoning" && !last.opaque)
          this.#parts[this.#parts.length - 1] = { ...last, text: last.text + part.text };
        else this.#parts.push({ kind: "reasoning", text: part.text });
        return;
      case "reasoning-end":
        if (!part.opaque) return;
        // One that is closed already keeps its own: what comes then had no text.
        if (last?.kind === "reasoning" && !last.opaque)
          this.#parts[this.#parts.length - 1] = { ...last, opaque: part.opaque };
        else this.#parts.push({ kind: "reasoning", text: "", opaque: part.opaque });
        return;
      case "tool-call": {
        const { tool, input, opaque } = part;
        const call = this.#freshId(part.call);
        this.#parts.push({ kind: "tool-call", call, tool, input, ...(opaque && { opaque: { ...opaque, provider } }) });
        return;
      }
      case "finish":
      case "error":
        return;
    }
  }

  /** Some providers repeat an id or leave it empty: a result could not be paired with its call. */
  #freshId(asked: string): string {
    const base = asked.toWellFormed() || "call";
    const taken = new Set(this.#parts.map((part) => (part.kind === "tool-call" ? part.call : "")));
    for (let n = 1; ; n += 1) {
      const id = n === 1 ? base : `${base}-${n}`;
      if (!taken.has(id)) return id;
    }
  }

  parts(): readonly Part[] {
    return this.#parts;
  }

  text(): string {
    return this.#parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
  }
}
