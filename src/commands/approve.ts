// /approve: the approval mode, and the rules that allow or deny without asking.
import { parseRule } from "../agent/approvals.ts";
import { nearestNames } from "../agent/tools/nearest-names.ts";
import type { ApprovalMode } from "../ledger/types.ts";
import {
  type CommandContext,
  type CommandResult,
  defineCommand,
  type FreeCommand,
  type FreeContext,
} from "./command.ts";
import { lines, usage } from "./results.ts";

const MODES: Readonly<Record<ApprovalMode, string>> = {
  plan: "only reading runs",
  ask: "asks for everything but reading",
  edits: "file edits inside the folder run, the rest asks",
  auto: "everything runs",
};

export const approveCommand = defineCommand({
  name: "approve",
  aliases: ["permissions"],
  summary: "show or set the approval mode and its rules",
  example: "/approve edits",
  args: [{ name: "mode", help: Object.keys(MODES).join(", ") }],
  verbs: [
    ruleVerb("allow", "let calls run that fit a rule", "/approve allow shell(npm test)"),
    ruleVerb("deny", "refuse calls that fit a rule", "/approve deny shell(git push)"),
    defineCommand({
      name: "forget",
      summary: "take a rule away",
      example: "/approve forget shell(git push)",
      args: [{ name: "rule", help: "as it is listed", required: true, rest: true }],
      during: "any",
      needsNoSession: true,
      run: ({ words: [rule = ""] }, context) => forget(context, rule),
    }),
  ],
  during: "any",
  async run({ words: [mode] }, context) {
    return mode === undefined ? show(context) : setMode(context, mode);
  },
});

function show({ runner, settings }: CommandContext): CommandResult {
  const { allow, deny } = settings.rules();
  const told = [
    `${runner.mode}: ${MODES[runner.mode]}`,
    ...allow.map((rule) => `allow  ${rule}`),
    ...deny.map((rule) => `deny   ${rule}`),
  ];
  if (allow.length + deny.length === 0) told.push("No rules. /approve allow shell(npm test)");
  return lines(told, { mode: runner.mode, allow, deny });
}

function setMode({ runner, settings, surface }: CommandContext, word: string): CommandResult {
  if (!isMode(word)) {
    const [nearest] = nearestNames(word, Object.keys(MODES));
    const modes = Object.keys(MODES).join(", ");
    return usage(`There is no approval mode ${JSON.stringify(word)}.`, `Nearest: ${nearest ?? modes}; modes: ${modes}`);
  }
  if (surface === "argv")
    return usage("The mode belongs to a running stele.", "For one prompt: stele run --yes, or --read-only");
  if (word === "auto" && !settings.mayBeAuto)
    return {
      kind: "refused",
      why: `auto comes by flag (--yes) or by "approval.mode" in ${settings.configFile} only; the mode stays ${runner.mode}.`,
      code: "failed",
    };
  runner.mode = word;
  return { kind: "mode", mode: word, lines: [`${word}: ${MODES[word]}`] };
}

function isMode(word: string): word is ApprovalMode {
  return Object.hasOwn(MODES, word);
}

function ruleVerb(kind: "allow" | "deny", summary: string, example: string): FreeCommand {
  return defineCommand({
    name: kind,
    summary,
    example,
    args: [{ name: "rule", help: "tool, or tool(prefix) such as shell(npm test)", required: true, rest: true }],
    during: "any",
    needsNoSession: true,
    async run({ words: [text = ""] }, { settings }) {
      const parsed = parseRule(text);
      if (!parsed.ok) return usage(`${parsed.problem}.`);
      const rule = parsed.rule.text;
      if (settings.rules()[kind].includes(rule)) return lines(`That rule stands already: ${kind} ${rule}`);
      const stored = await settings.addRule(kind, rule);
      if (!stored.ok) return { kind: "refused", why: stored.problem, code: "failed" };
      return lines(`Stored in ${settings.configFile}: ${kind} ${rule}`, { kind, rule, file: settings.configFile });
    },
  });
}

async function forget({ settings }: FreeContext, text: string): Promise<CommandResult> {
  const { allow, deny } = settings.rules();
  const rules = [...allow, ...deny];
  const rule = text.trim();
  if (!rules.includes(rule)) {
    const nearest = nearestNames(rule, rules);
    return usage(
      `There is no rule ${JSON.stringify(rule)}.`,
      nearest.length > 0 ? `Nearest: ${nearest.join(", ")}` : "/approve lists the rules",
    );
  }
  const removed = await settings.removeRule(rule);
  if (!removed.ok) return { kind: "refused", why: removed.problem, code: "failed" };
  return lines(`Forgotten: ${rule}`, { forgotten: rule, file: settings.configFile });
}
