import { execFileSync } from "node:child_process";
import { symlink, utimes } from "node:fs/promises";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { globTool } from "../../../../src/agent/tools/glob.ts";
import { grepTool } from "../../../../src/agent/tools/grep.ts";
import { listDirTool } from "../../../../src/agent/tools/list-dir.ts";
import { type Harness, makeFolder, makeHarness } from "./tool-harness.ts";

async function makeTree(): Promise<Harness> {
  const harness = await makeHarness();
  await harness.put(".gitignore", "dist/\n*.log\n!keep.log\n/only-root.ts\n");
  await harness.put(".github/ci.yml", "needle: 1\n");
  await harness.put("src/a.ts", "const needle = 1\nother\nNeedle again\n");
  await harness.put("src/deep/b.ts", "needle(\n");
  await harness.put("src/deep/.gitignore", "c.ts\n!special.log\n");
  await harness.put("src/deep/c.ts", "needle\n");
  await harness.put("src/deep/special.log", "needle\n");
  await harness.put("src/only-root.ts", "needle\n");
  await harness.put("only-root.ts", "needle\n");
  await harness.put("dist/out.ts", "needle\n");
  await harness.put("debug.log", "needle\n");
  await harness.put("keep.log", "needle\n");
  await harness.put("node_modules/x/a.ts", "needle\n");
  await harness.put(".git/a.ts", "needle\n");
  await harness.put("bin.dat", Buffer.from("needle\0needle\n"));
  return harness;
}

async function lines(
  harness: Harness,
  tool: typeof globTool | typeof grepTool,
  input: { pattern: string; path?: string; glob?: string },
) {
  const result = tool === globTool ? await harness.call(globTool, input) : await harness.call(grepTool, input);
  return (result.output ?? "").split("\n").toSorted();
}

describe("glob", () => {
  test.each([
    ["**/*.ts", ["src/a.ts", "src/deep/b.ts", "src/only-root.ts"]],
    ["*.ts", ["src/a.ts", "src/deep/b.ts", "src/only-root.ts"]],
    ["src/*.ts", ["src/a.ts", "src/only-root.ts"]],
    ["./src/*.ts", ["src/a.ts", "src/only-root.ts"]],
    ["**/*.{yml,log}", [".github/ci.yml", "keep.log", "src/deep/special.log"]],
    ["src/a.ts", ["src/a.ts"]],
    ["a.ts", ["src/a.ts"]],
    ["dist/*", ["dist/out.ts"]],
    ["*.nothing", ["[no file matches]"]],
  ])("%s finds what .gitignore leaves", async (pattern, expected) => {
    expect(await lines(await makeTree(), globTool, { pattern })).toEqual(expected);
  });

  test("agrees with git about what is ignored", async () => {
    const harness = await makeTree();
    await harness.files.list(harness.cwd);
    execFileSync("rm", ["-r", harness.path(".git"), harness.path("node_modules")]);
    execFileSync("git", ["init", "-q"], { cwd: harness.cwd });
    const byGit = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
      cwd: harness.cwd,
      encoding: "utf8",
    });
    expect(await lines(harness, globTool, { pattern: "**" })).toEqual(byGit.trim().split("\n").toSorted());
  });

  test("a folder below the repository still obeys the rules above it", async () => {
    const harness = await makeTree();
    expect(await lines(harness, globTool, { pattern: "*.log", path: "src" })).toEqual(["src/deep/special.log"]);
    const below = await makeHarness({ cwd: harness.path("src") });
    await below.put("more.log", "");
    expect(await lines(below, globTool, { pattern: "*.log" })).toEqual(["deep/special.log"]);
  });

  test("absolute patterns work, and paths outside the folder are shown whole", async () => {
    const harness = await makeTree();
    const other = await makeHarness();
    expect(await lines(other, globTool, { pattern: `${harness.cwd}/src/*.ts` })).toEqual([
      harness.path("src/a.ts"),
      harness.path("src/only-root.ts"),
    ]);
  });

  test("the newest come first, and more than 500 are said", async () => {
    const harness = await makeHarness();
    for (let index = 0; index < 502; index++) await harness.put(`f${index}.txt`, "");
    await utimes(harness.path("f77.txt"), new Date(), new Date(Date.now() + 60_000));
    const output = (await harness.call(globTool, { pattern: "*.txt" })).output?.split("\n") ?? [];
    expect(output).toHaveLength(501);
    expect(output[0]).toBe("f77.txt");
    expect(output.at(-1)).toBe("[the newest 500 of 502; narrow the pattern for the others]");
  });

  test("linked folders are not followed, and a stop is told as a stop", async () => {
    const harness = await makeTree();
    await symlink(harness.cwd, harness.path("src/loop"));
    expect(await lines(harness, globTool, { pattern: "src/loop/**" })).not.toContain("src/loop/loop");
    harness.stop.abort();
    expect(await harness.call(globTool, { pattern: "**" })).toMatchObject({ kind: "cancelled" });
  });
});

const hasRipgrep = (process.env.PATH ?? "").split(":").some((folder) => {
  try {
    return execFileSync(`${folder}/rg`, ["--version"]).length > 0;
  } catch {
    return false; // not in this folder
  }
});

