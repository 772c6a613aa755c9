// The calls of an answer, one after the other: fits the schema? allowed? started, run, ended – each step
// committed before the next, so that a crash at any point leaves a state that says how far it came.
import { brokenRule } from "../ledger/broken-rule.ts";
import { crashPoint } from "../ledger/crash-points.ts";
import { SteleError } from "../ledger/errors.ts";
import type { ToolCall } from "../ledger/types.ts";
import { decide } from "./approvals.ts";
import { type Allowed, askPerson, questionOf, type Runnable } from "./ask-person.ts";
import { storedOutcome } from "./capped-output.ts";
import { searchAll } from "./search-all.ts";
import { isBackgroundJob, removeSpool } from "./spool/spool.ts";
import { nextSpoolFolder } from "./spool-folder.ts";
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
  if (allowed.kind === "impossible") return refuse(context, state, { call, end: "failed", output: allowed.why });
  const approved = await context.db.approveCall(context.turn, call.id, allowed.by);
  context.emit({ type: "call-changed", call: approved });
  await runCall(context, state, { call, tool: found.tool, input: allowed.input });
}

async function runCall(context: TurnContext, state: TurnState, { call, tool, input }: Runnable): Promise<void> {
  const { db, turn } = context;
  if (brokenRule === "intent") return runBeforeIntent(context, state, { call, tool, input });
  const spool = tool.spools ? nextSpoolFolder(context.spoolRoot, call) : undefined;
  const started = await db.startCall(turn, call.id, spool);
  context.emit({ type: "call-changed", call: started });
  crashPoint("before:tool-run");
  const { result, evidence } = await scanned(context, started, () =>
    runSafely(tool, input, toolContext(context, started)),
  );
  crashPoint("after:tool-run");
  await finish(context, state, { call, result, ...(evidence !== undefined && { evidence }) });
  // Only now: until its result is stored, the folder is the proof of what happened.
  if (spool !== undefined && !(await isBackgroundJob(spool))) await removeSpool(spool);
}

/** What the soak must notice: the effect comes before the row that speaks of it. */
async function runBeforeIntent(context: TurnContext, state: TurnState, { call, tool, input }: Runnable): Promise<void> {
  const { beforeChange: _, ...unplanned } = toolContext(context, call);
  const result = await runSafely(tool, input, unplanned);
  context.emit({ type: "call-changed", call: await context.db.startCall(context.turn, call.id) });
  await finish(context, state, { call, result });
}

function toolContext(context: TurnContext, call: ToolCall): ToolContext {
  const { db, turn, signal, files, cwd, spoolRoot } = context;
  return {
    cwd,
    signal,
    files,
    spoolRoot,
    effectKey: call.effectKey,
    search: async (words, limit) => {
      const wish = { words, limit, without: turn.conversation };
      return (await searchAll(db, wish, { signal })).hits;
    },
    onOutput: (chunk) => context.emit({ type: "call-output", call: call.call, chunk }),
    beforeChange: async ({ path, before, after }) => {
      const mode = before?.mode ?? after.mode ?? 0o666 & ~process.umask();
      await db.planChange(turn, call.id, {
        path,
        ...(before && { before: { ...before, mode } }),
        after: { ...after, mode: after.mode ?? mode },
      });
    },
    ...(call.spool !== undefined && {
      spool: {
        folder: call.spool,
        onSupervisor: async (identity) => {
          await db.setSupervisor(turn, call.id, identity);
        },
      },
    }),
  };
}

const STOPPED_SCAN_MS = 300;

interface Scanned {
  readonly result: ToolResult;
  /** Why what it did to files is not known. */
  readonly evidence?: string;
}

/** What a command did to files is not told by it: the folder is compared before and after. */
async function scanned(context: TurnContext, call: ToolCall, run: () => Promise<ToolResult>): Promise<Scanned> {
  if (call.spool === undefined) return { result: await run() };
  const { scanner, signal } = context;
  const before = await scanner.before(signal);
  const result = await run();
  if ("skipped" in before) return { result, evidence: `folder not compared: ${before.skipped}` };
  // A stopped command has changed files all the same; who stopped it waits for the end of this.
  const after = { signal: signal.aborted ? AbortSignal.timeout(STOPPED_SCAN_MS) : signal, endedAt: context.now() };
  const changes = await scanner.after(before, after);
  if ("skipped" in changes) return { result, evidence: `folder not compared: ${changes.skipped}` };
  if (changes.length > 0) await context.db.suspectChanges(context.turn, call.id, changes);
  return { result };
}

/** A tool that throws has a defect: the model is told, the turn goes on. What the ledger refused ends the turn. */
async function runSafely(tool: Tool, input: unknown, context: ToolContext): Promise<ToolResult> {
  try {
    return await tool.run(input, context);
  } catch (error) {
    if (error instanceof SteleError) throw error;
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

const ENDS = { ok: "succeeded", failed: "failed", cancelled: "cancelled", unknown: "unknown" } as const;

async function finish(
  context: TurnContext,
  state: TurnState,
  { call, result, evidence }: { call: ToolCall } & Scanned,
): Promise<void> {
  const finished = await context.db.finishCall(context.turn, {
    id: call.id,
    end: ENDS[result.kind],
    at: context.now(),
    ...storedOutcome(result),
    ...(evidence !== undefined && { evidence }),
  });
  context.emit({ type: "call-changed", call: finished.call });
  added(context, state, finished.message);
}

async function allow(context: TurnContext, runnable: Runnable): Promise<Allowed> {
  const { call, input } = runnable;
  // Allowed before a crash, by a person or a rule, and not started since: it stays allowed.
  if (call.state === "approved" && call.approval !== undefined) return { kind: "allowed", by: call.approval, input };
  const decision = decide(await questionOf(context, runnable));
  if (decision.kind === "allow") return { kind: "allowed", by: decision.by, input };
  if (decision.kind === "deny") return { kind: "denied", why: decision.why };
  return askPerson(context, runnable, decision.why);
}
