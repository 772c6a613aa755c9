// Real child processes with a ledger of their own: bundled once a test file, killed after each test.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, afterEach } from "vitest";
import { type PlainError, reviveError } from "../../src/ledger/errors.ts";
import type { SessionDB } from "../../src/ledger/session-db.ts";
import type { Commands } from "./ledger-child.ts";

type Verbs = { [K in keyof SessionDB]: SessionDB[K] extends (...args: never[]) => unknown ? SessionDB[K] : never };

let bundle: string | undefined;
const running = new Set<LedgerProcess>();
const shared = new Set<LedgerProcess>();

afterEach(async () => {
  await Promise.all([...running].map((each) => each.kill()));
});
afterAll(async () => {
  await Promise.all([...shared].map((each) => each.kill()));
  if (bundle) rmSync(path.dirname(bundle), { recursive: true, force: true });
  bundle = undefined;
});

/** Esbuild keeps `import.meta.url` as it is; here it names the source, so that the addon is found from there. */
function bundleChild(): string {
  if (bundle) return bundle;
  const folder = mkdtempSync(path.join(tmpdir(), "stele-child-"));
  const entry = fileURLToPath(new URL("./ledger-child.ts", import.meta.url));
  bundle = path.join(folder, "child.mjs");
  buildSync({
    entryPoints: [entry],
    outfile: bundle,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    define: { "import.meta.url": JSON.stringify(pathToFileURL(entry).href) },
  });
  return bundle;
}

export interface ChildOptions {
  /** Ends with the test file, not with the test: for one that opens a ledger after the other. */
  readonly isShared?: boolean;
  readonly env?: { readonly [name: string]: string };
}

export class LedgerProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  readonly #exited: Promise<unknown>;
  #nextId = 1;

  constructor(options: ChildOptions = {}) {
    this.#child = fork(bundleChild(), [], {
      serialization: "advanced",
      execArgv: [],
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...options.env },
    });
    this.#exited = once(this.#child, "exit").then(() => this.#endAll());
    this.#child.on("message", (answer: { id: number; value?: unknown; error?: PlainError }) => {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if (answer.error) waiting?.reject(reviveError(answer.error));
      else waiting?.resolve(answer.value);
    });
    (options.isShared ? shared : running).add(this);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  ask<K extends keyof Commands>(command: K, ...args: Parameters<Commands[K]>): Promise<ReturnType<Commands[K]>> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.#child.send({ id, command, args }, (error) => {
        if (error) reject(new Error("the child is gone", { cause: error }));
      });
    });
  }

  verb<K extends keyof Verbs>(name: K, ...args: Parameters<Verbs[K]>): Promise<ReturnType<Verbs[K]>> {
    return this.ask("verb", name, args) as Promise<ReturnType<Verbs[K]>>;
  }

  /** SIGKILL, and reaped when it resolves. */
  async kill(): Promise<void> {
    running.delete(this);
    shared.delete(this);
    this.#child.kill("SIGKILL");
    await this.#exited;
  }

  /** Resolves when the child ended by itself. */
  async ended(): Promise<void> {
    await this.#exited;
    running.delete(this);
  }

  #endAll(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error("the child ended"));
    this.#waiting.clear();
  }
}
