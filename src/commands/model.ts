// /model: which model answers from now on, or once. A switch that cannot be made changes nothing.
import type { ModelRoute } from "../ledger/types.ts";
import { hasFlag } from "./args.ts";
import { type CommandContext, type CommandResult, defineCommand } from "./command.ts";
import { lines, modelOf, refused, usage } from "./results.ts";
import { quoteWord } from "./words.ts";

/** How much a model thinks before it answers; each provider has its own field for it. */
const EFFORTS = ["low", "medium", "high", "default"];

/** Local servers are asked for their models; one that does not answer is not waited for. */
export const DISCOVER_MS = 1_500;

export const modelCommand = defineCommand({
  name: "model",
  summary: "choose the model",
  args: [{ name: "provider/model", help: "or an alias; without it, a list to pick from" }],
  flags: [
    { name: "once", help: "for the next prompt only" },
    { name: "effort", help: "low, medium, high, or default: how much the model thinks", value: "text" },
  ],
  during: "any",
  async run(args, context) {
    const [name] = args.words;
    const isOnce = hasFlag(args, "once");
    if (isOnce && context.surface === "argv")
      return usage("--once is for the screen.", "For one prompt: stele run --model PROVIDER/MODEL");
    const { effort } = args.flags;
    if (name === undefined && effort === undefined) return pick(context, isOnce);
    if (effort !== undefined && !EFFORTS.includes(String(effort)))
      return usage(`There is no effort "${effort}".`, `One of: ${EFFORTS.join(", ")}`);
    const asked = {
      name: name ?? modelOf(context.runner.session),
      ...(effort !== undefined && { effort: String(effort) }),
    };
    return choose(context, asked, isOnce);
  },
});

async function pick(context: CommandContext, isOnce: boolean): Promise<CommandResult> {
  const { models, runner, surface } = context;
  const current = modelOf(runner.session);
  if (surface === "argv") return lines(current, { session: runner.session.id, model: current });
  await models.discover(AbortSignal.timeout(DISCOVER_MS));
  const usable = models.list().filter(({ id, available }) => available && !id.endsWith("/*"));
  return {
    kind: "pick",
    title: isOnce ? "Model of the next prompt" : "Model of this conversation",
    items: [
      ...usable.map(({ id, provider }) => ({
        command: `/model ${quoteWord(id)}${isOnce ? " --once" : ""}`,
        label: id,
        detail: id === current ? "current" : provider,
      })),
      ...missing(models.list()),
    ],
    empty: "No model can be used. /models says why.",
  };
}

/** Providers none of whose models can be used, with the reason; choosing one says all of it. */
function missing(
  listed: ReturnType<CommandContext["models"]["list"]>,
): { command: string; label: string; detail: string }[] {
  const reasons = new Map(listed.map(({ provider, available, why }) => [provider, available ? undefined : why]));
  return [...reasons].flatMap(([provider, why]) => {
    if (why === undefined) return [];
    return [{ command: "/models", label: `${provider}/…`, detail: why.replace(`${provider}: `, "") }];
  });
}

interface Asked {
  readonly name: string;
  readonly effort?: string;
}

/** The effort stays when the model changes: what a person set is theirs to unset. */
function withEffort(route: ModelRoute, effort: unknown): ModelRoute {
  return typeof effort === "string" && effort !== "default" ? { ...route, options: { effort } } : route;
}

function described(route: ModelRoute): string {
  const effort = route.options?.effort;
  return typeof effort === "string" ? `${modelOf({ route })}, ${effort} effort` : modelOf({ route });
}

function toJson(route: ModelRoute): { model: string; effort?: string } {
  const effort = route.options?.effort;
  return { model: modelOf({ route }), ...(typeof effort === "string" ? { effort } : {}) };
}

async function choose(context: CommandContext, { name, effort }: Asked, isOnce: boolean): Promise<CommandResult> {
  const { db, models, runner } = context;
  const resolved = models.resolve(name);
  if (!resolved.ok) {
    const hint = resolved.nearest.length > 0 ? `Nearest: ${resolved.nearest.join(", ")}` : "See: /models";
    return usage(`${capital(resolved.problem)}.`, hint);
  }
  const route = withEffort(resolved.route, effort ?? runner.session.route.options?.effort);
  const opened = models.open(route);
  if (!opened.ok)
    return { kind: "refused", why: `${capital(opened.problem)}. ${opened.hint} Nothing was changed.`, code: "failed" };
  const [before, after] = [described(runner.session.route), described(route)];
  if (isOnce) {
    runner.nextRoute = route;
    return lines(`The next prompt goes to ${after}, then ${before} again.`);
  }
  const old = runner.session;
  const { id } = old;
  if (before === after) return lines(`The model is ${after} already.`, { session: id, ...toJson(route) });
  const note = { text: `model: ${before} → ${after}`, at: context.now() };
  const changed = await db.setModel(id, route, note);
  if ("kind" in changed) return refused(changed, context);
  runner.nextRoute = undefined;
  await runner.refresh();
  return lines(note.text, { session: id, ...toJson(route), before: modelOf(old) });
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
