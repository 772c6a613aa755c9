// /model: which model answers from now on, or once, and with which effort. The route of a session is one unit: a switch
// that cannot be made changes nothing of it.

import { effortOf } from "../agent/models/effort.ts";
import { isSameRoute, routeWords, switchRoute, switchWords } from "../agent/models/switch-route.ts";
import type { ModelRoute } from "../ledger/types.ts";
import { hasFlag, textFlag } from "./args.ts";
import { type CommandContext, type CommandResult, defineCommand } from "./command.ts";
import { modelItems } from "./model-items.ts";
import { called, counted, lines, modelOf, refused, usage } from "./results.ts";

/** Local servers are asked for their models; one that does not answer is not waited for. */
export const DISCOVER_MS = 1_500;

export const modelCommand = defineCommand({
  name: "model",
  summary: "choose the model",
  example: "/model local/b",
  args: [{ name: "provider/model", help: "or an alias; without it, a list to pick from" }],
  flags: [
    { name: "once", help: "for the next prompt only" },
    { name: "effort", help: "how much the model thinks: one of its levels, or default", value: "text" },
  ],
  during: "any",
  async run(args, context) {
    const [name] = args.words;
    const isOnce = hasFlag(args, "once");
    if (isOnce && context.surface === "argv")
      return usage("--once is for the screen.", "For one prompt: stele run --model PROVIDER/MODEL");
    const effort = textFlag(args, "effort");
    if (name === undefined && effort === undefined) return pick(context, isOnce);
    return choose(context, { ...(name !== undefined && { name }), ...(effort !== undefined && { effort }) }, isOnce);
  },
});

async function pick(context: CommandContext, isOnce: boolean): Promise<CommandResult> {
  const { models, runner, surface } = context;
  const { id, route } = runner.session;
  if (surface === "argv") return lines(routeWords(route), { session: id, ...toJson(route) });
  await models.discover(AbortSignal.timeout(DISCOVER_MS));
  const items = modelItems(context, isOnce);
  const current = items.find(({ label }) => label === modelOf({ route }));
  return {
    kind: "pick",
    title: isOnce ? "Model of the next prompt" : "Model of this conversation",
    items,
    ...(current && { selected: current.command }),
    empty: "No model can be used. /models says why.",
    enter: "takes it",
    ...(items.some(({ turns }) => turns) && { note: "← → sets the effort", turned: "effort" }),
  };
}

function toJson(route: ModelRoute): { model: string; effort?: string } {
  const effort = effortOf(route);
  return { model: modelOf({ route }), ...(effort !== undefined && { effort }) };
}

interface Asked {
  /** Absent: the session's own. */
  readonly name?: string;
  readonly effort?: string;
}

async function choose(context: CommandContext, { name, effort }: Asked, isOnce: boolean): Promise<CommandResult> {
  const { models, runner } = context;
  const from = runner.session.route;
  const resolved = name === undefined ? { ok: true as const, route: from } : models.resolve(name);
  if (!resolved.ok) {
    const hint =
      resolved.nearest.length > 0 ? `Nearest: ${resolved.nearest.join(", ")}` : `See: ${called("models", context)}`;
    return usage(`${capital(resolved.problem)}.`, hint);
  }
  const switched = switchRoute(models, from, { to: resolved.route, ...(effort !== undefined && { effort }) });
  if (!switched.ok) return usage(`${capital(switched.problem)}.`, switched.hint);
  const opened = models.open(switched.route);
  if (!opened.ok)
    return { kind: "refused", why: `${capital(opened.problem)}. ${opened.hint} Nothing was changed.`, code: "failed" };
  const lost = switched.dropped === undefined ? "" : `; it has no effort "${switched.dropped}", so it has its default`;
  if (!isOnce) return change(context, { route: switched.route, lost });
  runner.nextRoute = switched.route;
  return lines(`The next prompt goes to ${routeWords(switched.route)}, then ${routeWords(from)} again${lost}.`);
}

async function change(
  context: CommandContext,
  { route, lost }: { readonly route: ModelRoute; readonly lost: string },
): Promise<CommandResult> {
  const { db, runner } = context;
  const old = runner.session;
  const json = { session: old.id, ...toJson(route) };
  runner.nextRoute = undefined;
  if (isSameRoute(route, old.route)) return lines(`The model is ${routeWords(route)} already.`, json);
  const text = `${switchWords(old.route, route)}${lost}`;
  // Between turns its lease is the runner's own, and would be in the way.
  await runner.isBusy();
  const changed = await db.setModel(old.id, route, { text, at: context.now() });
  if ("kind" in changed) return refused(changed, context);
  await runner.refresh();
  return lines([text, ...(await waiting(context))], { ...json, before: modelOf(old) });
}

/** What waits goes on when a person says so: it was written for another model. */
async function waiting(context: CommandContext): Promise<readonly string[]> {
  const open = await context.db.openAdmissions(context.runner.session.conversation);
  const count = open.filter((each) => each.status === "queued" && each.held !== undefined).length;
  if (count === 0) return [];
  return [
    `${counted(count, "prompt")} ${count === 1 ? "waits" : "wait"}: ${called("queue run", context)} sends what waits.`,
  ];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
