// /recover: what the last crash left, and a person's word about it. Nothing is guessed, nothing is repeated
// unless it is said here.
import { newHolderId } from "../ledger/ids.ts";
import type { LeaseRef } from "../ledger/leases.ts";
import { type OpenTurn, withLease } from "../ledger/recovery.ts";
import type { Admission, AdmissionId, CallId } from "../ledger/types.ts";
import { countWord, hasFlag } from "./args.ts";
import { type CommandArgs, type CommandResult, defineCommand, type FreeContext } from "./command.ts";
import { called, lines, refused, usage } from "./results.ts";

const TURN = { name: "turn", help: "its number, as /recover lists it", required: true } as const;
const VERDICTS = ["happened", "not-happened", "again"] as const;

export const recoverCommand = defineCommand({
  name: "recover",
  summary: "what the last crash left, and what becomes of it",
  verbs: [
    defineCommand({
      name: "resume",
      summary: "go on with an interrupted turn",
      args: [TURN],
      during: "idle",
      needsNoSession: true,
      run: resume,
    }),
    defineCommand({
      name: "settle",
      summary: "end an interrupted turn as it is",
      args: [TURN],
      during: "any",
      needsNoSession: true,
      run: settle,
    }),
    defineCommand({
      name: "call",
      summary: "say what became of a tool call whose end is not known",
      args: [{ name: "call", help: "its number, as /recover lists it", required: true }],
      flags: [
        { name: "happened", help: "its effect is there" },
        { name: "not-happened", help: "its effect is not there" },
        { name: "again", help: "run it again when the turn is resumed" },
      ],
      during: "any",
      needsNoSession: true,
      run: decideCall,
    }),
  ],
  during: "any",
  needsNoSession: true,
  async run(_, context) {
    const { steps, open } = await context.recover();
    return { kind: "recovery", steps, open, json: { steps, open: open.map(openJson), undelivered: [], drafts: [] } };
  },
});

function openJson({ admission, session, calls }: OpenTurn): object {
  const { id, summary, status, startedAt } = admission;
  return {
    admission: id,
    session: session.id,
    prompt: summary,
    state: status,
    ...(startedAt !== undefined && { startedAt }),
    calls: calls.map(({ id: call, tool, input, state, evidence }) => ({
      id: call,
      tool,
      input,
      state,
      ...(evidence !== undefined && { evidence }),
    })),
  };
}

async function resume({ words: [word] }: CommandArgs, context: FreeContext): Promise<CommandResult> {
  const { db } = context;
  const id = countWord(word, "turn");
  if (!id.ok) return usage(id.problem);
  const admission = await db.admission(id.value as AdmissionId);
  if (admission.status === "queued" || admission.status === "terminal") return notOpen(admission);
  const undecided = await underLease(context, admission, async (lease) => {
    const calls = await db.reconcileCalls(lease, admission.id);
    return calls.filter(({ state, result }) => state === "unknown" && result === undefined);
  });
  if ("kind" in undecided) return undecided;
  if (undecided.length > 0) {
    const calls = undecided.map((call) => `${call.id} (${call.tool})`).join(", ");
    return {
      kind: "refused",
      why: `Decide first about tool call ${calls}: /recover call ID --happened, --not-happened or --again.`,
      code: "person",
    };
  }
  const session = await db.canonical(admission.conversation);
  const runner = await context.runnerFor(session);
  const result = await runner.resume(admission.id);
  if (result.kind !== "resumed") return refused(result, context);
  const json = { admission: admission.id, session: session.id, state: "resumed" };
  return { kind: "turn", runner, lines: [`Goes on: ${admission.summary}`], json };
}

async function settle({ words: [word] }: CommandArgs, context: FreeContext): Promise<CommandResult> {
  const { db } = context;
  const id = countWord(word, "turn");
  if (!id.ok) return usage(id.problem);
  const before = await db.admission(id.value as AdmissionId);
  if (before.status === "queued" || before.status === "terminal") return notOpen(before);
  const settled = await underLease(context, before, async (lease) => {
    await db.reconcileCalls(lease, before.id);
    const end = { id: before.id, outcome: "interrupted", note: "Settled as interrupted after a crash." } as const;
    return db.settleUnknown(lease, { ...end, at: context.now() });
  });
  if ("kind" in settled) return settled;
  const { admission, messages } = settled;
  const runner = ownRunner(context, admission);
  if (runner) {
    for (const message of messages) runner.emit({ type: "message-added", message });
    runner.emit({ type: "turn-settled", admission: admission.id, outcome: admission.outcome ?? "interrupted" });
    await runner.refresh();
    runner.wake();
  }
  const { id: turn, session, outcome } = admission;
  return lines(`Turn ${turn} is settled as ${outcome}: ${admission.summary}`, { admission: turn, session, outcome });
}

async function decideCall(args: CommandArgs, context: FreeContext): Promise<CommandResult> {
  const { db } = context;
  const id = countWord(args.words[0], "call");
  if (!id.ok) return usage(id.problem);
  const [verdict, another] = VERDICTS.filter((each) => hasFlag(args, each));
  if (verdict === undefined || another !== undefined)
    return usage("Say one of --happened, --not-happened, --again.", "Look at the world first: only you can know.");
  const call = await db.call(id.value as CallId);
  const admission = await db.admission(call.admission);
  const resolved = await underLease(context, admission, async (lease) => {
    await db.reconcileCalls(lease, admission.id);
    return db.resolveCall(lease, { id: call.id, verdict, at: context.now() });
  });
  if ("kind" in resolved) return resolved;
  const runner = ownRunner(context, admission);
  runner?.emit({ type: "call-changed", call: resolved });
  const message = resolved.result === undefined ? undefined : await db.message(resolved.result);
  if (message) runner?.emit({ type: "message-added", message });
  const json = { call: call.id, admission: admission.id, tool: call.tool, state: resolved.state, verdict };
  const said = { happened: "it happened", "not-happened": "it did not happen", again: "it will be run again" }[verdict];
  const next = called(`recover resume ${admission.id}`, context);
  return lines(`Call ${call.id} (${call.tool}): ${said}. Next: ${next}`, json);
}

/** A holder of its own: whoever holds the conversation now, this program too, is in the way. */
async function underLease<T extends object>(
  context: FreeContext,
  { conversation }: Admission,
  action: (lease: LeaseRef) => Promise<T>,
): Promise<T | Extract<CommandResult, { kind: "refused" }>> {
  const result = await withLease(context.db, { conversation, holder: newHolderId(process.pid) }, action);
  if ("kind" in result && result.kind === "busy") return refused({ kind: "busy", why: String(result.why) }, context);
  return result as T;
}

function notOpen({ id, status, outcome }: Admission): CommandResult {
  const state = status === "queued" ? "waits in the queue" : `is over: ${outcome}`;
  return { kind: "refused", why: `Turn ${id} ${state}; there is nothing to recover.`, code: "conflict" };
}

function ownRunner({ runner }: FreeContext, { conversation }: Admission) {
  return runner?.session.conversation === conversation ? runner : undefined;
}
