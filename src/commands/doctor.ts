// /doctor: the health of the ledger's file, with advice. A violated invariant or a failed check is exit code 4.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import { crashPointNames } from "../ledger/crash-points.ts";
import type { Violation } from "../ledger/verify.ts";
import { hasFlag } from "./args.ts";
import { type CommandArgs, type CommandResult, defineCommand, type FreeContext } from "./command.ts";
import { type Check, fix, namedModels, runChecks } from "./doctor-checks.ts";
import { lines, waitOf } from "./results.ts";

const MARKS = { ok: "✓", warn: "!", fail: "✗" } as const;

export const doctorCommand = defineCommand({
  name: "doctor",
  summary: "check the ledger and say what to do",
  example: "/doctor",
  flags: [
    { name: "full", help: "also recompute every hash; long on a big ledger" },
    {
      name: "fix",
      help: "catch the search index up, clear what deleted conversations left, set a file aside that is no ledger",
    },
    { name: "crash-points", help: "list the names for STELE_CRASH_AT" },
  ],
  during: "any",
  isRepeatable: true,
  needsNoSession: true,
  async run(args, context) {
    if (!hasFlag(args, "crash-points")) return examine(args, context);
    const names = crashPointNames();
    return lines(names, { crashPoints: names });
  },
});

async function examine(args: CommandArgs, context: FreeContext): Promise<CommandResult> {
  const { db, settings } = context;
  const info = await db.opened;
  const fixed = hasFlag(args, "fix") ? [await fix(db, waitOf(context))] : [];
  const [stats, verify, held] = [
    await db.stats(),
    await verifyReadable(db, hasFlag(args, "full")),
    await db.heldLeases(),
  ];
  const checks = [...(await runChecks(db, { info, stats, verify })), ...namedModels(settings.nameProblems()), ...fixed];
  const { bytes, walBytes, pages, freePages, journalMode, synchronous, sqlite, counts, leases } = stats;
  const holders = held.flatMap(({ isHeld, process }) =>
    isHeld && process ? [{ pid: process.pid, program: process.program }] : [],
  );
  const file = { file: info.file, bytes, walBytes, pages, freePages, journalMode, synchronous };
  const rest = {
    schema: info.schema,
    searchLayout: info.searchLayout,
    sqlite,
    counts,
    holders,
    leases,
    verify: verify ?? null,
    checks,
  };
  const isUnwell = checks.some(({ status }) => status === "fail");
  return {
    kind: "lines",
    lines: [
      info.file,
      ...checks.flatMap(describe),
      ...(verify ?? []).map((each) => `  ${each.invariant}  ${each.detail}`),
    ],
    json: { ...file, ...rest },
    ...(isUnwell && { failure: "ledger" as const }),
  };
}

/** A page that is damaged must not hide what the other checks say. */
async function verifyReadable(db: AsyncSessionDB, full: boolean): Promise<readonly Violation[] | undefined> {
  try {
    return await db.verify({ full });
  } catch (error) {
    if ((error as { code?: unknown }).code === "ledger_corrupt") return undefined;
    throw error;
  }
}

function describe({ name, status, detail, advice }: Check): string[] {
  const line = `${MARKS[status]} ${name.padEnd(12)} ${detail}`;
  return advice === undefined ? [line] : [line, `  → ${advice}`];
}
