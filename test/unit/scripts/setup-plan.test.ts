import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Step, temporaryTree } from "./setup-harness.ts";

interface Machine {
  readonly abi: string;
  readonly platform: string;
  readonly arch: string;
}
const require = createRequire(import.meta.url);
const { planSteps } = require("../../../scripts/setup/plan.cjs") as {
  planSteps(root: string, options?: { forTest?: boolean; machine?: Machine }): readonly Step[];
};
const { versionProblem } = require("../../../scripts/setup.cjs") as {
  versionProblem(version: string, execPath: string): string | undefined;
};

const machine: Machine = { abi: "115", platform: "linux", arch: "x64" };

function tree(): string {
  const root = temporaryTree();
  mkdirSync(join(root, "src"));
  writeFileSync(join(root, "src", "main.ts"), "");
  writeFileSync(join(root, "package-lock.json"), lock("1.0.0"));
  return root;
}

function lock(version: string): string {
  const packages = {
    "": {},
    "node_modules/one": { version },
    "node_modules/elsewhere": { version: "1.0.0", optional: true },
  };
  return JSON.stringify({ packages });
}

const keys = (root: string, of: Machine = machine) =>
  Object.fromEntries(planSteps(root, { forTest: true, machine: of }).map(({ name, key }) => [name, key()]));

const changed = (before: Record<string, string>, after: Record<string, string>) =>
  Object.keys(before).filter((name) => before[name] !== after[name]);

describe("the Node version", () => {
  it.each(["v0.10.48", "v18.20.8", "v20.18.3"])("%s is told what is needed and what it is", (version) => {
    const problem = versionProblem(version, "/usr/bin/node");
    expect(problem).toContain("needs Node 20.19 or newer");
    expect(problem).toContain(`this is Node ${version.slice(1)} (/usr/bin/node)`);
  });

  it.each(["v20.19.0", "v22.0.0", "v24.1.0"])("%s is enough", (version) => {
    expect(versionProblem(version, "/usr/bin/node")).toBeUndefined();
  });
});

describe("what makes a step due again", () => {
  it("a changed lock: every step", () => {
    const root = tree();
    const before = keys(root);
    writeFileSync(join(root, "package-lock.json"), lock("2.0.0"));
    expect(changed(before, keys(root))).toEqual(["packages", "sqlite", "terminal", "bundle"]);
  });

  it("another Node ABI: the addons", () => {
    const root = tree();
    expect(changed(keys(root), keys(root, { ...machine, abi: "127" }))).toEqual(["sqlite", "terminal"]);
  });

  it.each([{ platform: "darwin" }, { arch: "arm64" }])("another machine, %o: packages and addons", (other) => {
    const root = tree();
    expect(changed(keys(root), keys(root, { ...machine, ...other }))).toEqual(["packages", "sqlite", "terminal"]);
  });

  it("a source that was written, added or removed: the bundle", () => {
    const root = tree();
    const before = keys(root);
    const when = new Date(1_700_000_000_000);
    utimesSync(join(root, "src", "main.ts"), when, when);
    expect(changed(before, keys(root))).toEqual(["bundle"]);
    const touched = keys(root);
    writeFileSync(join(root, "src", "more.ts"), "");
    expect(changed(touched, keys(root))).toEqual(["bundle"]);
    rmSync(join(root, "src", "more.ts"));
    expect(changed(touched, keys(root))).toEqual([]);
  });
});

describe("the plan", () => {
  it("leaves the tests' terminal to tests", () => {
    expect(planSteps(tree()).map(({ name }) => name)).toEqual(["packages", "sqlite", "bundle"]);
  });

  it("installs development packages even where NODE_ENV is production, and runs no install scripts", () => {
    const args = planSteps(tree())[0]?.attempts[0]?.args.join(" ");
    expect(args).toContain("ci --ignore-scripts --include=dev --include=optional");
  });

  it("takes packages that npm installed by hand exactly when they are those of the lock", () => {
    const root = tree();
    const packages = () => planSteps(root)[0]?.adopt?.();
    expect(packages()).toBe(false);
    mkdirSync(join(root, "node_modules", "one"), { recursive: true });
    writeFileSync(join(root, "node_modules", "one", "package.json"), "{}");
    const installed = (version: string) => JSON.stringify({ packages: { "node_modules/one": { version } } });
    writeFileSync(join(root, "node_modules", ".package-lock.json"), installed("1.0.0"));
    expect(packages()).toBe(true);
    writeFileSync(join(root, "node_modules", ".package-lock.json"), installed("0.9.0"));
    expect(packages()).toBe(false);
  });
});
