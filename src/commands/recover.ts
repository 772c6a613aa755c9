// /recover: what the last crash left, and a person's word about it. Nothing is guessed, nothing is repeated
// unless it is said here.
import path from "node:path";
import { stopCommand, waitForCommand } from "../agent/recovery-world.ts";
import { markBackground } from "../agent/spool/background-jobs.ts";
import { newHolderId } from "../ledger/ids.ts";
import type { LeaseRef } from "../ledger/leases.ts";
import { judgeCalls, type OpenTurn, type Undelivered, withLease } from "../ledger/recovery.ts";
import type { Admission, AdmissionId, CallId, ToolCall } from "../ledger/types.ts";
import { countWord, hasFlag } from "./args.ts";
import { type CommandArgs, type CommandResult, defineCommand, type FreeContext } from "./command.ts";
import { called, lines, refused, usage } from "./results.ts";

const TURN = { name: "turn", help: "its number, as /recover lists it", required: true } as const;
const VERDICTS = ["happened", "not-happened", "again"] as const;
const ENDINGS = ["wait", "stop"] as const;

export const recoverCommand = defineCommand({
  name: "recover",
  summary: "what the last crash left, and what becomes of it",
  example: "/recover",
  verbs: [
    defineCommand({
      name: "resume",
      summary: "go on with an interrupted turn",
      example: "/recover resume 1",
      args: [TURN],
      flags: [{ name: "changed", help: "also if the next request is not the one that was cut off" }],
      during: "idle",
      needsNoSession: true,
      run: resume,
    }),
    defineCommand({
      name: "settle",
      summary: "end an interrupted turn as it is",
      example: "/recover settle 1 --keep",
      args: [TURN],
      flags: [{ name: "keep", help: "keep the half answer that had streamed" }],
      during: "any",
      needsNoSession: true,
      run: settle,
    }),
    defineCommand({
      name: "call",
      summary: "say what became of a tool call whose end is not known",
      example: "/recover call 1 --not-happened",
      args: [{ name: "call", help: "its number, as /recover lists it", required: true }],
      flags: [
        { name: "happened", help: "its effect is there" },
        { name: "not-happened", help: "its effect is not there" },
        { name: "again", help: "run it again when the turn is resumed" },
        { name: "wait", help: "it still runs: wait for its end" },
        { name: "stop", help: "it still runs: stop it" },
      ],
      during: "any",
      needsNoSession: true,
      run: decideCall,
    }),
  ],
  during: "any",
  needsNoSession: true,
  async run(_, context) {
    const { steps, open, undelivered } = await context.recover();
    const json = {
      steps,
      open: open.map(openJson),
      undelivered: undelivered.map(undeliveredJson),
      drafts: open.flatMap(({ admission, draft }) => (draft ? [{ admission: admission.id, text: draft.text }] : [])),
    };
    return { kind: "recovery", steps, open, undelivered, json };
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

function undeliveredJson({ admission, session, message }: Undelivered): object {
  const { id, summary, settledAt } = admission;
  const text = message.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("");
  return { admission: id, session: session.id, prompt: summary, message: message.id, text, settledAt };
}

async function resume(args: CommandArgs, context: FreeContext): Promise<CommandResult> {
  const { db } = context;
  const id = countWord(args.words[0], "turn");
  if (!id.ok) return usage(id.problem);
  const admission = await db.admission(id.value as AdmissionId);
  if (admission.status === "queued" || admission.status === "terminal") return notOpen(admission);
  const undecided = await underLease(context, admission, async (lease) => {
    const calls = await judgeCalls(db, { lease, admission: admission.id, world: context.world });
    return calls.filter(({ state, result }) => (state === "unknown" || state === "running") && result === undefined);
  });
  if ("kind" in undecided) return undecided;
  if (undecided.length > 0) return { kind: "refused", why: undecidedWords(undecided), code: "person" };
  const session = await db.canonical(admission.conversation);
  const runner = await context.runnerFor(session);
  if (context.surface === "argv" && admission.payload.approval === "auto" && runner.mode !== "auto") {
    const why = `Turn ${admission.id} was begun with --yes, and nobody can be asked here: add --yes to go on like that.`;
    return { kind: "refused", why, code: "person" };
  }
  const result = await runner.resume(admission.id, { mayDiffer: hasFlag(args, "changed") });
  if (result.kind !== "resumed") return refused(result, context);
  const json = { admission: admission.id, session: session.id, state: "resumed" };
  return { kind: "turn", runner, lines: [`Goes on: ${admission.summary}`], json };
}

function undecidedWords(calls: readonly ToolCall[]): string {
  const named = (state: ToolCall["state"]) => calls.filter((call) => call.state === state).map(nameOf);
  const [unknown, running] = [named("unknown"), named("running")];
  const words = [
    ...(unknown.length > 0 ? [`tool call ${unknown.join(", ")}: --happened, --not-happened or --again`] : []),
    ...(running.length > 0 ? [`tool call ${running.join(", ")}, which still runs: --wait or --stop`] : []),
  ];
  return `Decide first (/recover call ID) about ${words.join("; ")}.`;
}

function nameOf({ id, tool }: ToolCall): string {
  return `${id} (${tool})`;
}

async function settle(args: CommandArgs, context: FreeContext): Promise<CommandResult> {
  const { db } = context;
  const id = countWord(args.words[0], "turn");
  if (!id.ok) return usage(id.problem);
  const before = await db.admission(id.value as AdmissionId);
  if (before.status === "queued" || before.status === "terminal") return notOpen(before);
  const settled = await underLease(context, before, async (lease) => {
    const calls = await judgeCalls(db, { lease, admission: before.id, world: context.world });
    const end = { id: before.id, outcome: "interrupted", note: "Settled as interrupted after a crash." } as const;
    const result = await db.settleUnknown(lease, { ...end, at: context.now(), keepDraft: hasFlag(args, "keep") });
    const left = calls.flatMap(({ state, spool }) => (state === "running" && spool !== undefined ? [spool] : []));
    // Nobody waits for it any more, and it is still there to be read and stopped.
    for (const spool of left) markBackground(spool);
    return { ...result, left };
  });
  if ("kind" in settled) return settled;
  await context.world.sweep();
  const { admission, messages, left } = settled;
  const runner = ownRunner(context, admission);
  if (runner) {
    const calls = await db.callsOf(admission.id);
    for (const message of messages) {
      // Before its result, which would name no call.
      for (const call of calls) if (call.result === message.id) runner.emit({ type: "call-changed", call });
      runner.emit({ type: "message-added", message });
    }
    runner.emit({ type: "turn-settled", admission: admission.id, outcome: admission.outcome ?? "interrupted" });
    await runner.refresh();
    runner.wake();
  }
  const { id: turn, session, outcome } = admission;
  const words = [
    `Turn ${turn} is settled as ${outcome}: ${admission.summary}`,
    ...left.map((spool) => `Its command goes on in the background, as job ${path.basename(spool)}: /status`),
  ];
  return lines(words, { admission: turn, session, outcome });
}

async function decideCall(args: CommandArgs, context: FreeContext): Promise<CommandResult> {
  const { db } = context;
  const id = countWord(args.words[0], "call");
  if (!id.ok) return usage(id.problem);
  const [verdict, another] = [...VERDICTS, ...ENDINGS].filter((each) => hasFlag(args, each));
  if (verdict === undefined || another !== undefined)
    return usage(
      "Say one of --happened, --not-happened, --again; of one that still runs --wait or --stop.",
      "Look at the world first: only you can know.",
    );
  const call = await db.call(id.value as CallId);
  const admission = await db.admission(call.admission);
  if (verdict === "wait" || verdict === "stop") return endCommand(context, { call, admission, verdict });
  const resolved = await underLease(context, admission, async (lease) => {
    await judgeCalls(db, { lease, admission: admission.id, world: context.world });
    const now = await db.call(call.id);
    // Read back just now: what is proven needs nobody's word.
    if (now.result !== undefined && call.result === undefined) return now;
    return db.resolveCall(lease, { id: call.id, verdict, at: context.now() });
  });
  if ("kind" in resolved) return resolved;
  await tellCall(context, { admission, call: resolved });
  if (resolved.evidence !== undefined && !resolved.evidence.startsWith("a person decided"))
    return proven(context, { admission, call: resolved });
  const json = { call: call.id, admission: admission.id, tool: call.tool, state: resolved.state, verdict };
  const said = { happened: "it happened", "not-happened": "it did not happen", again: "it will be run again" }[verdict];
  const next = called(`recover resume ${admission.id}`, context);
  return lines(`Call ${call.id} (${call.tool}): ${said}. Next: ${next}`, json);
}

/** Its supervisor outlived the program that began it: waits for its end, or brings it about, and stores the result. */
async function endCommand(
  context: FreeContext,
  { call, admission, verdict }: { call: ToolCall; admission: Admission; verdict: (typeof ENDINGS)[number] },
): Promise<CommandResult> {
  const { db, signal, onProgress } = context;
  if (call.state !== "running" || call.spool === undefined || admission.status === "terminal")
    return {
      kind: "refused",
      why: `Call ${nameOf(call)} does not run any more: it is ${call.state}.`,
      code: "conflict",
    };
  const { spool } = call;
  const ended = await underLease(context, admission, async (lease) => {
    const stopped = verdict === "stop" ? await stopCommand(call) : undefined;
    if (verdict === "wait")
      await waitForCommand(spool, { ...(signal && { signal }), ...(onProgress && { onProgress }) });
    if (stopped) await db.reconcileCalls(lease, admission.id, { proofs: [stopped], at: context.now() });
    else await judgeCalls(db, { lease, admission: admission.id, world: context.world });
    return db.call(call.id);
  });
  if ("kind" in ended) return ended;
  await tellCall(context, { admission, call: ended });
  if (ended.state === "running")
    return lines(`Call ${nameOf(call)} still runs.`, { call: call.id, state: ended.state });
  return proven(context, { admission, call: ended });
}

/** Its result is printed where its conversation is open. */
export async function tellCall(context: FreeContext, { admission, call }: { admission: Admission; call: ToolCall }) {
  await context.world.sweep();
  const runner = ownRunner(context, admission);
  runner?.emit({ type: "call-changed", call });
  const message = call.result === undefined ? undefined : await context.db.message(call.result);
  if (message) runner?.emit({ type: "message-added", message });
}

function proven(context: FreeContext, { admission, call }: { admission: Admission; call: ToolCall }): CommandResult {
  const { id, tool, state, evidence = state } = call;
  const json = { call: id, admission: admission.id, tool, state, evidence };
  const next = called(`recover resume ${admission.id}`, context);
  return lines(`Call ${nameOf(call)}: ${evidence}. Next: ${next}`, json);
}

/** A holder of its own: whoever holds the conversation now, this program too, is in the way. */
async function underLease<T extends object>(
  context: FreeContext,
  { conversation }: Admission,
  action: (lease: LeaseRef) => Promise<T>,
): Promise<T | Extract<CommandResult, { kind: "refused" }>> {
  const { runner } = context;
  // A turn that has just ended gives its lease back a moment after its answer was shown.
  await runner?.isBusy();
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
