import { execFileSync } from "node:child_process";
import { chmod, link, mkdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ScanLimits } from "../../../../src/agent/file-changes/manifest.ts";
import { createScanner, type SuspectedChange } from "../../../../src/agent/file-changes/scan.ts";
import { isSecretName } from "../../../../src/agent/file-changes/secret-names.ts";
import { UNKNOWN_HASH } from "../../../../src/agent/file-changes/unknown-hash.ts";
import { createFileGate, type FileGate, hashBytes } from "../../../../src/agent/tools/files.ts";
import { makeFolder } from "../tools/tool-harness.ts";

interface Reads {
  readonly files: FileGate;
  /** Base names of what was read since the last time. */
  taken(): readonly string[];
}

function countingGate(ledgerFiles: readonly string[] = []): Reads {
  const gate = createFileGate({ ledgerFiles });
  let read: string[] = [];
  return {
    files: {
      ...gate,
      read(path, options) {
        read.push(path.slice(path.lastIndexOf("/") + 1));
        return gate.read(path, options);
      },
    },
    taken() {
      const names = read.toSorted();
      read = [];
      return names;
    },
  };
}

async function world(given: Readonly<Record<string, string>>, limits: Partial<ScanLimits> = {}, home = "/nowhere") {
  const cwd = await makeFolder();
  const put = async (name: string, content: string) => {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), content);
  };
  for (const [name, content] of Object.entries(given)) await put(name, content);
  const { files, taken } = countingGate([join(cwd, "state.db")]);
  const scanner = createScanner({ files, cwd, home, apart: [join(cwd, "apart")], limits });
  const signal = new AbortController().signal;
  return {
    cwd,
    put,
    taken,
    scanner,
    path: (name: string) => join(cwd, name),
    /** What the scan says a command did. */
    async around(
      command: () => Promise<unknown>,
      explained: readonly string[] = [],
    ): Promise<readonly SuspectedChange[]> {
      const before = await scanner.before(signal);
      if ("skipped" in before) throw new Error(before.skipped);
      await command();
      const options = { signal, endedAt: Date.now(), explained: new Set(explained.map((name) => join(cwd, name))) };
      const changes = await scanner.after(before, options);
      if ("skipped" in changes) throw new Error(changes.skipped);
      return changes;
    },
  };
}

/** Longer than a step of this file system's clock. */
const CLOCK_MS = 20;

/** All marks old enough that nothing has to be read twice because of its time. */
async function age(...paths: readonly string[]): Promise<void> {
  const touched = await Promise.all(paths.map((path) => stat(path)));
  const newest = Math.max(...touched.map(({ ctimeMs }) => ctimeMs));
  while (Date.now() <= newest + CLOCK_MS + 1);
}

/** As on a file system whose clock moves once a second. */
function withCoarseClock(files: FileGate): FileGate {
  const cut = (ns: bigint) => ns - (ns % 1_000_000_000n);
  return {
    ...files,
    async look(paths, signal) {
      const looks = [...(await files.look(paths, signal))].map(([path, look]) => {
        const times = { modifiedAtNs: cut(look.modifiedAtNs), changedAtNs: cut(look.changedAtNs) };
        return [path, { ...look, ...times }] as const;
      });
      return new Map(looks);
    },
  };
}

const side = (text: string) => ({ hash: hashBytes(Buffer.from(text)), bytes: new Uint8Array(Buffer.from(text)) });

