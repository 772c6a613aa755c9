// The calls of an answer, one after the other: fits the schema? allowed? started, run, ended – each step
// committed before the next, so that a crash at any point leaves a state that says how far it came.
import { crashPoint } from "../ledger/crash-points.ts";
import type { ToolCall } from "../ledger/types.ts";
import { type Decision, decide, ruleFor } from "./approvals.ts";
import { cappedOutput } from "./capped-output.ts";
import type { Tool, ToolContext, ToolResult } from "./tools/tool.ts";
import { added, type TurnContext, type TurnState } from "./turn-context.ts";

/** Every call of this turn that has no result yet, in order. A stop leaves the rest to settle. */
export async function finishOpenCalls(context: TurnContext, state: TurnState): Promise<void> {
  const calls = await context.db.callsOf(context.turn.admission);
  for (const call of calls.filter((each) => each.result === undefined)) {
    if (context.signal.aborted) return;
    await finishCall(context, state, call);
  }
}

async function finishCall(context: TurnContext, state: TurnState, call: ToolCall): Promise<void> {
  const found = context.tools.findTool(call.tool);
  if (!found.found) return refuse(context, state, { call, end: "failed", output: found.result.output ?? "" });
  const parsed = found.tool.parse(call.input);
  if (!parsed.ok) {
    const output = `The call does not fit ${call.tool}: ${parsed.problem}`;
    return refuse(context, state, { call, end: "failed", output });
  }
  const allowed = await allow(context, { call, tool: found.tool, input: parsed.input });
  if (allowed.kind === "stopped") return;
  if (allowed.kind === "denied") return refuse(context, state, { call, end: "denied", output: allowed.why });
  const approved = await context.db.approveCall(context.turn, call.id, allowed.by);
  context.emit({ type: "call-changed", call: approved });
  await runCall(context, state, { call, tool: found.tool, input: parsed.input });
}

interface Runnable {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly input: unknown;
}

async function runCall(context: TurnContext, state: TurnState, { call, tool, input }: Runnable): Promise<void> {
  const { db, turn, signal } = context;
  context.emit({ type: "call-changed", call: await db.startCall(turn, call.id) });
  crashPoint("before:tool-run");
  const toolContext: ToolContext = {
    cwd: context.cwd,
    signal,
    files: context.files,
    effectKey: call.effectKey,
    onOutput: (chunk) => context.emit({ type: "call-output", call: call.call, chunk }),
  };
  const result = await runSafely(tool, input, toolContext);
  crashPoint("after:tool-run");
  const end = { ok: "succeeded", failed: "failed", cancelled: "cancelled" } as const;
  await finish(context, state, { call, end: end[result.kind], result });
}

/** A tool that throws has a defect: the model is told, the turn goes on. */
async function runSafely(tool: Tool, input: unknown, context: ToolContext): Promise<ToolResult> {
  try {
    return await tool.run(input, context);
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return { kind: "failed", output: `${tool.name} broke off with an unexpected error: ${words}` };
  }
}

async function refuse(
  context: TurnContext,
  state: TurnState,
  { call, end, output }: { call: ToolCall; end: "failed" | "denied"; output: string },
): Promise<void> {
  const { db, turn } = context;
  const isFresh = call.state === "proposed";
  if (!isFresh) await db.startCall(turn, call.id);
  const ending = isFresh && end === "failed" ? "skipped" : end;
  const kind = end === "denied" ? "denied" : "failed";
  const finished = await db.finishCall(turn, {
    id: call.id,
    end: ending,
    outcome: { kind, output },
    at: context.now(),
  });
  context.emit({ type: "call-changed", call: finished.call });
  added(context, state, finished.message);
}

async function finish(
  context: TurnContext,
  state: TurnState,
  { call, end, result }: { call: ToolCall; end: "succeeded" | "failed" | "cancelled"; result: ToolResult },
): Promise<void> {
  const capped = cappedOutput(result.output ?? "");
  const finished = await context.db.finishCall(context.turn, {
    id: call.id,
    end,
    at: context.now(),
    outcome: {
      kind: result.kind,
      output: capped.shown,
      ...(result.exitCode !== undefined && { exitCode: result.exitCode }),
      ...(capped.whole && { truncated: true }),
    },
    ...(capped.whole && { wholeOutput: capped.whole }),
  });
  context.emit({ type: "call-changed", call: finished.call });
  added(context, state, finished.message);
}

type Allowed =
  | { readonly kind: "allowed"; readonly by: string }
  | { readonly kind: "denied"; readonly why: string }
  | { readonly kind: "stopped" };

async function allow(context: TurnContext, runnable: Runnable): Promise<Allowed> {
  const { call, tool, input } = runnable;
  // Allowed before a crash, by a person or a rule, and not started since: it stays allowed.
  if (call.state === "approved" && call.approval !== undefined) return { kind: "allowed", by: call.approval };
  const decision = await judge(context, runnable);
  if (decision.kind === "allow") return { kind: "allowed", by: decision.by };
  if (decision.kind === "deny") return { kind: "denied", why: decision.why };
  const subject = tool.subject(input);
  const rule = ruleFor(tool.name, subject);
  const preview = await tool.preview?.(input, context);
  const reply = await context.ask(
    {
      call,
      summary: tool.summarize(input),
      subject,
      why: decision.why,
      ...(preview !== undefined && { preview }),
      ...(rule !== undefined && { rule: rule.text }),
    },
    context.signal,
  );
  if (context.signal.aborted) return { kind: "stopped" };
  if (reply.kind === "once") return { kind: "allowed", by: "person" };
  if (reply.kind === "always") return { kind: "allowed", by: reply.rule };
  return { kind: "denied", why: reply.because ? `The person said no: ${reply.because}` : "The person said no." };
}

async function judge(context: TurnContext, { tool, input }: Runnable): Promise<Decision> {
  const subject = tool.subject(input);
  const insideCwd = tool.effect === "reversible" && (await context.files.isInside(context.cwd, subject));
  return decide({
    mode: context.approval.mode(),
    rules: context.approval.rules(),
    tool: tool.name,
    effect: tool.effect,
    subject,
    insideCwd,
    cwd: context.cwd,
  });
}
