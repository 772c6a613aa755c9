// /tools: what the model may use, what each can do to the world, and what the approval mode makes of it.
import { decide, parseRule, type Rule } from "../agent/approvals.ts";
import { toolRegistry } from "../agent/tools/registry.ts";
import type { Tool } from "../agent/tools/tool.ts";
import type { Effect } from "../ledger/types.ts";
import { type CommandContext, defineCommand } from "./command.ts";

const EFFECTS: Readonly<Record<Effect, string>> = {
  none: "only reads",
  idempotent: "may be repeated",
  reversible: "changes files, kept before and after",
  external: "changes the world",
};
const ANSWERS = { allow: "runs", ask: "asks", deny: "is refused" } as const;

export const toolsCommand = defineCommand({
  name: "tools",
  summary: "the model's tools, what they do, and which of them ask first",
  example: "/tools",
  during: "any",
  async run(_, context) {
    const tools = (await toolRegistry()).listTools().map((tool) => describe(context, tool));
    return {
      kind: "rows",
      columns: ["tool", "effect", context.runner.mode, "rules"],
      rows: tools.map(({ name, effect, approval, rules }) => [
        name,
        `${effect}: ${EFFECTS[effect]}`,
        ANSWERS[approval],
        rules.join(" · "),
      ]),
      empty: "There are no tools.",
      json: tools,
    };
  },
});

/** What a plain call inside the folder would get; a rule with a prefix decides by the call and is listed. */
function describe({ runner, settings }: CommandContext, { name, effect }: Tool) {
  const { allow, deny } = settings.rules();
  const [allowed, denied] = [ofTool(allow, name), ofTool(deny, name)];
  const isWhole = ({ prefix }: Rule) => prefix === undefined;
  const { kind: approval } = decide({
    mode: runner.mode,
    rules: { allow: allowed.filter(isWhole), deny: denied.filter(isWhole) },
    tool: name,
    effect,
    subject: name === "shell" ? "true" : "a-file",
    insideCwd: true,
  });
  const rules = [...allowed.map(({ text }) => `allow ${text}`), ...denied.map(({ text }) => `deny ${text}`)];
  return { name, effect, approval, rules };
}

function ofTool(rules: readonly string[], tool: string): Rule[] {
  return rules.flatMap((text) => {
    const parsed = parseRule(text);
    return parsed.ok && parsed.rule.tool === tool ? [parsed.rule] : [];
  });
}
