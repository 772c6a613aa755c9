import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "../../..");

/** A file of the program, what it imports, and whether the linter's layer table lets it. */
const CASES = [
  ["src/ledger/a.ts", "./types.ts", "allowed"],
  ["src/ledger/a.ts", "better-sqlite3", "allowed"],
  ["src/ledger/a.ts", "node:fs", "allowed"],
  ["src/ledger/a.ts", "node:http", "refused"],
  ["src/ledger/a.ts", "fs", "refused"],
  ["src/ledger/a.ts", "zod", "refused"],
  ["src/ledger/a.ts", "../agent/turn.ts", "refused"],
  ["src/ledger/maintenance/a.ts", "../open.ts", "allowed"],
  ["src/ledger/maintenance/a.ts", "../../agent/turn.ts", "refused"],
  ["src/agent/a.ts", "../ledger/types.ts", "allowed"],
  ["src/agent/a.ts", "node:fs/promises", "allowed"],
  ["src/agent/a.ts", "better-sqlite3", "refused"],
  ["src/agent/a.ts", "execa", "refused"],
  ["src/agent/a.ts", "@ai-sdk/openai-compatible", "refused"],
  ["src/agent/a.ts", "../config/config.ts", "refused"],
  ["src/agent/a.ts", "../ui/printer.ts", "refused"],
  ["src/agent/a.ts", "../cli.ts", "refused"],
  ["src/agent/tools/a.ts", "execa", "allowed"],
  ["src/agent/tools/a.ts", "../../ledger/types.ts", "allowed"],
  ["src/agent/tools/a.ts", "@ai-sdk/openai-compatible", "refused"],
  ["src/agent/tools/spool/a.ts", "../../../commands/words.ts", "refused"],
  ["src/agent/models/a.ts", "@ai-sdk/openai-compatible", "allowed"],
  ["src/agent/models/a.ts", "execa", "refused"],
  ["src/interop/a.ts", "../ledger/types.ts", "allowed"],
  ["src/interop/a.ts", "../agent/turn.ts", "refused"],
  ["src/config/a.ts", "../agent/approvals.ts", "allowed"],
  ["src/config/a.ts", "../commands/words.ts", "refused"],
  ["src/commands/a.ts", "../interop/markdown.ts", "allowed"],
  ["src/commands/a.ts", "yargs", "refused"],
  ["src/commands/a.ts", "../ui/app.tsx", "refused"],
  ["src/commands/dispatch.ts", "yargs", "allowed"],
  ["src/ui/app.tsx", "ink", "allowed"],
  ["src/ui/app.tsx", "react", "allowed"],
  ["src/ui/app.tsx", "../commands/registry.ts", "allowed"],
  ["src/ui/app.tsx", "../ledger/types.ts", "allowed"],
  ["src/ui/app.tsx", "../ledger/session-db.ts", "refused but for types"],
  ["src/ui/app.tsx", "../ledger/tree.ts", "refused but for types"],
  ["src/ui/app.tsx", "../ledger/maintenance/stats.ts", "refused but for types"],
  ["src/ui/app.tsx", "yargs", "refused"],
  ["src/ui/printer.ts", "ink", "refused"],
  ["src/ui/keys.ts", "react", "refused"],
  ["src/ui/view-state.ts", "ink", "refused"],
  ["src/ui/view-state.ts", "../ledger/session-db.ts", "refused but for types"],
  ["src/ui/view-state.ts", "../ledger/errors.ts", "allowed"],
  ["src/ui/printer.ts", "../exit-codes.ts", "allowed"],
  ["src/ui/printer.ts", "../program.ts", "refused"],
  ["src/ledger/a.ts", "../exit-codes.ts", "refused"],
  ["src/main.ts", "./ui/app.tsx", "allowed"],
  ["src/main.ts", "ink", "refused"],
] as const;

/** The ways to name a module. */
function statementsWith(module: string): readonly string[] {
  const name = module.replace(/\W/g, "_");
  const from = JSON.stringify(module);
  return [
    `import { v${name} } from ${from};`,
    `import type { T${name} } from ${from};`,
    `export * from ${from};`,
    `void import(${from});`,
  ];
}

let tree: string;
let refused: ReadonlySet<string>;

beforeAll(() => {
  tree = mkdtempSync(path.join(tmpdir(), "stele-layers-"));
  const config = readJson(".oxlintrc.json");
  writeFileSync(path.join(tree, ".oxlintrc.json"), JSON.stringify({ ...config, options: { typeAware: false } }));
  const lines = new Map<string, string[]>();
  for (const [file, module] of CASES) {
    lines.set(file, [...(lines.get(file) ?? []), ...statementsWith(module)]);
  }
  for (const [file, statements] of lines) {
    mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
    writeFileSync(path.join(tree, file), statements.join("\n"));
  }
  refused = new Set(layerFindings(lines));
});

afterAll(() => rmSync(tree, { recursive: true, force: true }));

function readJson(name: string): Readonly<Record<string, object>> {
  return JSON.parse(readFileSync(path.join(root, name), "utf8")) as Record<string, object>;
}

/** `file statement` for each finding of the layer rule. */
function layerFindings(lines: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const output = runOxlint();
  const found = [...output.matchAll(/^(\S+?):(\d+):\d+: .*no-restricted-imports/gm)];
  return found.map(([, file = "", line]) => `${file} ${lines.get(file)?.[Number(line) - 1]}`);
}

function runOxlint(): string {
  const oxlint = path.join(root, "node_modules", "oxlint", "bin", "oxlint");
  const args = [oxlint, "-f", "unix", "src"];
  try {
    return execFileSync(process.execPath, args, { cwd: tree, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    if (error instanceof Error && "stdout" in error) return String(error.stdout); // findings make it exit with 1
    throw error;
  }
}

test.each(CASES)("%s with %s is %s", (file, module, expected) => {
  for (const statement of statementsWith(module)) {
    const isType = statement.startsWith("import type");
    const isRefused = expected === "refused" || (expected === "refused but for types" && !isType);
    expect([statement, refused.has(`${file} ${statement}`)]).toEqual([statement, isRefused]);
  }
});

describe("the whole program", () => {
  test("has no dependency that the table does not give to a layer", () => {
    const { dependencies } = readJson("package.json");
    const table = JSON.stringify(readJson(".oxlintrc.json"));
    const missing = Object.keys(dependencies ?? {}).filter((name) => !table.includes(`"!${name.replace(/\/.*/, "")}`));
    expect(missing).toEqual([]);
  });

  test("has no start-up file that the layers below could import unnoticed", () => {
    const named = /\|\(([\w|-]+)\)\\+\.ts\$/
      .exec(readFileSync(path.join(root, ".oxlintrc.json"), "utf8"))?.[1]
      ?.split("|");
    const files = readdirSync(path.join(root, "src")).filter((name) => name.endsWith(".ts"));
    expect(files.filter((name) => named?.includes(path.parse(name).name) !== true)).toEqual([]);
  });
});