describe.each(["ripgrep", "own walk"])("grep by %s", (way) => {
  beforeEach(async (context) => {
    if (way === "ripgrep") return context.skip(!hasRipgrep);
    vi.stubEnv("PATH", await makeFolder());
    return () => vi.unstubAllEnvs();
  });

  test.each([
    [
      { pattern: "needle" },
      [
        ".github/ci.yml:1:needle: 1",
        "keep.log:1:needle",
        "src/a.ts:1:const needle = 1",
        "src/deep/b.ts:1:needle(",
        "src/deep/special.log:1:needle",
        "src/only-root.ts:1:needle",
      ],
    ],
    [
      { pattern: "(?i)^needle", glob: "*.ts" },
      ["src/a.ts:3:Needle again", "src/deep/b.ts:1:needle(", "src/only-root.ts:1:needle"],
    ],
    [{ pattern: "needle", path: "src", glob: "deep/*.ts" }, ["src/deep/b.ts:1:needle("]],
    [{ pattern: "needle", path: "src/a.ts" }, ["src/a.ts:1:const needle = 1"]],
    [{ pattern: "needle", path: "dist" }, ["dist/out.ts:1:needle"]],
    [{ pattern: "needle", glob: "!*.{ts,log}" }, [".github/ci.yml:1:needle: 1"]],
    [{ pattern: "needle\\($" }, ["src/deep/b.ts:1:needle("]],
    [{ pattern: "-nothing" }, ["[nothing matches]"]],
  ])("%j finds the lines", async (input, expected) => {
    expect(await lines(await makeTree(), grepTool, input)).toEqual(expected);
  });

  test("a broken expression is a result that says so", async () => {
    const harness = await makeTree();
    const result = await harness.call(grepTool, { pattern: "needle(" });
    expect(result).toMatchObject({
      kind: "failed",
      output: expect.stringContaining("the pattern is not a regular expression"),
    });
  });

  test("200 lines are shown, long ones cut, and more are said", async () => {
    const harness = await makeHarness();
    await harness.put("a.txt", `${"x".repeat(1000)}\n`.repeat(250));
    const output = (await harness.call(grepTool, { pattern: "x" })).output?.split("\n") ?? [];
    expect(output).toHaveLength(201);
    expect(output[0]).toBe(`a.txt:1:${"x".repeat(300)}… [700 more characters]`);
    expect(output.at(-1)).toBe("[there are more than 200 matches: narrow the search]");
  });

  test("exactly 200 matches are not called more", async () => {
    const harness = await makeHarness();
    await harness.put("a.txt", "x\n".repeat(200));
    expect((await harness.call(grepTool, { pattern: "x" })).output?.split("\n")).toHaveLength(200);
  });

  test("a missing path and a stop are told", async () => {
    const harness = await makeTree();
    expect(await harness.call(grepTool, { pattern: "x", path: "nowhere" })).toMatchObject({ kind: "failed" });
    harness.stop.abort();
    expect(await harness.call(grepTool, { pattern: "needle" })).toMatchObject({ kind: "cancelled" });
  });
});

describe("grep's own walk", () => {
  beforeEach(async () => {
    vi.stubEnv("PATH", await makeFolder());
    return () => vi.unstubAllEnvs();
  });

  test("a pattern that backtracks without end is cut off", async () => {
    const harness = await makeHarness();
    await harness.put("a.txt", `${"a".repeat(60)}b\n`);
    const result = await harness.call(grepTool, { pattern: "^(a+)+$" });
    expect(result).toMatchObject({ kind: "failed", output: expect.stringContaining("takes too long") });
  });

  test("never opens the ledger it walks over", async () => {
    const folder = await makeHarness();
    const ledger = await folder.put("state.db", "needle\n");
    await folder.put("a.txt", "needle\n");
    const harness = await makeHarness({ cwd: folder.cwd, ledgerFiles: [ledger] });
    expect((await harness.call(grepTool, { pattern: "needle" })).output).toBe("a.txt:1:needle");
  });
});

test("list_dir shows folders first, sizes, links and what is not a file", async () => {
  const harness = await makeHarness();
  await harness.put("b.txt", "12345");
  await harness.put(".hidden", "");
  await harness.put("zoo/inner", "");
  await symlink("b.txt", harness.path("link"));
  await symlink("nowhere", harness.path("lost"));
  execFileSync("mkfifo", [harness.path("pipe")]);
  expect((await harness.call(listDirTool, { path: "." })).output?.split("\n")).toEqual([
    "zoo/",
    ".hidden  0",
    "b.txt  5",
    "link  [link, 5]",
    "lost  [link, leads nowhere or may not be followed]",
    "pipe  [device, pipe or socket]",
  ]);
  expect(await harness.call(listDirTool, { path: "b.txt" })).toMatchObject({
    kind: "failed",
    output: expect.stringContaining("is not a folder"),
  });
  expect(await harness.call(listDirTool, { path: "gone" })).toMatchObject({
    kind: "failed",
    output: expect.stringContaining("does not exist"),
  });
});
