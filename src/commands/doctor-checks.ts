// The checks of /doctor, each with what to do about it. They read; only `fix` writes, and only what is derived.

import type { NameProblem } from "../agent/models/open-named.ts";
import { catchUp, type IndexWait } from "../agent/search-all.ts";
import { shellQuote } from "../agent/shell-quote.ts";
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import { linkFinding } from "../ledger/recovery.ts";
import type { LedgerInfo, LedgerStats } from "../ledger/session-db.ts";
import type { Violation } from "../ledger/verify.ts";
import { counted } from "./results.ts";

export interface Check {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly advice?: string;
}

/** Below it, free pages are used again soon enough. */
const MANY_FREE_PAGES = 10_000;

export interface Examined {
  readonly info: LedgerInfo;
  readonly stats: LedgerStats;
  /** Undefined where damage lets nobody read what it looks at. */
  readonly verify: readonly Violation[] | undefined;
}

export async function runChecks(db: AsyncSessionDB, { info, stats, verify }: Examined): Promise<readonly Check[]> {
  return [
    sameFile(info),
    await checkPages(db),
    invariants(verify),
    journal(info),
    synchronous(stats),
    freePages(stats),
    await checkLeases(db),
    await checkTurns(db),
  ];
}

/** Catches the search index up and takes away what deleted conversations left: bounded steps, safe to kill. */
export async function fix(db: AsyncSessionDB, wait: IndexWait): Promise<Check> {
  if (!(await catchUp(db, wait)))
    return { name: "fix", status: "warn", detail: "the search index is not caught up: stopped, or the ledger is busy" };
  while (!(await db.purgeStep()));
  return { name: "fix", status: "ok", detail: "search index caught up, deleted conversations cleared" };
}

function sameFile(info: LedgerInfo): Check {
  const { file, findings } = info;
  const links = linkFinding(info);
  const detail = [...findings, ...links].join("; ");
  if (detail === "") return { name: "file", status: "ok", detail: "the same file as at the last start" };
  const advice = [
    ...(findings.length > 0 ? ["It was restored, moved or copied: compare what is missing with a backup."] : []),
    ...(links.length > 0
      ? [`Find what else names it, and never open that: find / -xdev -samefile ${shellQuote(file)}`]
      : []),
  ];
  return { name: "file", status: "warn", detail, advice: advice.join(" ") };
}

async function checkPages(db: AsyncSessionDB): Promise<Check> {
  const found = await db.quickCheck();
  if (found === "ok") return { name: "pages", status: "ok", detail: "quick check ok" };
  return {
    name: "pages",
    status: "fail",
    detail: found,
    advice: "Stop writing and copy the file, with its -wal, now.",
  };
}

function invariants(verify: readonly Violation[] | undefined): Check {
  if (!verify) return { name: "invariants", status: "fail", detail: "not to be checked: a page cannot be read" };
  if (verify.length === 0) return { name: "invariants", status: "ok", detail: "all hold" };
  const names = [...new Set(verify.map(({ invariant }) => invariant))].join(", ");
  const advice = "Keep a copy of the file and report this: it is a defect, or the file was changed by something else.";
  return { name: "invariants", status: "fail", detail: `${counted(verify.length, "violation")}: ${names}`, advice };
}

function journal({ journal: mode, journalReason }: LedgerInfo): Check {
  if (mode === "wal") return { name: "journal", status: "ok", detail: "write-ahead log" };
  const advice = "Put the home folder on a local disk (--home).";
  return { name: "journal", status: "warn", detail: `rollback journal: ${journalReason ?? "unknown"}`, advice };
}

function synchronous({ synchronous: mode }: LedgerStats): Check {
  if (mode === "full") return { name: "synchronous", status: "ok", detail: "every commit reaches the disk" };
  return { name: "synchronous", status: "fail", detail: mode, advice: "A power cut may lose commits; report this." };
}

function freePages({ pages, freePages: free }: LedgerStats): Check {
  const detail = `${free} of ${pages} pages are free`;
  const isMany = free > MANY_FREE_PAGES && free > pages / 2;
  return {
    name: "space",
    status: isMany ? "warn" : "ok",
    detail,
    ...(isMany && { advice: "sqlite3 FILE vacuum, with stele closed, returns it to the disk." }),
  };
}

async function checkLeases(db: AsyncSessionDB): Promise<Check> {
  const gone = (await db.heldLeases()).filter(({ isHeld }) => !isHeld).length;
  if (gone === 0) return { name: "leases", status: "ok", detail: "none left behind" };
  return {
    name: "leases",
    status: "warn",
    detail: `${counted(gone, "lease")} of programs that are gone`,
    advice: "stele recover",
  };
}

async function checkTurns(db: AsyncSessionDB): Promise<Check> {
  const held = new Set((await db.heldLeases()).filter(({ isHeld }) => isHeld).map(({ conversation }) => conversation));
  const open = (await db.openAdmissions()).filter(
    ({ status, conversation }) => status === "unknown" || (status === "started" && !held.has(conversation)),
  );
  if (open.length === 0) return { name: "turns", status: "ok", detail: "none was interrupted" };
  return {
    name: "turns",
    status: "warn",
    detail: `${counted(open.length, "interrupted turn")}`,
    advice: "stele recover",
  };
}

/** Of those that the config names for later. */
export function namedModels(problems: readonly NameProblem[]): readonly Check[] {
  if (problems.length === 0) return [{ name: "models", status: "ok", detail: "those named in the config can be used" }];
  return problems.map(({ key, name, problem, hint }) => ({
    name: "models",
    status: "warn",
    detail: `${key}, ${name}, cannot be used: ${problem}`,
    advice: hint,
  }));
}
