// The scripts that people and build servers call, as real processes: bin/stele, scripts/build.mjs and .ci/run.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot, temporaryTree } from "./setup-harness.ts";

// Real processes, on machines that may be busy.

function run(command: string, args: readonly string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", env: { ...process.env, ...env } });
  return { status, stdout, stderr };
}

function write(root: string, name: string, content: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), content);
}

describe("bin/stele", () => {
  function tree(): string {
    const root = temporaryTree();
    cpSync(join(projectRoot, "bin"), join(root, "bin"), { recursive: true });
    write(root, "package.json", `{ "type": "module" }`);
    return root;
  }

  it("says what to do when nothing is built, and exits 1", () => {
    const root = tree();
    const { status, stdout, stderr } = run(join(root, "bin", "stele"), []);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain(`Run \`npm start\` once in ${root}`);
  });

  it("runs the built program with its arguments and exit code, through a link from elsewhere", () => {
    const root = tree();
    write(root, "dist/stele.cjs", "console.log(JSON.stringify(process.argv.slice(2))); process.exitCode = 5;");
    const link = join(temporaryTree(), "stele");
    symlinkSync(join(root, "bin", "stele"), link);
    const { status, stdout } = run(link, ["run", "a b", "--json"]);
    expect({ status, stdout }).toEqual({ status: 5, stdout: `["run","a b","--json"]\n` });
  });
});

