import { chmod, link, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createFileGate, hashBytes, type RestoreRequest } from "../../../../src/agent/tools/files.ts";
import { makeFolder } from "./tool-harness.ts";

const files = createFileGate({ ledgerFiles: [] });
const bytes = (text: string) => Buffer.from(text);
const hash = (text: string) => hashBytes(bytes(text));

function restore(
  cwd: string,
  path: string,
  content: { text: string; mode?: number } | "absent",
  expected: RestoreRequest["expected"],
) {
  const wanted = content === "absent" ? content : { bytes: bytes(content.text), mode: content.mode ?? 0o644 };
  return files.restore({ cwd, path, content: wanted, expected });
}

describe("restoring", () => {
  test("writes exactly these bytes and this mode, and leaves nothing else behind", async () => {
    const cwd = await makeFolder();
    await writeFile(join(cwd, "a"), "now");
    const restored = await restore(cwd, "a", { text: "before\r\n", mode: 0o751 }, hash("now"));
    expect(restored).toMatchObject({ ok: true, value: { hash: hash("before\r\n"), mode: 0o751 } });
    expect(await readFile(join(cwd, "a"), "utf8")).toBe("before\r\n");
    expect((await stat(join(cwd, "a"))).mode & 0o7777).toBe(0o751);
    expect(await readdir(cwd)).toEqual(["a"]);
  });

  test("brings back a removed file with its folders", async () => {
    const cwd = await makeFolder();
    expect((await restore(cwd, "x/y/a", { text: "old", mode: 0o600 }, "absent")).ok).toBe(true);
    expect(await readFile(join(cwd, "x/y/a"), "utf8")).toBe("old");
    expect((await stat(join(cwd, "x/y/a"))).mode & 0o7777).toBe(0o600);
  });

  test("brings back a read-only file over another one", async () => {
    const cwd = await makeFolder();
    await writeFile(join(cwd, "a"), "now", { mode: 0o444 });
    expect((await restore(cwd, "a", { text: "old", mode: 0o444 }, hash("now"))).ok).toBe(true);
    expect((await stat(join(cwd, "a"))).mode & 0o7777).toBe(0o444);
  });

  test("removes a file that is as expected", async () => {
    const cwd = await makeFolder();
    await writeFile(join(cwd, "a"), "now");
    expect(await restore(cwd, "a", "absent", hash("now"))).toEqual({ ok: true, value: "absent" });
    expect(await restore(cwd, "a", "absent", "absent")).toEqual({ ok: true, value: "absent" });
    expect(await readdir(cwd)).toEqual([]);
  });

  test.each([
    ["another content", "theirs", { text: "old" }, hash("now")],
    ["a file where none should be", "theirs", { text: "old" }, "absent"],
    ["no file where one should be", undefined, { text: "old" }, hash("now")],
    ["another content than the one to remove", "theirs", "absent", hash("now")],
    ["no file to remove", undefined, "absent", hash("now")],
  ] as const)("changes nothing when it finds %s", async (_, found, content, expected) => {
    const cwd = await makeFolder();
    if (found) await writeFile(join(cwd, "a"), found);
    expect(await restore(cwd, "a", content, expected)).toMatchObject({ ok: false, problem: { code: "changed" } });
    expect(await readdir(cwd)).toEqual(found ? ["a"] : []);
    if (found) expect(await readFile(join(cwd, "a"), "utf8")).toBe(found);
  });

  test.each([".git/config", "sub/.git/hooks/x", ".GIT/config", ".git", "link/config"])(
    "refuses %s, which is git's",
    async (path) => {
      const cwd = await makeFolder();
      await mkdir(join(cwd, ".git"));
      await symlink(".git", join(cwd, "link"));
      const refused = await restore(cwd, path, { text: "x" }, "absent");
      expect(refused).toMatchObject({ ok: false, problem: { message: expect.stringContaining("git") } });
      expect(await readdir(join(cwd, ".git"))).toEqual([]);
    },
  );

  test("refuses what is outside of the folder, also through a link", async () => {
    const cwd = await makeFolder();
    const other = await makeFolder();
    await writeFile(join(other, "theirs"), "theirs");
    await symlink(other, join(cwd, "out"));
    await symlink(join(other, "theirs"), join(cwd, "soft"));
    for (const path of ["../x", join(other, "theirs"), "out/theirs", "soft"]) {
      for (const content of [{ text: "x" }, "absent"] as const) {
        const refused = await restore(cwd, path, content, hash("theirs"));
        expect(refused).toMatchObject({ ok: false, problem: { code: "outside" } });
      }
    }
    expect(await readFile(join(other, "theirs"), "utf8")).toBe("theirs");
  });

  test("refuses the ledger's files and their names", async () => {
    const cwd = await makeFolder();
    const gate = createFileGate({ ledgerFiles: [join(cwd, "state.db")] });
    await writeFile(join(cwd, "state.db"), "ledger");
    await link(join(cwd, "state.db"), join(cwd, "alias"));
    for (const path of ["state.db", "state.db-wal", "alias"]) {
      const content = { bytes: bytes("x"), mode: 0o644 };
      for (const wanted of [content, "absent"] as const) {
        const refused = await gate.restore({ cwd, path, content: wanted, expected: hash("ledger") });
        expect(refused).toMatchObject({ ok: false, problem: { code: "ledger" } });
      }
    }
    expect((await readdir(cwd)).toSorted()).toEqual(["alias", "state.db"]);
  });

  test("writes through a link that stays inside, and does not remove one", async () => {
    const cwd = await makeFolder();
    await writeFile(join(cwd, "real"), "now");
    await symlink("real", join(cwd, "soft"));
    expect(await restore(cwd, "soft", "absent", hash("now"))).toMatchObject({
      ok: false,
      problem: { code: "changed" },
    });
    expect((await restore(cwd, "soft", { text: "old" }, hash("now"))).ok).toBe(true);
    expect(await readFile(join(cwd, "real"), "utf8")).toBe("old");
    expect((await lstat(join(cwd, "soft"))).isSymbolicLink()).toBe(true);
  });

  test("leaves what a model last saw as it was: it has to read again", async () => {
    const cwd = await makeFolder();
    const gate = createFileGate({ ledgerFiles: [] });
    await gate.write({ cwd, path: "a", bytes: bytes("new"), expected: "absent" });
    await gate.restore({ cwd, path: "a", content: { bytes: bytes("old"), mode: 0o644 }, expected: hash("new") });
    expect(await gate.target(cwd, "a")).toMatchObject({ ok: false, problem: { code: "changed" } });
  });
});

