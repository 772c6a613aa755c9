// /usage: what the next request is made of, and what this session has cost so far, by model. The parts are estimates,
// made to sum up to what the provider counted where it did.
import { splitPrompt } from "../agent/context-files.ts";
import { type ModelsConfig, modelFacts } from "../agent/models/catalogue.ts";
import { CATALOGUE_DATE } from "../agent/models/catalogue-rows.ts";
import { costOf, costOfAll, costWords } from "../agent/models/cost.ts";
import { contextSize, estimateMessage, estimateText, tokensOf } from "../agent/tokens.ts";
import { toolRegistry } from "../agent/tools/registry.ts";
import type { Message, Session } from "../ledger/types.ts";
import type { ModelUsage } from "../ledger/usage.ts";
import { type CommandContext, type CommandResult, defineCommand } from "./command.ts";
import { counted, lines, modelOf } from "./results.ts";

export const usageCommand = defineCommand({
  name: "usage",
  aliases: ["context", "cost"],
  summary: "what the context holds, and tokens and cost by model",
  during: "any",
  run: (_, context) => usage(context),
});

/** Messages that are looked at; of a longer path the rest is left out, and said. */
const LOOKED_AT = 5_000;

async function usage({ db, runner, settings, now }: CommandContext): Promise<CommandResult> {
  const session = await runner.refresh();
  const models = settings.models();
  const [{ messages, earlier }, spent, system] = await Promise.all([
    db.path(session.id, { limit: LOOKED_AT }),
    db.modelUsage(session.id),
    systemPromptOf(db, session),
  ]);
  const parts = await partsOf(system, sinceSummary(messages));
  const size = contextSize(messages);
  const total = size ? tokensOf(size) : sum(parts.map(({ tokens }) => tokens));
  const scaled = scale(parts, total);
  const { window } = modelFacts(session.route, models);
  const rows = spent.map((each) => describe(each, models, now()));
  const cost = costOfAll(spent, models, now());
  return lines(
    [
      `context   ${contextWords({ total, window, isCounted: size !== undefined })}`,
      ...scaled.map(({ name, tokens }) => `  ${name.padEnd(9)} ${number(tokens).padStart(9)}`),
      ...(earlier === 0 ? [] : [`  and ${counted(earlier, "earlier message")} that are not looked at`]),
      `spent     ${spent.length === 0 ? "nothing was counted" : cost ? costWords(cost) : "not known: a model has no known price"}`,
      ...rows.map(({ words }) => `  ${words}`),
      ...(cost ? [`prices of ${CATALOGUE_DATE}, or of your config; attempts that failed are not counted`] : []),
    ],
    [
      ...scaled.map(({ name, tokens }) => ({ by: "context", key: name, tokens })),
      { by: "session", key: session.id, contextTokens: total, contextWindow: window, model: modelOf(session) },
      ...rows.map(({ json }) => json),
    ],
  );
}

async function systemPromptOf(db: CommandContext["db"], { conversation }: Session): Promise<string> {
  const envelope = await db.lastEnvelope(conversation);
  return (envelope && (await db.systemPrompt(envelope.systemPrompt))) ?? "";
}

interface ContextPart {
  readonly name: "system" | "files" | "tools" | "messages" | "results";
  readonly tokens: number;
}

async function partsOf(system: string, messages: readonly Message[]): Promise<readonly ContextPart[]> {
  const { own, told } = splitPrompt(system);
  const tools = (await toolRegistry()).listTools();
  const isResult = ({ role }: Message) => role === "tool";
  const estimate = (some: readonly Message[]) => sum(some.map(estimateMessage));
  return [
    { name: "system", tokens: estimateText(own) },
    { name: "files", tokens: estimateText(told) },
    { name: "tools", tokens: estimateText(JSON.stringify(tools.map((t) => [t.name, t.description, t.schema]))) },
    { name: "messages", tokens: estimate(messages.filter((message) => !isResult(message))) },
    { name: "results", tokens: estimate(messages.filter(isResult)) },
  ];
}

function sinceSummary(messages: readonly Message[]): readonly Message[] {
  return messages.slice(
    Math.max(
      0,
      messages.findLastIndex(({ role }) => role === "summary"),
    ),
  );
}

function scale(parts: readonly ContextPart[], total: number): readonly ContextPart[] {
  const whole = sum(parts.map(({ tokens }) => tokens));
  return parts.map(({ name, tokens }) => ({ name, tokens: whole === 0 ? 0 : Math.round((tokens * total) / whole) }));
}

function contextWords(size: { total: number; window: number | undefined; isCounted: boolean }): string {
  const { total, window, isCounted } = size;
  const how = isCounted ? "counted by the model" : "estimated";
  if (window === undefined) return `about ${number(total)} tokens, ${how}; this model's window is not known`;
  return `${Math.ceil((100 * total) / window)} % of ${number(window)}: about ${number(total)} tokens, ${how}`;
}

function describe({ route, calls, usage: used }: ModelUsage, models: ModelsConfig, at: number) {
  const key = modelOf({ route });
  const { inputTokens, outputTokens, cacheReadTokens = 0 } = used;
  const cost = costOf(used, modelFacts(route, models).prices, at);
  const cached = cacheReadTokens === 0 ? "" : ` (${number(cacheReadTokens)} from the cache)`;
  const tokens = `${number(inputTokens)} in${cached}, ${number(outputTokens)} out`;
  return {
    words: `${key}: ${counted(calls, "answer")}, ${tokens}, ${cost ? costWords(cost) : "price not known"}`,
    json: { by: "model", key, calls, inputTokens, outputTokens, cacheReadTokens, ...(cost && { cost: cost.usd }) },
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}
