// /loop: a prompt, or a command that may be repeated, again and again: at an interval, or at a pace of its own. Started,
// paused and looked at here; LoopKeeper runs it while its conversation is open.

import { loopJson } from "../agent/loop/loop-json.ts";
import { modelFacts } from "../agent/models/catalogue.ts";
import { routeName } from "../agent/models/route-name.ts";
import { durationText } from "../config/durations.ts";
import type { Loop, LoopTick, Refusal } from "../ledger/types.ts";
import { ageOf } from "./ages.ts";
import { type CommandContext, type CommandResult, defineCommand } from "./command.ts";
import { LOOP_FLAGS, type LoopWish, parseLoop } from "./loop-grammar.ts";
import { type CommandRegistry, parseCommand } from "./parse-command.ts";
import { called, counted, lines, refused, usage } from "./results.ts";

const USAGE = "[every] [interval] <prompt or /command> [--times <n>] [--budget <usd>] [--until <text>]";
/** Of ticks, as `status` lists them. */
const LISTED = 12;

export const loopCommand = (registry: () => CommandRegistry) =>
  defineCommand({
    name: "loop",
    aliases: ["proactive"],
    summary: "do something again and again; status, pause, resume, stop",
    example: "/loop every 10m /status --times 3",
    args: [{ name: "what", help: `${USAGE}, or status, pause, resume, stop`, rest: true }],
    isRaw: true,
    rawFlags: LOOP_FLAGS,
    during: "any",
    run: ({ words: [text = ""] }, context) => run(text, context, registry()),
  });

async function run(text: string, context: CommandContext, registry: CommandRegistry): Promise<CommandResult> {
  const words = parseLoop(text, context.settings.loops());
  switch (words.kind) {
    case "wrong":
      return usage(words.problem, `Usage: ${called(`loop ${USAGE}`, context)}`);
    case "help":
      return lines([`Usage: ${called(`loop ${USAGE}`, context)}`, ...HELP]);
    case "status":
      return status(context);
    case "start":
      return start(words.wish, context, registry);
    case "pause":
      return told(await keeperOf(context).pause("you paused it", true), context);
    case "resume":
      return resume(context, words.isForeground);
    case "stop":
      return told(await keeperOf(context).stop(), context);
  }
}

const HELP = [
  "With an interval (30s, 5m, 1h30m) it comes at that interval, counted from the end of each turn.",
  "Without one it sets its own pace: nothing new doubles the wait, anything new begins again.",
  "It ends with --times, with --until, or when the model says LOOP_COMPLETE; it waits while you type.",
  "A command may be repeated too: /loop 10m /usage",
];

async function start(wish: LoopWish, context: CommandContext, registry: CommandRegistry): Promise<CommandResult> {
  const problem = commandProblem(wish.text, registry);
  if (problem !== undefined) return usage(problem.message, problem.hint);
  if (context.surface === "argv" && !wish.isForeground)
    return usage(
      "A loop runs only while a stele is open on its conversation.",
      "Add --foreground to stay and run it here.",
    );
  const { route } = context.runner.session;
  const isPriced = route.provider === "guide" || modelFacts(route, context.settings.models()).prices !== undefined;
  if (wish.budgetUsd !== undefined && !isPriced)
    return usage(
      `What ${routeName(route)} costs is not known: --budget could not be kept.`,
      "Give its prices under models in the config, or take --times.",
    );
  const { minIntervalMs: _, ...limits } = context.settings.loops();
  const { isForeground, ...asked } = wish;
  const { runner } = context;
  const loop = await keeperOf(context).start({ ...asked, ...limits, approval: runner.mode, cwd: runner.session.cwd });
  if ("kind" in loop) return refused(loop, context);
  const said = [`Loop: ${paceOf(loop)}${endsOf(loop)}.`, "It waits while you type; esc pauses it, /loop stop ends it."];
  return isForeground && context.surface === "argv"
    ? { kind: "loop", loop, lines: [said[0] ?? ""] }
    : lines(said, loopJson(loop));
}

