// /model: which model answers from now on, or once. A switch that cannot be made changes nothing.

import { hasFlag } from "./args.ts";
import { type CommandContext, type CommandResult, defineCommand } from "./command.ts";
import { lines, modelOf, refused, usage } from "./results.ts";
import { quoteWord } from "./words.ts";

/** Local servers are asked for their models; one that does not answer is not waited for. */
export const DISCOVER_MS = 1_500;

export const modelCommand = defineCommand({
  name: "model",
  summary: "choose the model",
  args: [{ name: "provider/model", help: "or an alias; without it, a list to pick from" }],
  flags: [{ name: "once", help: "for the next prompt only" }],
  during: "any",
  async run(args, context) {
    const [name] = args.words;
    const isOnce = hasFlag(args, "once");
    if (isOnce && context.surface === "argv")
      return usage("--once is for the screen.", "For one prompt: stele run --model PROVIDER/MODEL");
    return name === undefined ? pick(context, isOnce) : choose(context, name, isOnce);
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
    items: usable.map(({ id, provider }) => ({
      command: `/model ${quoteWord(id)}${isOnce ? " --once" : ""}`,
      label: id,
      detail: id === current ? "current" : provider,
    })),
    empty: "No model can be used. /models says why.",
  };
}

async function choose(context: CommandContext, name: string, isOnce: boolean): Promise<CommandResult> {
  const { db, models, runner } = context;
  const resolved = models.resolve(name);
  if (!resolved.ok) {
    const hint = resolved.nearest.length > 0 ? `Nearest: ${resolved.nearest.join(", ")}` : "See: /models";
    return usage(`${capital(resolved.problem)}.`, hint);
  }
  const { route } = resolved;
  const opened = models.open(route);
  if (!opened.ok)
    return { kind: "refused", why: `${capital(opened.problem)}. ${opened.hint} Nothing was changed.`, code: "failed" };
  const [before, after] = [modelOf(runner.session), modelOf({ route })];
  if (isOnce) {
    runner.nextRoute = route;
    return lines(`The next prompt goes to ${after}, then ${before} again.`);
  }
  const { id } = runner.session;
  if (before === after) return lines(`The model is ${after} already.`, { session: id, model: after });
  const note = { text: `model: ${before} → ${after}`, at: context.now() };
  const changed = await db.setModel(id, route, note);
  if ("kind" in changed) return refused(changed, context);
  runner.nextRoute = undefined;
  await runner.refresh();
  return lines(note.text, { session: id, model: after, before });
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
