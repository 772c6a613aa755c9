import { execFileSync } from "node:child_process";
import { chmod, link, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { createFileGate, type FileGate, hashBytes } from "../../../../src/agent/tools/files.ts";
import { makeFolder } from "./tool-harness.ts";

/** A ledger-like database that is open in this process, with its -wal and -shm. */
async function openLedger(mode: "wal" | "delete"): Promise<{ file: string; db: Database.Database; files: FileGate }> {
  const file = join(await makeFolder(), "state.db");
  const db = new Database(file);
  onTestFinished(() => void db.close());
  db.pragma(`journal_mode = ${mode}`);
  db.exec("create table t (x); insert into t values (1)");
  return { file, db, files: createFileGate({ ledgerFiles: [file] }) };
}

function tryToLock(file: string): string {
  const script = `const D = require("better-sqlite3"); const db = new D(process.argv[1], { timeout: 0 });
    try { db.exec("begin immediate"); console.log("locked it"); } catch (error) { console.log(error.code); }`;
  return execFileSync(process.execPath, ["-e", script, file], { encoding: "utf8" }).trim();
}

describe("the ledger's files", () => {
  test.each(["", "-wal", "-shm"])(
    "state.db%s is refused by its path, by a symbolic link and by a hard link",
    async (suffix) => {
      const { file, files } = await openLedger("wal");
      const elsewhere = await makeFolder();
      await symlink(file + suffix, join(elsewhere, "soft"));
      await link(file + suffix, join(elsewhere, "hard"));
      await symlink(join(elsewhere, "hard"), join(elsewhere, "both"));
      for (const path of [file + suffix, join(elsewhere, "soft"), join(elsewhere, "hard"), join(elsewhere, "both")]) {
        expect(await files.read(path)).toMatchObject({ ok: false, problem: { code: "ledger" } });
        expect(await files.stat(path)).toMatchObject({ ok: false, problem: { code: "ledger" } });
        expect(await files.exists(path)).toBe(false);
      }
    },
  );

  test("a file is refused that became the ledger's after the gate was made", async () => {
    const folder = await makeFolder();
    const file = join(folder, "state.db");
    const files = createFileGate({ ledgerFiles: [file] });
    await writeFile(file, "new ledger");
    await link(file, join(folder, "copy"));
    expect(await files.read(join(folder, "copy"))).toMatchObject({ ok: false, problem: { code: "ledger" } });
  });

  test("a refused read leaves the lock of a running transaction in place", async () => {
    const { file, db, files } = await openLedger("delete");
    const alias = join(await makeFolder(), "alias");
    await link(file, alias);
    db.exec("begin immediate");
    await files.read(alias);
    await files.target(join(alias, ".."), alias);
    expect(tryToLock(file)).toBe("SQLITE_BUSY");
    db.exec("rollback");
    expect(tryToLock(file)).toBe("locked it");
  });

  test("writing over the ledger, or beside it under a name SQLite would read, is refused", async () => {
    const { file, files } = await openLedger("delete");
    const cwd = join(file, "..");
    const before = await readdir(cwd);
    await link(file, join(cwd, "alias"));
    for (const path of ["state.db", "state.db-journal", "state.db-wal", "STATE.DB-journal", "alias"]) {
      const bytes = Buffer.from("forged");
      const written = await files.write({ cwd, path, bytes, expected: "absent" });
      expect(written).toMatchObject({ ok: false, problem: { code: "ledger" } });
      expect(await files.target(cwd, path)).toMatchObject({ ok: false, problem: { code: "ledger" } });
    }
    expect(await readdir(cwd)).toEqual([...before, "alias"].toSorted());
  });
});

describe("reading", () => {
  test("devices, pipes and folders are refused without opening them", async () => {
    const folder = await makeFolder();
    execFileSync("mkfifo", [join(folder, "pipe")]);
    const files = createFileGate({ ledgerFiles: [] });
    expect(await files.read(join(folder, "pipe"))).toMatchObject({ ok: false, problem: { code: "special" } });
    expect(await files.read("/dev/zero")).toMatchObject({ ok: false, problem: { code: "special" } });
    expect(await files.read(folder)).toMatchObject({ ok: false, problem: { code: "folder" } });
    expect(await files.read(join(folder, "nothing"))).toMatchObject({ ok: false, problem: { code: "missing" } });
    expect(await files.read(join(folder, "a\0b"))).toMatchObject({ ok: false, problem: { code: "io" } });
  });

  test("a file over the limit is refused and one at the limit is read whole", async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, "a"), "x".repeat(5000));
    const files = createFileGate({ ledgerFiles: [] });
    expect(await files.read(join(folder, "a"), { maxBytes: 4999 })).toMatchObject({
      ok: false,
      problem: { code: "too-large" },
    });
    const read = await files.read(join(folder, "a"), { maxBytes: 5000 });
    expect(read.ok && read.value.bytes.length).toBe(5000);
    expect(read.ok && read.value.hash).toBe(hashBytes(Buffer.from("x".repeat(5000))));
  });
});