describe("what a command did to files", () => {
  test("is found with the bytes of both sides, sorted by path", async () => {
    const { around, put, path } = await world({ "b.txt": "old b", "src/c.txt": "old c", same: "same" });
    await chmod(path("b.txt"), 0o640);
    const changes = await around(async () => {
      await put("a.txt", "new a");
      await put("b.txt", "new b");
      await rm(path("src/c.txt"));
    });
    expect(changes).toEqual([
      { path: path("a.txt"), kind: "created", restorable: true, after: { mode: 0o644, ...side("new a") } },
      {
        path: path("b.txt"),
        kind: "modified",
        restorable: true,
        before: { mode: 0o640, ...side("old b") },
        after: { mode: 0o640, ...side("new b") },
      },
      { path: path("src/c.txt"), kind: "deleted", restorable: true, before: { mode: 0o644, ...side("old c") } },
    ]);
  });

  test("is found after sed -i, a move of a folder and a chmod", async () => {
    const given = { "a.txt": "one\n", "old/b.txt": "b", "run.sh": "x" };
    const { around, cwd, path } = await world(given, { clockMs: CLOCK_MS });
    await age(path("old/b.txt"));
    const changes = await around(async () => {
      execFileSync("sh", ["-c", "sed -i s/one/two/ a.txt; mv old new; chmod +x run.sh"], { cwd });
    });
    expect(changes.map(({ path: at, kind }) => [at.slice(cwd.length + 1), kind])).toEqual([
      ["a.txt", "modified"],
      ["new/b.txt", "created"],
      ["old/b.txt", "deleted"],
      ["run.sh", "modified"],
    ]);
    const run = changes.at(-1);
    expect([run?.before?.mode, run?.after?.mode]).toEqual([0o644, 0o755]);
    expect(run?.before?.hash).toBe(run?.after?.hash);
  });

  test("is found although size and time of modification were put back", async () => {
    const { around, put, path } = await world({ "a.txt": "one" });
    const changes = await around(async () => {
      const { atime, mtime } = await stat(path("a.txt"));
      await put("a.txt", "two");
      await utimes(path("a.txt"), atime, mtime);
    });
    expect(changes).toMatchObject([{ kind: "modified", before: side("one"), after: side("two") }]);
  });

  test("is not: a touched file, a rewritten one with the same content, a link", async () => {
    const { around, put, path } = await world({ "a.txt": "same", "b.txt": "same" });
    const changes = await around(async () => {
      await utimes(path("a.txt"), new Date(0), new Date(0));
      await put("b.txt", "same");
      await symlink("a.txt", path("soft"));
    });
    expect(changes).toEqual([]);
  });

  test("leaves out what another call explains and what was modified after the end", async () => {
    const { put, path, scanner } = await world({ "a.txt": "old", "b.txt": "old", "c.txt": "old" });
    const signal = new AbortController().signal;
    const before = await scanner.before(signal);
    if ("skipped" in before) throw new Error(before.skipped);
    await put("a.txt", "mine");
    await put("c.txt", "new");
    // As tar does: a time in the future says nothing about when it was written.
    await utimes(path("c.txt"), new Date(), new Date(Date.now() + 3_600_000));
    const endedAt = Math.floor((await stat(path("c.txt"))).ctimeMs);
    while (Date.now() <= endedAt + 20);
    await put("b.txt", "the person's");
    const changes = await scanner.after(before, { signal, endedAt, explained: new Set([path("a.txt")]) });
    expect(changes).toMatchObject([{ path: path("c.txt"), kind: "modified" }]);
  });

  test("is not looked for in what git ignores, in .git, node_modules, folders apart and the ledger", async () => {
    const { around, put, path } = await world({ ".gitignore": "dist\n", "state.db": "ledger" });
    await link(path("state.db"), path("alias"));
    const changes = await around(async () => {
      for (const name of ["dist/a", ".git/a", "node_modules/a/b", "apart/a", "state.db", ".stele-1-0123456789ab.tmp"]) {
        await put(name, "new");
      }
    });
    expect(changes).toEqual([]);
  });

  test("does not take a file for removed that is ignored since, nor one for new that is no longer", async () => {
    const given = { ".gitignore": "b.txt\n", "a.txt": "a", "b.txt": "b", "c.txt": "c" };
    const { around, put, path } = await world(given, { clockMs: CLOCK_MS });
    await age(path("b.txt"));
    const changes = await around(async () => {
      await put(".gitignore", "a.txt\nc.txt\n");
      await put("c.txt", "new");
    });
    expect(changes).toMatchObject([
      { path: path(".gitignore"), kind: "modified" },
      { path: path("c.txt"), kind: "modified", before: side("c"), after: side("new") },
    ]);
  });
});

