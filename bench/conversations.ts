// The three ledgers that opening and memory are measured on, built once a run, and the child process that opens one.
import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { SessionId } from "../src/ledger/types.ts";
import type { ChildReport } from "./child.ts";
import type { Bench } from "./harness.ts";
import { buildConversation } from "./ledgers.ts";

export interface Conversation {
  readonly file: string;
  readonly session: SessionId;
}

const built = new Map<string, Conversation>();

/** `messages`: 0, 200 or 20,000. */
export function conversation(bench: Bench, messages: number): Conversation {
  const file = path.join(bench.folder, "conversations", `${messages}.db`);
  const made = built.get(file) ?? { file, session: buildConversation(file, messages) };
  built.set(file, made);
  return made;
}

export async function openInChild(bench: Bench, { file, session }: Conversation): Promise<ChildReport> {
  const child = fork(path.join(bench.folder, "child.mjs"), [file, session, path.join(bench.folder, "worker.cjs")], {
    execArgv: ["--expose-gc"],
  });
  const reports: ChildReport[] = [];
  child.on("message", (report) => {
    reports.push(report as ChildReport);
    child.disconnect();
  });
  const [code] = (await once(child, "exit")) as [number | null];
  const [report] = reports;
  if (code !== 0 || !report) throw new Error(`the child that opens ${file} ended with ${code}`);
  return report;
}