describe("a file with several names", () => {
  async function twoNames(content: string) {
    const cwd = await makeFolder();
    await writeFile(join(cwd, "a"), content, { mode: 0o640 });
    await link(join(cwd, "a"), join(cwd, "b"));
    return cwd;
  }

  test.each(["longer than before", "x"])("is written in place with %j, so that all names lead to it", async (text) => {
    const cwd = await twoNames("before");
    const { ino } = await stat(join(cwd, "a"));
    const written = await files.write({ cwd, path: "a", bytes: bytes(text), expected: hash("before") });
    expect(written).toMatchObject({ ok: true });
    expect(await readFile(join(cwd, "b"), "utf8")).toBe(text);
    expect(await stat(join(cwd, "a"))).toMatchObject({ ino, nlink: 2 });
    expect((await stat(join(cwd, "a"))).mode & 0o7777).toBe(0o640);
  });

  test("is restored in place, with its mode", async () => {
    const cwd = await twoNames("now");
    expect((await restore(cwd, "a", { text: "before", mode: 0o600 }, hash("now"))).ok).toBe(true);
    expect(await readFile(join(cwd, "b"), "utf8")).toBe("before");
    expect((await stat(join(cwd, "b"))).mode & 0o7777).toBe(0o600);
  });

  test("stays as it is when it is not what was expected", async () => {
    const cwd = await twoNames("theirs");
    const written = await files.write({ cwd, path: "a", bytes: bytes("x"), expected: hash("mine") });
    expect(written).toMatchObject({ ok: false, problem: { code: "changed" } });
    expect(await readFile(join(cwd, "b"), "utf8")).toBe("theirs");
  });

  test("loses one name when that one is removed", async () => {
    const cwd = await twoNames("now");
    expect((await restore(cwd, "a", "absent", hash("now"))).ok).toBe(true);
    expect(await readFile(join(cwd, "b"), "utf8")).toBe("now");
  });
});

describe("looking", () => {
  test("tells many files apart without opening one, links as themselves, and leaves out the ledger and the missing", async () => {
    const cwd = await makeFolder();
    const gate = createFileGate({ ledgerFiles: [join(cwd, "state.db")] });
    for (const name of ["a", "state.db"]) await writeFile(join(cwd, name), "12345");
    await chmod(join(cwd, "a"), 0o705);
    await symlink("a", join(cwd, "soft"));
    const paths = ["a", "soft", "state.db", "missing"].map((name) => join(cwd, name));
    const looks = await gate.look(paths, new AbortController().signal);
    expect([...looks.keys()].toSorted()).toEqual([join(cwd, "a"), join(cwd, "soft")]);
    expect(looks.get(join(cwd, "a"))).toMatchObject({ kind: "file", bytes: 5, mode: 0o705 });
    expect(looks.get(join(cwd, "soft"))).toMatchObject({ kind: "link" });
    expect((await gate.look(paths, AbortSignal.abort())).size).toBe(0);
  });
});

test("the mode is told with what was read", async () => {
  const cwd = await makeFolder();
  await writeFile(join(cwd, "a"), "x");
  await chmod(join(cwd, "a"), 0o604);
  expect(await files.read(join(cwd, "a"))).toMatchObject({ ok: true, value: { mode: 0o604 } });
});
