// The ledger in its threads: errors keep their class, a dead writer thread loses nothing and repeats nothing,
// closing waits for the last write, and the calling thread never loads SQLite.
import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterEach, describe, expect, inject, it } from "vitest";
import { AsyncSessionDB } from "../../../src/ledger/async-session-db.ts";
import {
  AdmissionConflictError,
  NotFoundError,
  OutcomeUnknownError,
  UnreadableError,
} from "../../../src/ledger/errors.ts";
import type { RequestId, SessionId } from "../../../src/ledger/types.ts";
import { openLedger, prompt, ROUTE, temporaryFolder } from "../../helpers/ledger.ts";

const open = new Set<AsyncSessionDB>();
afterEach(async () => {
  for (const db of open) await db.close();
  open.clear();
});

const worker = inject("ledgerThread");

function openAsync(file: string, workerFile = worker): AsyncSessionDB {
  const db = new AsyncSessionDB({ path: file, program: "test", workerFile });
  open.add(db);
  return db;
}

const NEW = { cwd: "/", route: ROUTE, source: "test" };

function ask(session: SessionId, text: string, request = text) {
  const target = { kind: "session", asked: session } as const;
  return { request: request as RequestId, kind: "prompt", payload: prompt(text), target, session } as const;
}

/** A worker whose thread ends once at `verb`: before it is heard, or after its commit and before its answer. */
function dyingWorker(folder: string, at: { verb: string; when: "before" | "after" }): string {
  const file = path.join(folder, "dying-worker.mjs");
  const flag = JSON.stringify(path.join(folder, "died"));
  writeFileSync(
    file,
    `import { existsSync, writeFileSync } from "node:fs";
     import { syncBuiltinESMExports } from "node:module";
     import threads, { parentPort } from "node:worker_threads";
     let asked = 0;
     // A thread that stays awake takes messages past the listener below: here each comes through it.
     threads.receiveMessageOnPort = () => undefined;
     syncBuiltinESMExports();
     const die = () => { if (!existsSync(${flag})) { writeFileSync(${flag}, ""); process.exit(1); } };
     parentPort.on("message", ({ id, verb }) => {
       if (verb !== ${JSON.stringify(at.verb)}) return;
       asked = id;
       if (${JSON.stringify(at.when)} === "before") die();
     });
     const post = parentPort.postMessage.bind(parentPort);
     parentPort.postMessage = (answer) => { if (asked !== 0 && answer.id === asked) die(); post(answer); };
     await import(${JSON.stringify(worker)});`,
  );
  return file;
}

describe("errors", () => {
  it("keep class, code and hint on their way out of the thread", async () => {
    const db = openAsync(path.join(temporaryFolder(), "state.db"));
    const session = await db.createSession(NEW);
    await db.admit(ask(session.id, "one", "r"));
    await expect(db.admit(ask(session.id, "two", "r"))).rejects.toThrow(AdmissionConflictError);
    await expect(db.session("nope" as SessionId)).rejects.toThrow(NotFoundError);
    await expect(db.session("nope" as SessionId)).rejects.toMatchObject({ code: "not_found", hint: /\S/ });
  });

  it("of a file that cannot be opened reach everyone who asks", async () => {
    const file = path.join(temporaryFolder(), "state.db");
    writeFileSync(file, "no ledger at all");
    const db = openAsync(file);
    await expect(db.opened).rejects.toThrow(UnreadableError);
    await expect(db.listSessions()).rejects.toThrow(UnreadableError);
    await db.close();
  });
});

describe("a writer thread that dies", () => {
  it.each(["before", "after"] as const)(
    "%s the commit: the verb is asked again by its key, and done once",
    async (when) => {
      const folder = temporaryFolder();
      const db = openAsync(path.join(folder, "state.db"), dyingWorker(folder, { verb: "admit", when }));
      const session = await db.createSession(NEW);
      const { admission } = await db.admit(ask(session.id, "once"));
      expect(admission.status).toBe("queued");
      expect(await db.openAdmissions(session.conversation)).toHaveLength(1);
      expect(readdirSync(folder)).toContain("died");
      expect(await db.verify({ full: true })).toEqual([]);
    },
  );

  it("with a verb that has no key: its outcome is unknown, and said so", async () => {
    const folder = temporaryFolder();
    const db = openAsync(path.join(folder, "state.db"), dyingWorker(folder, { verb: "createSession", when: "after" }));
    await expect(db.createSession(NEW)).rejects.toThrow(OutcomeUnknownError);
    expect(await db.listSessions({ all: true })).toHaveLength(1);
  });
});

describe("closing", () => {
  it("waits for the last write, and twice is fine", async () => {
    const file = path.join(temporaryFolder(), "state.db");
    const db = openAsync(file);
    const session = await db.createSession(NEW);
    const writes = Array.from({ length: 50 }, (_, n) => db.admit(ask(session.id, `prompt ${n}`)));
    await Promise.all([db.close(), db.close()]);
    await Promise.all(writes);
    await expect(db.listSessions()).rejects.toMatchObject({ code: "ledger_closed" });
    expect(openLedger({ path: file }).openAdmissions()).toHaveLength(50);
  });
});

describe("the calling thread", () => {
  it("never loads SQLite: nothing that it imports leads there", async () => {
    const root = fileURLToPath(new URL("../../..", import.meta.url));
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: ["src/headless.ts", "src/ledger/recovery.ts", "src/commands/registry.ts"],
      bundle: true,
      write: false,
      metafile: true,
      outdir: "unused",
      platform: "node",
      format: "esm",
      packages: "external",
    });
    const files = Object.keys(metafile.inputs);
    expect(files).toContain("src/ledger/async-session-db.ts");
    expect(files).not.toContain("src/ledger/open.ts");
    const imported = Object.values(metafile.inputs).flatMap((input) => input.imports.map((each) => each.path));
    expect(imported).not.toContain("better-sqlite3");
  });
});