describe("contents", () => {
  test("of an unchanged folder are read once, and then only what changed", async () => {
    const { around, put, path, taken } = await world({ "a.txt": "a", "b.txt": "b" }, { clockMs: CLOCK_MS });
    await age(path("a.txt"), path("b.txt"));
    await around(async () => undefined);
    expect(taken()).toEqual(["a.txt", "b.txt"]);
    await around(() => put("b.txt", "new"));
    expect(taken()).toEqual(["b.txt"]);
    await age(path("b.txt"));
    expect(await around(() => put("b.txt", "newer"))).toMatchObject([{ before: side("new"), after: side("newer") }]);
  });

  test("of a file written just before are compared although no mark of it differs", async () => {
    const { cwd, put, path } = await world({ "a.txt": "one" });
    const files = withCoarseClock(createFileGate({ ledgerFiles: [] }));
    const scanner = createScanner({ files, cwd, home: "/nowhere" });
    const signal = new AbortController().signal;
    const before = await scanner.before(signal);
    if ("skipped" in before) throw new Error(before.skipped);
    await put("a.txt", "two");
    const changes = await scanner.after(before, { signal, endedAt: Date.now() });
    expect(changes).toMatchObject([{ path: path("a.txt"), before: side("one"), after: side("two") }]);
  });

  test.each([".env", ".env.local", "server.pem", "id_ed25519", "credentials.json", ".netrc", "cert.P12", "a.key"])(
    "of %s are never read: its change is not restorable",
    async (name) => {
      const { around, put, path, taken } = await world({ [name]: "secret", created: "" });
      const changes = await around(async () => {
        await put(name, "another secret");
        await put(`sub/${name}`, "new");
      });
      const unknown = { mode: 0o644, hash: UNKNOWN_HASH };
      expect(changes).toEqual([
        { path: path(name), kind: "modified", restorable: false, before: unknown, after: unknown },
        { path: path(`sub/${name}`), kind: "created", restorable: false, after: unknown },
      ]);
      expect(taken()).not.toContain(name);
    },
  );

  test.each(["environment.ts", "key.ts", "idle.ts", "my-credentials.ts", "pem.ts"])("%s is no secret", (name) => {
    expect(isSecretName(name)).toBe(false);
  });

  test("above the limit of a file are only hashed where they changed, and not restorable", async () => {
    const { around, put, path, taken } = await world({ big: "x".repeat(11), small: "x" }, { fileBytes: 10 });
    const changes = await around(async () => {
      await put("big", "y".repeat(12));
      await put("new", "z".repeat(10));
    });
    expect(taken()).toEqual(["big", "new", "small", "small"]); // small: written just before
    expect(changes).toEqual([
      {
        path: path("big"),
        kind: "modified",
        restorable: false,
        before: { mode: 0o644, hash: UNKNOWN_HASH },
        after: { mode: 0o644, hash: side("y".repeat(12)).hash },
      },
      {
        path: path("new"),
        kind: "created",
        restorable: false,
        after: { mode: 0o644, hash: side("z".repeat(10)).hash },
      },
    ]);
  });

  test("are kept up to the limit of all, of the smallest files first", async () => {
    const { around, put } = await world({ a: "aaaaaa", b: "b", c: "cc" }, { keptBytes: 4 });
    const changes = await around(async () => {
      for (const name of ["a", "b", "c"]) await put(name, "");
    });
    expect(changes.map(({ restorable }) => restorable)).toEqual([false, true, true]);
    // Two bytes of contents before are gone, so the limit holds one more file.
    expect(await around(() => put("a", "x"))).toMatchObject([{ before: side(""), restorable: true }]);
  });

  test("are not kept for ever: after many changes the limit still holds", async () => {
    const { around, put } = await world({ a: "12345", b: "67890" }, { keptBytes: 10 });
    for (const text of ["abcde", "fghij", "klmno"]) {
      expect(await around(() => put("a", text))).toMatchObject([{ restorable: true }]);
    }
    expect(await around(() => put("b", "x"))).toMatchObject([{ before: side("67890"), restorable: true }]);
  });
});

describe("a folder that is not compared", () => {
  const signal = new AbortController().signal;

  test("is one with too many files, and it is not counted again at once", async () => {
    const { scanner, path } = await world({ a: "", b: "", c: "" }, { files: 2 });
    const skipped = { skipped: "the folder holds more than 2 files" };
    expect(await scanner.before(signal)).toMatchObject(skipped);
    await rm(path("a"));
    expect(await scanner.before(signal)).toMatchObject(skipped);
  });

  test("is the home folder, by any name, or one above it", async () => {
    const home = await makeFolder();
    const files = createFileGate({ ledgerFiles: [] });
    await mkdir(join(home, "project"));
    await symlink(home, join(home, "project/home"));
    const begin = (cwd: string) => createScanner({ files, cwd, home }).before(signal);
    for (const cwd of [home, dirname(home), "/", join(home, "project/home")]) {
      expect(await begin(cwd)).toMatchObject({ skipped: `${cwd} is the home folder, or above it` });
    }
    expect(await begin(join(home, "project"))).not.toHaveProperty("skipped");
  });

  test("is one that is gone, or whose scan was stopped: a reason, never an exception", async () => {
    const { scanner, cwd, path } = await world({ a: "a" });
    expect(await scanner.before(AbortSignal.abort())).toEqual({ skipped: "it was stopped" });
    const before = await scanner.before(signal);
    if ("skipped" in before) throw new Error(before.skipped);
    expect(await scanner.after(before, { signal: AbortSignal.abort(), endedAt: 0 })).toEqual({
      skipped: "it was stopped",
    });
    await rename(cwd, `${cwd}-moved`);
    expect(await scanner.after(before, { signal, endedAt: 0 })).toMatchObject({
      skipped: expect.stringContaining("ENOENT"),
    });
    await rename(`${cwd}-moved`, cwd);
    expect(await readFile(path("a"), "utf8")).toBe("a");
  });

  test("is left alone in the middle of reading when it is stopped", async () => {
    const cwd = await makeFolder();
    for (let n = 0; n < 50; n += 1) await writeFile(join(cwd, `f${n}`), "x");
    const stop = new AbortController();
    const gate = createFileGate({ ledgerFiles: [] });
    let reads = 0;
    const files: FileGate = {
      ...gate,
      read(path, options) {
        reads += 1;
        if (reads === 5) stop.abort();
        return gate.read(path, options);
      },
    };
    expect(await createScanner({ files, cwd, home: "/nowhere" }).before(stop.signal)).toEqual({
      skipped: "it was stopped",
    });
    expect(reads).toBeLessThan(20);
  });
});
