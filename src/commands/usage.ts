// /usage: what the next request is made of, and what was spent: by this session and its branches, by model, day or
// session. The parts of a request are estimates, made to sum up to what the provider counted where it did; what was
// spent is read from totals that are kept with every answer, never from the transcript.
import { splitPrompt } from "../agent/context-files.ts";
import { type ModelsConfig, modelFacts } from "../agent/models/catalogue.ts";
import { CATALOGUE_DATE } from "../agent/models/catalogue-rows.ts";
import { costOf, costOfAll, costWords } from "../agent/models/cost.ts";
import { contextSize, estimateMessage, estimateText, tokensOf } from "../agent/tokens.ts";
import { toolRegistry } from "../agent/tools/registry.ts";
import type { Message, Session } from "../ledger/types.ts";
import type { ModelUsage } from "../ledger/usage.ts";
import { hasFlag, textFlag } from "./args.ts";
import { type CommandResult, defineCommand, type FreeContext } from "./command.ts";
import { findSession } from "./find-session.ts";
import { counted, lines, modelOf, usage as wrong } from "./results.ts";
import { dayChart, totalsBy } from "./usage-totals.ts";
import { durationWords, numberWords } from "./usage-words.ts";

const WAYS = ["model", "day", "session"] as const;

export const usageCommand = defineCommand({
  name: "usage",
  aliases: ["context", "cost"],
  summary: "what the context holds, and tokens and cost by model",
  example: "/usage",
  flags: [
    { name: "by", help: "model, day or session: totals of this conversation and its branches", value: "text" },
    { name: "session", help: "of another conversation", value: "text" },
    { name: "all", help: "of every conversation" },
  ],
  during: "any",
  isRepeatable: true,
  needsNoSession: true,
  async run(args, context) {
    const by = WAYS.find((way) => way === args.flags["by"]);
    if (args.flags["by"] !== undefined && by === undefined)
      return wrong(`Usage is not told by "${args.flags["by"]}".`, `One of: ${WAYS.join(", ")}`);
    const asked = textFlag(args, "session");
    const found = asked === undefined ? undefined : await findSession(context, asked, "/usage --session");
    if (found?.ok === false) return found.result;
    const open = found?.session ?? (await context.runner?.refresh());
    const session = hasFlag(args, "all") ? undefined : open;
    if (by === undefined && session) return usage(context, session);
    return totalsBy(context, { by: by ?? "model", ...(session && { session: session.id }) });
  },
});

async function usage(context: FreeContext, session: Session): Promise<CommandResult> {
  const { db, settings, now } = context;
  const models = settings.models();
  const [messages, spent, system, time, more] = await Promise.all([
    db.contextPath(session.conversation),
    db.modelUsage(session.id),
    systemPromptOf(context, session),
    db.turnTime(session.id),
    aroundOf(context, session),
  ]);
  const parts = await partsOf(system, messages);
  const size = contextSize(messages);
  const total = size ? tokensOf(size) : tokensOfAll(parts);
  const isWhole = system !== undefined;
  const scaled = scale(parts, total);
  const { window } = modelFacts(session.route, models);
  const rows = spent.map((each) => describe(each, models, now()));
  const cost = costOfAll(spent, models, now());
  return lines(
    [
      `context   ${contextWords({ total, window, isCounted: size !== undefined, isWhole })}`,
      ...scaled.map(partWords),
      `spent     ${spent.length === 0 ? "nothing was counted" : cost ? costWords(cost) : "not known: a model has no known price"}`,
      ...rows.map(({ words }) => `  ${words}`),
      ...(time.turns === 0 ? [] : [`time      ${durationWords(time.ms)} in ${counted(time.turns, "turn")}`]),
      ...more.lines,
      ...(await limitLines(context)),
      ...(cost ? [`prices of ${CATALOGUE_DATE}, or of your config; attempts that failed are not counted`] : []),
    ],
    [
      ...scaled.map(({ name, tokens }) => ({ by: "context", key: name, ...(tokens !== undefined && { tokens }) })),
      { by: "session", key: session.id, contextTokens: total, contextWindow: window, model: modelOf(session), ...time },
      ...rows.map(({ json }) => json),
      ...more.json,
    ],
  );
}

/** What may be spent, and what of it was spent today. */
async function limitLines({ db, settings, now }: FreeContext): Promise<readonly string[]> {
  const { turnUsd, sessionUsd, dayUsd } = settings.limits();
  const words = (usd: number) => costWords({ usd, isLeast: false });
  const today =
    dayUsd === undefined ? undefined : costOfAll(await db.spent({ kind: "day", at: now() }), settings.models(), now());
  const limits = [
    ...(turnUsd === undefined ? [] : [`${words(turnUsd)} a turn`]),
    ...(sessionUsd === undefined ? [] : [`${words(sessionUsd)} a conversation`]),
    ...(dayUsd === undefined ? [] : [`${words(dayUsd)} a day, of which ${today ? costWords(today) : "$0.00"} today`]),
  ];
  return limits.length === 0 ? [] : [`limits    ${limits.join(" · ")}`];
}

