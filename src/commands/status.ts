// /status: where one is: session, model, who holds the conversation, the ledger's file, and what is saved.
import type { Job } from "../agent/spool/background-jobs.ts";
import type { LedgerStats } from "../ledger/session-db.ts";
import type { Lease } from "../ledger/types.ts";
import { ageOf } from "./ages.ts";
import { type CommandContext, type CommandResult, defineCommand } from "./command.ts";
import { counted, lines, modelOf, nameOf } from "./results.ts";

export const statusCommand = defineCommand({
  name: "status",
  summary: "session, model, lease, ledger file and queue",
  example: "/status",
  during: "any",
  isRepeatable: true,
  run: (_, context) => status(context),
});

async function status(context: CommandContext): Promise<CommandResult> {
  const { db, runner } = context;
  const session = await runner.refresh();
  const [lease, { state, holder }, open, stats, { file }, jobs] = await Promise.all([
    db.lease(session.conversation),
    db.sessionState(session.id),
    db.openAdmissions(session.conversation),
    db.stats(),
    db.opened,
    context.jobs(),
  ]);
  const waiting = open.filter(({ status }) => status === "queued").length;
  const rows: readonly (readonly [string, string])[] = [
    ["session", `${session.id} · ${nameOf(session)}`],
    ["model", modelOf(session)],
    ["approval", runner.mode],
    ["folder", session.cwd],
    ["state", state],
    ["lease", leaseWords(holder ? lease : undefined, context.now())],
    ["queue", waiting === 0 ? "nothing waits" : `${counted(waiting, "prompt")} waiting`],
    [
      "saved",
      `${counted(session.turns, "turn")}, ${counted(session.messages, "message")}, last ${ageOf(session.lastActivityAt, context.now())}`,
    ],
    ["ledger", `${file} · ${sizeWords(stats)}`],
    ...jobs.map((job): readonly [string, string] => ["job", jobWords(job, context.now())]),
  ];
  const json = {
    session: session.id,
    conversation: session.conversation,
    title: session.title,
    model: modelOf(session),
    approval: runner.mode,
    cwd: session.cwd,
    state,
    holder,
    queue: waiting,
    turns: session.turns,
    messages: session.messages,
    file,
    bytes: stats.bytes,
    walBytes: stats.walBytes,
    counts: stats.counts,
    jobs: jobs.map(({ id, state: { kind }, summary, startedAt }) => ({ id, state: kind, summary, startedAt })),
  };
  return lines(
    rows.map(([name, value]) => `${name.padEnd(9)} ${value}`),
    json,
  );
}

function leaseWords(lease: Lease | undefined, now: number): string {
  if (!lease?.process) return "free";
  const since = lease.acquiredAt === undefined ? "" : `, since ${ageOf(lease.acquiredAt, now)}`;
  const isOwn = lease.process.pid === process.pid;
  return isOwn ? `held here${since}` : `held by ${lease.process.program}, pid ${lease.process.pid}${since}`;
}

function jobWords({ id, state, summary = "", startedAt }: Job, now: number): string {
  const since = startedAt === undefined ? "" : `, started ${ageOf(startedAt, now)}`;
  const how = state.kind === "finished" ? `ended, exit ${state.exit.exitCode}` : state.kind;
  return `${id} · ${summary} · ${how}${since}`;
}

function sizeWords({ bytes, walBytes, counts }: LedgerStats): string {
  return `${mebibytes(bytes)} and ${mebibytes(walBytes)} log · ${counted(counts.sessions, "session")} · ${counted(counts.messages, "message")}`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