describe("scripts/build.mjs", () => {
  function tree(): string {
    const root = temporaryTree();
    for (const name of [
      "scripts/build.mjs",
      "scripts/build",
      "src/main.ts",
      "src/ledger-thread.ts",
      "src/code-cache.ts",
    ]) {
      cpSync(join(projectRoot, name), join(root, name), { recursive: true });
    }
    symlinkSync(join(projectRoot, "node_modules"), join(root, "node_modules"));
    write(root, "package.json", `{ "type": "module", "version": "9.8.7" }`);
    write(
      root,
      "src/cli.ts",
      `export async function main(argv, version) { console.log(version); await import("./screen.ts"); return 0; }`,
    );
    write(
      root,
      "src/ledger/worker.ts",
      `import D from "better-sqlite3"; export const serve = () => console.log(new D(":memory:").pragma("user_version"));`,
    );
    for (const name of ["commands/dispatch", "program", "headless"]) write(root, `src/${name}.ts`, "export {};");
    write(root, "src/agent/spool/supervisor.ts", `console.log("supervising");`);
    write(
      root,
      "src/screen.ts",
      `import { createElement } from "react"; import { Text, render } from "ink";
       const app = render(createElement(Text, null, "painted")); app.unmount(); console.log(typeof fetch);`,
    );
    return root;
  }

  it("bundles screen, worker and version, with fetch untouched and no developer tools looked for", () => {
    const root = tree();
    expect(run(process.execPath, [join(root, "scripts", "build.mjs")])).toEqual({ status: 0, stdout: "", stderr: "" });
    const { status, stdout, stderr } = run(process.execPath, [join(root, "dist", "stele.cjs")], { DEV: "true" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout.split("\n").filter(Boolean)).toEqual(["9.8.7", "painted", "function"]);
    expect(run(process.execPath, [join(root, "dist", "worker.cjs")]).stdout).toContain("user_version: 0");
    expect(run(process.execPath, [join(root, "dist", "supervisor.cjs")]).stdout).toBe("supervising\n");
  });

  it("compiles ahead what a start needs, for this Node", () => {
    const root = tree();
    run(process.execPath, [join(root, "scripts", "build.mjs")]);
    const caches = readdirSync(join(root, "dist")).filter((name) => name.endsWith(".cache"));
    expect(caches.map((name) => name.replace(/-.*?\.pack\./, " "))).toEqual([
      `screen ${process.version}-${process.platform}-${process.arch}.cache`,
      `start ${process.version}-${process.platform}-${process.arch}.cache`,
    ]);
    expect(readFileSync(join(root, "dist", caches[0] ?? "")).length).toBeGreaterThan(100_000);
  });

  it("builds a program that cannot start, and says what it shows instead", () => {
    const root = tree();
    write(root, "src/cli.ts", `throw new Error("broken on purpose");`);
    const { status, stderr } = run(process.execPath, [join(root, "scripts", "build.mjs")]);
    expect(status).toBe(0);
    expect(stderr).toContain("broken on purpose");
    expect(readdirSync(join(root, "dist"))).toContain("stele.cjs");
  });

  it("removes what earlier builds left, and keeps the old program when a build fails", () => {
    const root = tree();
    write(root, "dist/old-chunk.js", "");
    write(root, `.stele-setup/build-${spawnSync(process.execPath, ["-e", ""]).pid}/half.js`, "");
    run(process.execPath, [join(root, "scripts", "build.mjs")]);
    expect(readdirSync(join(root, "dist"))).not.toContain("old-chunk.js");
    expect(readdirSync(join(root, ".stele-setup"))).toEqual([]);

    const before = readFileSync(join(root, "dist", "stele.cjs"), "utf8");
    write(root, "src/cli.ts", "this is not TypeScript");
    expect(run(process.execPath, [join(root, "scripts", "build.mjs")]).status).toBe(1);
    expect(readFileSync(join(root, "dist", "stele.cjs"), "utf8")).toBe(before);
  });
});

describe(".ci/run", () => {
  /** A checkout whose npm is a script that finds the report's file among its arguments. */
  function ci(npm: string) {
    const root = temporaryTree();
    cpSync(join(projectRoot, ".ci"), join(root, ".ci"), { recursive: true });
    write(
      root,
      "path/npm",
      `#!/usr/bin/env bash\nfor a; do case $a in --outputFile.json=*) file=\${a#*=};; esac; done\n${npm}\n`,
    );
    chmodSync(join(root, "path", "npm"), 0o755);
    const env = { PATH: [join(root, "path"), process.env["PATH"]].join(delimiter), CI: "" };
    const { status, stdout } = run(join(root, ".ci", "run"), [], env);
    return { status, lines: stdout.trimEnd().split("\n") };
  }

  const report = (counts: object, testResults: object[] = []) =>
    JSON.stringify({
      numPassedTests: 0,
      numFailedTests: 0,
      numPendingTests: 0,
      numTodoTests: 0,
      testResults,
      ...counts,
    });

  it("ends with the totals and the exit code of npm test, which it calls as a build server", () => {
    const { status, lines } = ci(`echo "CI is $CI"; cat; echo '${report({ numPassedTests: 12 })}' > "$file"; exit 0`);
    expect({ status, lines }).toEqual({ status: 0, lines: ["CI is true", "12 passed, 0 failed"] });
  });

  it("counts what failed and what was skipped", () => {
    const counts = { numPassedTests: 3, numFailedTests: 2, numPendingTests: 1, numTodoTests: 1 };
    const { status, lines } = ci(`echo '${report(counts)}' > "$file"; echo noise >&2; exit 7`);
    expect({ status, last: lines.at(-1) }).toEqual({ status: 7, last: "3 passed, 2 failed, 2 skipped" });
  });

  it("counts a file that did not load, and a run that failed without a failed test, as a failure", () => {
    const unloaded = [{ name: "a.test.ts", status: "failed", message: "boom", assertionResults: [] }];
    const one = ci(`echo '${report({ numPassedTests: 3 }, unloaded)}' > "$file"; exit 1`);
    expect(one.lines.slice(-2)).toEqual(["did not load: a.test.ts: boom", "3 passed, 1 failed"]);
    const other = ci(`echo '${report({ numPassedTests: 3 })}' > "$file"; exit 1`);
    expect({ status: other.status, last: other.lines.at(-1) }).toEqual({ status: 1, last: "3 passed, 1 failed" });
  });

  it("says so when the tests did not run, and fails even if npm test did not", () => {
    expect(ci("echo no network; exit 9")).toMatchObject({ status: 9 });
    const { status, lines } = ci("exit 0");
    expect(status).toBe(1);
    expect(lines.at(-1)).toContain("the tests did not run");
  });
});
