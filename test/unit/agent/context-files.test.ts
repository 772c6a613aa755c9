import { mkdirSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import {
  CONTEXT_BYTES,
  type ContextRequest,
  contextSection,
  contextStamp,
  contextWords,
  readContextFiles,
  tells,
} from "../../../src/agent/context-files.ts";
import { createFileGate } from "../../../src/agent/tools/files.ts";
import { temporaryFolder } from "../../helpers/ledger.ts";

const files = createFileGate({ ledgerFiles: [] });
let root: string;
let folder: string;

beforeEach(() => {
  root = path.join(temporaryFolder(), "project");
  folder = path.join(root, "packages", "a");
  mkdirSync(folder, { recursive: true });
});

function put(name: string, text: string): void {
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  writeFileSync(path.join(root, name), text);
}

function asked(more: Partial<ContextRequest> = {}): ContextRequest {
  return { files, cwd: folder, gitRoot: root, names: ["AGENTS.md"], ...more };
}

async function names(more: Partial<ContextRequest> = {}): Promise<readonly string[]> {
  return (await readContextFiles(asked(more))).read.map(({ name }) => name);
}

describe("context files", () => {
  it("are those of every folder from the git root down, in that order, and none above it", async () => {
    put("../AGENTS.md", "above");
    put("AGENTS.md", "root");
    put("packages/a/AGENTS.md", "folder");
    put("packages/b/AGENTS.md", "beside");
    const found = await readContextFiles(asked());
    expect(found.read.map(({ name, text }) => [name, text])).toEqual([
      ["AGENTS.md", "root"],
      ["packages/a/AGENTS.md", "folder"],
    ]);
    const section = contextSection(found);
    expect(section.indexOf("root")).toBeLessThan(section.indexOf("folder"));
  });

  it("outside of a repository are those of the folder alone", async () => {
    put("AGENTS.md", "root");
    put("packages/a/AGENTS.md", "folder");
    const { gitRoot: _, ...outside } = asked();
    expect((await readContextFiles(outside)).read.map(({ name }) => name)).toEqual(["AGENTS.md"]);
    expect((await readContextFiles(outside)).read[0]?.text).toBe("folder");
  });

  it("CLAUDE.md counts in a folder that has no AGENTS.md, and only there", async () => {
    put("CLAUDE.md", "root");
    put("packages/a/AGENTS.md", "folder");
    put("packages/a/CLAUDE.md", "not read");
    expect(await names()).toEqual(["CLAUDE.md", "packages/a/AGENTS.md"]);
  });

  it("are others where the config names others", async () => {
    put("docs/CONTEXT.md", "told");
    put("AGENTS.md", "not told");
    put("CLAUDE.md", "not told");
    expect(await names({ names: ["docs/CONTEXT.md"] })).toEqual(["docs/CONTEXT.md"]);
    expect(await names({ names: [] })).toEqual([]);
  });

  it("have a size together: the nearest is served first, and what is cut says so to model and person", async () => {
    put("AGENTS.md", "r".repeat(CONTEXT_BYTES));
    put("packages/AGENTS.md", "m".repeat(CONTEXT_BYTES));
    put("packages/a/AGENTS.md", "é".repeat(1_000));
    const found = await readContextFiles(asked());
    expect(found.read.map(({ isCut }) => isCut)).toEqual([true, true, false]);
    const [first, second, third] = found.read.map(({ text }) => text);
    expect(first).toMatch(/^\[the rest of AGENTS\.md is left out/);
    expect(second?.match(/m/g)?.length).toBeGreaterThanOrEqual(CONTEXT_BYTES - 2_000);
    expect(second).toMatch(/\n\[the rest of packages\/AGENTS\.md is left out[^\n]*\]$/);
    expect(third).toBe("é".repeat(1_000));
    expect(contextWords(found)).toMatch(/packages\/AGENTS\.md \(cut: .*64 KB, it has 64\)/);
  });

  it("are never cut inside of a character", async () => {
    put("packages/a/AGENTS.md", `x${"é".repeat(CONTEXT_BYTES)}`);
    expect((await readContextFiles(asked())).read[0]?.text).not.toContain("\uFFFD");
  });

  it("that lead out of the project are left out, and named; a link inside is followed", async () => {
    put("../secret", "the person's");
    put("CLAUDE.md", "shared");
    symlinkSync(path.join(root, "..", "secret"), path.join(folder, "AGENTS.md"));
    symlinkSync("CLAUDE.md", path.join(root, "AGENTS.md"));
    const found = await readContextFiles(asked());
    expect(found.read.map(({ text }) => text)).toEqual(["shared"]);
    expect(found.left).toEqual([{ name: "packages/a/AGENTS.md", why: "it leads out of the project" }]);
    expect(contextWords(found)).toBe(
      "The model is told AGENTS.md. packages/a/AGENTS.md is left out: it leads out of the project.",
    );
  });

  it("have a stamp that changes with each of them, and with nothing else", async () => {
    const stamps = [await contextStamp(asked())];
    put("AGENTS.md", "one");
    stamps.push(await contextStamp(asked()));
    put("AGENTS.md", "longer");
    stamps.push(await contextStamp(asked()));
    put("packages/a/CLAUDE.md", "more");
    stamps.push(await contextStamp(asked()));
    put("packages/b/AGENTS.md", "beside");
    expect(await contextStamp(asked())).toBe(stamps.at(-1));
    unlinkSync(path.join(root, "AGENTS.md"));
    stamps.push(await contextStamp(asked()));
    expect(new Set(stamps).size).toBe(stamps.length);
  });

  it("are told by a system prompt that ends with exactly them", async () => {
    put("AGENTS.md", "one");
    const one = await readContextFiles(asked());
    put("packages/a/AGENTS.md", "two");
    const two = await readContextFiles(asked());
    const none = { read: [], left: [] };
    const prompts = [none, one, two].map((found) => `role\n\n${contextSection(found)}`);
    const told = prompts.map((prompt) => [none, one, two].map((found) => tells(prompt, found)));
    expect(told).toEqual([
      [true, false, false],
      [false, true, false],
      [false, false, true],
    ]);
  });
});
