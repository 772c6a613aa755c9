// Asking a person about one call until there is an answer that can be acted on: a rule that could not be stored and
// an edit that a rule forbids are asked about again, with the reason, and nothing that was written is lost.
import type { Approval } from "../ledger/tool-calls.ts";
import type { Json, ToolCall } from "../ledger/types.ts";
import { type ApprovalQuestion, decide } from "./approvals.ts";
import { rulesOffered } from "./rules-offered.ts";
import type { Tool } from "./tools/tool.ts";
import type { ApprovalAsk, ApprovalReply, TurnContext } from "./turn-context.ts";

export interface Runnable {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly input: unknown;
}

export type Allowed =
  | { readonly kind: "allowed"; readonly by: Approval; readonly input: unknown }
  | { readonly kind: "denied"; readonly why: string }
  /** It would fail whatever anybody says. */
  | { readonly kind: "impossible"; readonly why: string }
  | { readonly kind: "stopped" };

/** To be asked once more: why, and what was written. */
interface Again {
  readonly kind: "again";
  readonly why: string;
  readonly edited?: string;
}

export async function askPerson(context: TurnContext, runnable: Runnable, why: string): Promise<Allowed> {
  const obstacle = await runnable.tool.obstacle?.(runnable.input, context);
  if (obstacle !== undefined) return { kind: "impossible", why: obstacle };
  const preview = await runnable.tool.preview?.(runnable.input, context);
  for (let next: Again = { kind: "again", why }; ; ) {
    const ask = await askOf(context, runnable, { ...next, ...(preview !== undefined && { preview }) });
    const reply = await context.ask(ask, context.signal);
    if (context.signal.aborted) return { kind: "stopped" };
    const answer = await act(context, runnable, reply);
    if (answer.kind !== "again") return answer;
    next = answer;
  }
}

async function askOf(
  context: TurnContext,
  runnable: Runnable,
  { why, edited, preview }: { why: string; edited?: string; preview?: string },
): Promise<ApprovalAsk> {
  const { call, tool, input } = runnable;
  const question = await questionOf(context, runnable);
  const { allow, allowMeans, deny, none } = rulesOffered(question);
  return {
    call,
    summary: tool.summarize(input),
    subject: question.subject,
    why,
    mode: question.mode,
    isEditable: tool.withSubject !== undefined,
    ...(preview !== undefined && { preview }),
    ...(allow && { rule: allow.text }),
    ...(allowMeans !== undefined && { ruleMeans: allowMeans }),
    ...(deny && { deny: deny.text }),
    ...(none !== undefined && { noRule: none }),
    ...(edited !== undefined && { edited }),
  };
}

async function act(context: TurnContext, runnable: Runnable, reply: ApprovalReply): Promise<Allowed | Again> {
  switch (reply.kind) {
    case "once":
      return { kind: "allowed", by: "person", input: runnable.input };
    case "always":
    case "never":
      return keep(context, runnable, reply);
    case "edited":
      return change(context, runnable, reply.subject);
    case "nobody":
      return { kind: "denied", why: "nobody can be asked here; --yes allows it, or a rule" };
    case "no":
      return { kind: "denied", why: reply.because ? `The person said no: ${reply.because}` : "The person said no." };
  }
}

async function keep(
  context: TurnContext,
  { input }: Runnable,
  { kind, rule }: { kind: "always" | "never"; rule: string },
): Promise<Allowed | Again> {
  const list = kind === "always" ? "allow" : "deny";
  const stored = await context.keepRule(list, rule);
  if (!stored.ok) return { kind: "again", why: `the rule could not be stored: ${stored.problem}` };
  const { file } = stored;
  context.emit({ type: "rule-kept", kind: list, rule, ...(file !== undefined && { file }) });
  if (kind === "always") return { kind: "allowed", by: rule, input };
  const why = `The person said no, and from now on the rule ${rule} forbids this; do not try it another way.`;
  return { kind: "denied", why };
}

/** A person's own rules hold for what they write as well. */
async function change(context: TurnContext, runnable: Runnable, subject: string): Promise<Allowed | Again> {
  const { tool } = runnable;
  const changed = tool.withSubject?.(runnable.input, subject) as Json | undefined;
  if (changed === undefined) return { kind: "again", why: `a call of ${tool.name} cannot be changed` };
  const parsed = tool.parse(changed);
  if (!parsed.ok) return { kind: "again", why: parsed.problem, edited: subject };
  const { input } = parsed;
  const decision = decide(await questionOf(context, { ...runnable, input }));
  if (decision.kind === "deny") return { kind: "again", why: decision.why, edited: subject };
  return { kind: "allowed", by: { changedTo: changed }, input };
}

export async function questionOf(
  context: TurnContext,
  { tool, input }: Omit<Runnable, "call">,
): Promise<ApprovalQuestion> {
  const subject = tool.subject(input);
  const isFile = tool.effect === "reversible";
  const insideCwd = isFile && (await context.files.isInside(context.cwd, subject));
  const target = insideCwd ? await context.files.target(context.cwd, subject, { mayBeUnread: true }) : undefined;
  return {
    mode: context.approval.mode(),
    rules: context.approval.rules(),
    tool: tool.name,
    effect: tool.effect,
    subject,
    insideCwd,
    cwd: context.cwd,
    ...(target?.ok && { landsOn: target.value.path }),
  };
}
