// The ledger as the program uses it, with its worker threads: the worker is bundled once a test file, beside a
// link to the project's packages, and everything is verified, closed and removed after each test.
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, afterEach, expect } from "vitest";
import { AsyncSessionDB } from "../../src/ledger/async-session-db.ts";
import { temporaryFolder } from "./ledger.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const open = new Set<AsyncSessionDB>();
let bundled: Promise<string> | undefined;
let bundleFolder: string | undefined;

afterEach(async () => {
  const ledgers = [...open];
  open.clear();
  for (const db of ledgers) {
    const violations = await db.verify({ full: true });
    await db.close();
    expect(violations).toEqual([]);
  }
});

afterAll(() => {
  if (bundleFolder !== undefined) rmSync(bundleFolder, { recursive: true, force: true });
});

/** Verified in full and closed after the test. Without a file: a new ledger of its own. */
export async function openAsyncLedger(file = path.join(temporaryFolder(), "state.db")): Promise<AsyncSessionDB> {
  const db = new AsyncSessionDB({ path: file, program: "stele test", workerFile: await workerFile() });
  await db.opened;
  open.add(db);
  return db;
}

/** The worker, made of the sources as they are. */
export function workerFile(): Promise<string> {
  bundled ??= bundleWorker();
  return bundled;
}

async function bundleWorker(): Promise<string> {
  bundleFolder = mkdtempSync(path.join(tmpdir(), "stele-worker-"));
  symlinkSync(path.join(root, "node_modules"), path.join(bundleFolder, "node_modules"));
  const outfile = path.join(bundleFolder, "worker.mjs");
  await build({
    absWorkingDir: root,
    entryPoints: ["src/ledger/worker.ts"],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["better-sqlite3"],
    logLevel: "warning",
  });
  return outfile;
}
