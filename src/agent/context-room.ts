// What the project's files take of a model's window. Where they fill it alone no request can be made and no compaction
// mends it: that is said before one is sent, with the files, their size and what to do.
import { relative } from "node:path";
import type { Answer, NoAnswer } from "./ask-model.ts";
import { fixedTokens } from "./compaction/attempt.ts";
import { type ContextFile, toldFiles } from "./context-files.ts";
import type { ModelError } from "./models/model.ts";
import { estimateText } from "./tokens.ts";
import type { TurnContext, TurnState } from "./turn-context.ts";

interface FileSize {
  readonly name: string;
  readonly tokens: number;
}

/** From this part of the window on it is worth a word. */
const MUCH = 0.5;

/** Undefined where there is room, or the window is not known. */
export function noRoomForFiles(context: TurnContext, state: TurnState): ModelError | undefined {
  const { route } = state.model;
  const window = context.compaction.windowOf(route);
  const files = sizesIn(context);
  if (window === undefined || files.length === 0 || fixedTokens(context) < window) return undefined;
  const id = `${route.provider}/${route.model}`;
  return {
    code: "model_context_overflow",
    message: `the project's instructions leave no room in the window of ${id} (${counted(window)} tokens), so it was not asked: ${sizeWords(files)}`,
    hint: `${advice(files)} If its window is larger, say so in the config: models, "${id}", contextWindow.`,
    retryable: false,
  };
}

/** A provider that says that it is too long does not know that it is the files: adds what to do about them. */
export function withFileAdvice<A extends Answer | NoAnswer>(context: TurnContext, answer: A): A | NoAnswer {
  if (answer.kind !== "error" || answer.error.code !== "model_context_overflow") return answer;
  const files = sizesIn(context);
  if (sum(files) < MUCH * fixedTokens(context)) return answer;
  const hint = [answer.error.hint, `Part of each request: ${sizeWords(files)}. ${advice(files)}`];
  return { kind: "error", error: { ...answer.error, hint: hint.filter((each) => each !== undefined).join(" ") } };
}

/** At a start; undefined where they take little of it. */
export function fileRoomWords(read: readonly ContextFile[], window: number | undefined): string | undefined {
  const files = read.map(({ name, text }) => ({ name, tokens: estimateText(text) }));
  const tokens = sum(files);
  if (window === undefined || tokens < MUCH * window) return undefined;
  const part = tokens < window ? `${Math.round((100 * tokens) / window)} % of` : "more than";
  return `That is ${part} the model's window: ${sizeWords(files)}. ${advice(files)}`;
}

function sizesIn({ system, cwd }: TurnContext): readonly FileSize[] {
  return toldFiles(system).map(({ path, text }) => ({ name: relative(cwd, path), tokens: estimateText(text) }));
}

function sum(files: readonly FileSize[]): number {
  return files.reduce((all, { tokens }) => all + tokens, 0);
}

/** The largest first: `AGENTS.md (about 16,400 tokens)` */
function sizeWords(files: readonly FileSize[]): string {
  return [...files]
    .sort((one, other) => other.tokens - one.tokens)
    .map(({ name, tokens }) => `${name} (about ${counted(tokens)} tokens)`)
    .join(", ");
}

function advice({ length }: readonly FileSize[]): string {
  return `Shorten ${length === 1 ? "it" : "them"}, name others with contextFiles in the config, or choose a model with a larger window (/model).`;
}

function counted(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