/** What branched from it, and on which days: said where there is more to say than of itself. */
async function aroundOf(
  { db, settings, now }: FreeContext,
  session: Session,
): Promise<{ readonly lines: readonly string[]; readonly json: readonly object[] }> {
  const [sessions, days] = await Promise.all([
    db.usageRows({ by: "session", session: session.id }),
    db.usageRows({ by: "day", session: session.id }),
  ]);
  const models = settings.models();
  const others = new Set(sessions.map(({ key }) => key).filter((key) => key !== session.conversation));
  const cost = costOfAll(sessions, models, now());
  const tokens = sum(sessions.map(({ usage: { inputTokens, outputTokens } }) => inputTokens + outputTokens));
  const all = `${numberWords(tokens)} tokens${cost ? `, ${costWords(cost)}` : ""}`;
  const branches = `branches  ${counted(others.size, "other session")} of this conversation; ${all} with this one`;
  const chart = dayChart(days, models);
  return {
    lines: [...(others.size === 0 ? [] : [branches]), ...(chart.lines.length < 2 ? [] : ["days", ...chart.lines])],
    json: [
      ...(others.size === 0
        ? []
        : [{ by: "branches", key: session.id, sessions: others.size + 1, tokens, ...(cost && { cost: cost.usd }) }]),
      ...chart.json,
    ],
  };
}

/** Before the first prompt, what that one will be sent with; undefined where nobody knows that. */
async function systemPromptOf({ db, runner }: FreeContext, session: Session): Promise<string | undefined> {
  const envelope = await db.lastEnvelope(session.conversation);
  return envelope ? db.systemPrompt(envelope.systemPrompt) : runner?.promptAhead(session);
}

interface ContextPart {
  readonly name: "system" | "files" | "tools" | "messages" | "results";
  /** Absent: not known before the first prompt. */
  readonly tokens?: number;
}

async function partsOf(system: string | undefined, messages: readonly Message[]): Promise<readonly ContextPart[]> {
  const { own, told } = splitPrompt(system ?? "");
  const known = (text: string) => system !== undefined && { tokens: estimateText(text) };
  const tools = (await toolRegistry()).listTools();
  const isResult = ({ role }: Message) => role === "tool";
  const estimate = (some: readonly Message[]) => sum(some.map(estimateMessage));
  return [
    { name: "system", ...known(own) },
    { name: "files", ...known(told) },
    { name: "tools", tokens: estimateText(JSON.stringify(tools.map((t) => [t.name, t.description, t.schema]))) },
    { name: "messages", tokens: estimate(messages.filter((message) => !isResult(message))) },
    { name: "results", tokens: estimate(messages.filter(isResult)) },
  ];
}

function scale(parts: readonly ContextPart[], total: number): readonly ContextPart[] {
  const whole = tokensOfAll(parts);
  return parts.map(({ name, tokens }) =>
    tokens === undefined ? { name } : { name, tokens: whole === 0 ? 0 : Math.round((tokens * total) / whole) },
  );
}

function tokensOfAll(parts: readonly ContextPart[]): number {
  return sum(parts.map(({ tokens = 0 }) => tokens));
}

function partWords({ name, tokens }: ContextPart): string {
  if (tokens === undefined) return `  ${name.padEnd(9)} not known before the first prompt`;
  return `  ${name.padEnd(9)} ${numberWords(tokens).padStart(9)}`;
}

interface ContextTotal {
  readonly total: number;
  readonly window: number | undefined;
  readonly isCounted: boolean;
  readonly isWhole: boolean;
}

function contextWords({ total, window, isCounted, isWhole }: ContextTotal): string {
  const how = isCounted ? "counted by the model" : isWhole ? "estimated" : "estimated, without what is not known";
  if (window === undefined) return `about ${numberWords(total)} tokens, ${how}; this model's window is not known`;
  return `${Math.ceil((100 * total) / window)} % of ${numberWords(window)}: about ${numberWords(total)} tokens, ${how}`;
}

function describe({ route, calls, usage: used }: ModelUsage, models: ModelsConfig, at: number) {
  const key = modelOf({ route });
  const { inputTokens, outputTokens, cacheReadTokens = 0 } = used;
  const cost = costOf(used, modelFacts(route, models).prices, at);
  const cached = cacheReadTokens === 0 ? "" : ` (${numberWords(cacheReadTokens)} from the cache)`;
  const tokens = `${numberWords(inputTokens)} in${cached}, ${numberWords(outputTokens)} out`;
  return {
    words: `${key}: ${counted(calls, "answer")}, ${tokens}, ${cost ? costWords(cost) : "price not known"}`,
    json: { by: "model", key, calls, inputTokens, outputTokens, cacheReadTokens, ...(cost && { cost: cost.usd }) },
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