/** A command runs only when it may be repeated: its words are the loop's every time. */
function commandProblem(text: string, registry: CommandRegistry): { message: string; hint: string } | undefined {
  if (!text.startsWith("/")) return undefined;
  const parsed = parseCommand(text, registry);
  if (!parsed.ok) return { message: parsed.usage.message, hint: parsed.usage.hint ?? "See: /help" };
  if (parsed.command.isRepeatable) return undefined;
  const names = registry.commands.filter(({ isRepeatable }) => isRepeatable).map(({ name }) => `/${name}`);
  return { message: `/${parsed.path} cannot be repeated by a loop.`, hint: `These can: ${names.join(", ")}` };
}

async function resume(context: CommandContext, isForeground: boolean): Promise<CommandResult> {
  const isHeadless = context.surface === "argv";
  if (isHeadless && !isForeground)
    return usage(
      "A loop runs only while a stele is open on its conversation.",
      "Add --foreground to stay and run it here, or open the conversation: /loop resume.",
    );
  const loop = await keeperOf(context).resume();
  if ("kind" in loop) return refused(loop as Refusal, context);
  return isHeadless ? { kind: "loop", loop, lines: statusLines(loop, context.now()) } : told(loop, context);
}

async function status({ db, runner, now }: CommandContext): Promise<CommandResult> {
  await db.pauseOrphanLoops();
  const loop = await db.loopOf(runner.session.conversation);
  if (!loop) return lines("There is no loop here. /loop help says how to start one.", {});
  const ticks = await db.loopTicks(loop.id, LISTED);
  const rows = ticks.toReversed().map((tick) => tickLine(tick, now()));
  const left = loop.ticks - ticks.length;
  const earlier = left > 0 ? [`  ${counted(left, "tick")} before these`] : [];
  const isRunning = ticks.some(({ outcome }) => outcome === undefined);
  return lines([...statusLines(loop, now(), isRunning), ...earlier, ...rows], { ...loopJson(loop), ticks });
}

/** While a tick runs, or waits for an approval, none is next whatever the clock says. */
function statusLines(loop: Loop, now: number, isRunning = false): readonly string[] {
  const due = nextIn(loop, now, isRunning);
  const state = loop.why === undefined ? `${loop.state}${due}` : `${loop.state}: ${loop.why}`;
  return [`“${loop.plan.text}”`, `  ${paceOf(loop)}${endsOf(loop)} · ${state} · ${counted(loop.ticks, "tick")}`];
}

function nextIn({ nextDueAt }: Loop, now: number, isRunning: boolean): string {
  if (nextDueAt === undefined) return "";
  return isRunning ? ", a tick runs" : `, next in ${durationText(Math.max(0, nextDueAt - now))}`;
}

function tickLine({ slot, firedAt, outcome, tookMs, isChanged }: LoopTick, now: number): string {
  const took = tookMs === undefined ? "" : ` in ${durationText(tookMs)}`;
  const news = isChanged === undefined ? "" : isChanged ? ", something new" : ", nothing new";
  return `  ${String(slot + 1).padStart(3)}  ${ageOf(firedAt ?? now, now).padEnd(16)} ${outcome ?? "runs"}${took}${news}`;
}

function told(loop: Loop | undefined, context: CommandContext): CommandResult {
  if (!loop) return lines("There is no loop here.", {});
  return lines([...statusLines(loop, context.now())], loopJson(loop));
}

function paceOf({ plan }: Loop): string {
  if (plan.everyMs !== undefined) return `every ${durationText(plan.everyMs)}`;
  return `at its own pace, ${durationText(plan.floorMs)} to ${durationText(plan.ceilingMs)}`;
}

function endsOf({ plan: { times, until, budgetUsd } }: Loop): string {
  const ends = [
    ...(times === undefined ? [] : [counted(times, "time")]),
    ...(until === undefined ? [] : [`until: ${until}`]),
    ...(budgetUsd === undefined ? [] : [`for at most $${budgetUsd}`]),
  ];
  return ends.map((each) => `, ${each}`).join("");
}

function keeperOf(context: CommandContext) {
  if (!context.loop) throw new TypeError("a loop needs a keeper");
  return context.loop;
}