describe("writing", () => {
  async function put(
    files: FileGate,
    cwd: string,
    path: string,
    content: string,
    expected: Parameters<FileGate["write"]>[0]["expected"] = "absent",
  ) {
    return files.write({ cwd, path, bytes: Buffer.from(content), expected });
  }

  test("a new file gets its folders and nothing else is left behind", async () => {
    const cwd = await makeFolder();
    const files = createFileGate({ ledgerFiles: [] });
    expect((await put(files, cwd, "a/b/c.txt", "hello")).ok).toBe(true);
    expect(await readFile(join(cwd, "a/b/c.txt"), "utf8")).toBe("hello");
    expect(await readdir(join(cwd, "a/b"))).toEqual(["c.txt"]);
  });

  test("the mode of a replaced file is kept whatever the umask is", async () => {
    const cwd = await makeFolder();
    const files = createFileGate({ ledgerFiles: [] });
    await writeFile(join(cwd, "run.sh"), "old");
    await chmod(join(cwd, "run.sh"), 0o777);
    expect((await put(files, cwd, "run.sh", "new", hashBytes(Buffer.from("old")))).ok).toBe(true);
    expect((await stat(join(cwd, "run.sh"))).mode & 0o7777).toBe(0o777);
  });

  test.each([
    ["../escape.txt", "outside"],
    ["/etc/stele-escape.txt", "outside"],
    ["out/escape.txt", "outside"],
    ["link.txt", "outside"],
    ["dangling", "outside"],
    [".", "folder"],
  ])("a write to %s is refused as %s", async (path, code) => {
    const cwd = await makeFolder();
    const other = await makeFolder();
    await writeFile(join(other, "theirs.txt"), "theirs");
    await symlink(other, join(cwd, "out"));
    await symlink(join(other, "theirs.txt"), join(cwd, "link.txt"));
    await symlink(join(other, "not-there"), join(cwd, "dangling"));
    const files = createFileGate({ ledgerFiles: [] });
    expect(await put(files, cwd, path, "x")).toMatchObject({ ok: false, problem: { code } });
    expect(await files.target(cwd, path)).toMatchObject({ ok: false, problem: { code } });
    expect(await readdir(other)).toEqual(["theirs.txt"]);
    expect(await readFile(join(other, "theirs.txt"), "utf8")).toBe("theirs");
  });

  test("a link that stays inside is followed, and stays a link", async () => {
    const cwd = await makeFolder();
    await mkdir(join(cwd, "real"));
    await writeFile(join(cwd, "real/a"), "old");
    await symlink("real/a", join(cwd, "a"));
    const files = createFileGate({ ledgerFiles: [] });
    expect((await put(files, cwd, "a", "new", hashBytes(Buffer.from("old")))).ok).toBe(true);
    expect(await readFile(join(cwd, "real/a"), "utf8")).toBe("new");
    expect(await files.list(cwd)).toMatchObject({ value: expect.arrayContaining([{ name: "a", kind: "link" }]) });
  });

  test("a file that is not as expected directly before the rename stays as it is", async () => {
    const cwd = await makeFolder();
    await writeFile(join(cwd, "a"), "theirs");
    const files = createFileGate({ ledgerFiles: [] });
    for (const expected of ["absent", hashBytes(Buffer.from("mine"))] as const) {
      expect(await put(files, cwd, "a", "new", expected)).toMatchObject({ ok: false, problem: { code: "changed" } });
    }
    expect(await readFile(join(cwd, "a"), "utf8")).toBe("theirs");
    expect(await readdir(cwd)).toEqual(["a"]);
  });

  test("a target is given only for bytes that were seen, also through another name of the file", async () => {
    const cwd = await makeFolder();
    await writeFile(join(cwd, "a"), "one");
    await symlink("a", join(cwd, "b"));
    const files = createFileGate({ ledgerFiles: [] });
    expect(await files.target(cwd, "a")).toMatchObject({ ok: false, problem: { code: "unread" } });
    await files.remember(join(cwd, "b"), hashBytes(Buffer.from("one")));
    expect(await files.target(cwd, "a")).toMatchObject({ ok: true, value: { path: join(cwd, "a") } });
    await writeFile(join(cwd, "a"), "two");
    expect(await files.target(cwd, "a")).toMatchObject({ ok: false, problem: { code: "changed" } });
    expect(await files.target(cwd, "new")).toEqual({ ok: true, value: { path: join(cwd, "new") } });
  });

  test("what was written counts as seen", async () => {
    const cwd = await makeFolder();
    const files = createFileGate({ ledgerFiles: [] });
    await put(files, cwd, "a", "mine");
    expect((await files.target(cwd, "a")).ok).toBe(true);
  });
});
