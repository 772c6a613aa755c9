import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import {
  Captured,
  isRunning,
  marking,
  nodeCommand,
  pidsThatRan,
  type RunModule,
  type Step,
  spawnBlockedSetup,
  step,
  temporaryTree,
} from "./setup-harness.ts";

const require = createRequire(import.meta.url);
const { runSetup } = require("../../../scripts/setup/run.cjs") as RunModule;
const { compilerAdvice } = require("../../../scripts/setup/compiler.cjs") as {
  compilerAdvice(env?: Record<string, string>): string | undefined;
};

// Real processes, on machines that may be busy.

const seen = { timeout: 30_000, interval: 5 };

async function setUp(root: string, ...steps: Step[]) {
  const stream = new Captured();
  return { code: await runSetup({ root, steps, stream }), text: stream.text };
}

describe("what is done again and what is not", () => {
  it("a second run does nothing and says nothing", async () => {
    const root = temporaryTree();
    expect((await setUp(root, step(root))).code).toBe(0);
    expect(await setUp(root, step(root))).toEqual({ code: 0, text: "" });
    expect(pidsThatRan(root)).toHaveLength(1);
  });

  it("a step with another key is done again, and the others are not", async () => {
    const root = temporaryTree();
    const other = step(root, { name: "other", attempts: [{ note: "other", ...nodeCommand(root, "process.exit(0)") }] });
    await setUp(root, step(root), other);
    const { text } = await setUp(root, step(root, { key: () => "another lock" }), other);
    expect(pidsThatRan(root)).toHaveLength(2);
    expect(text).toContain("[1/2]");
    expect(text).not.toContain("[2/2]");
  });

  it("a step whose output was deleted, or whose stamp went with node_modules, is done again", async () => {
    const root = temporaryTree();
    const made = step(root, {
      outputs: [join(root, "made")],
      attempts: [{ note: "making", ...marking(root, `require("fs").writeFileSync("made", "")`) }],
    });
    await setUp(root, made);
    rmSync(join(root, "made"));
    await setUp(root, made);
    expect(pidsThatRan(root)).toHaveLength(2);
    rmSync(join(root, "node_modules"), { recursive: true });
    await setUp(root, made);
    expect(pidsThatRan(root)).toHaveLength(3);
  });

  it("what is there already and proves itself is taken without running a command", async () => {
    const root = temporaryTree();
    expect((await setUp(root, step(root, { adopt: () => true }))).code).toBe(0);
    expect((await setUp(root, step(root, { name: "b", verify: nodeCommand(root, "process.exit(0)") }))).code).toBe(0);
    expect(pidsThatRan(root)).toHaveLength(0);
  });

  it("a kept file is used again when node_modules is gone, and made anew when it does not prove itself", async () => {
    const root = temporaryTree();
    const file = join(root, "node_modules", "addon", "file.node");
    const kept = join(root, ".stele-setup", "kept", "file.node");
    const making = `const fs = require("fs"); fs.mkdirSync("node_modules/addon", { recursive: true }); fs.writeFileSync("node_modules/addon/file.node", "good")`;
    const addon = step(root, {
      outputs: [file],
      keep: () => ({ file, kept }),
      verify: nodeCommand(
        root,
        `process.exit(require("fs").readFileSync(${JSON.stringify(file)}, "utf8") === "good" ? 0 : 1)`,
      ),
      attempts: [{ note: "compiling", ...marking(root, making) }],
    });
    await setUp(root, addon);
    rmSync(join(root, "node_modules"), { recursive: true });
    expect((await setUp(root, addon)).code).toBe(0);
    expect(pidsThatRan(root)).toHaveLength(1);
    expect(readFileSync(file, "utf8")).toBe("good");

    rmSync(join(root, "node_modules"), { recursive: true });
    writeFileSync(kept, "cut off");
    expect((await setUp(root, addon)).code).toBe(0);
    expect(pidsThatRan(root)).toHaveLength(2);
    expect(readFileSync(kept, "utf8")).toBe("good");
  });
});

describe("failures", () => {
  it("the next attempt is made when one fails, is not there, takes too long or does not prove itself", async () => {
    const root = temporaryTree();
    const attempts = [
      { note: "fails", ...nodeCommand(root, "process.exit(3)") },
      { note: "is not there", command: join(root, "no-such-program"), args: [], cwd: root },
      { note: "takes too long", ...nodeCommand(root, "setInterval(() => {}, 1000)"), limitMs: 50 },
      { note: "proves nothing", ...nodeCommand(root, "process.exit(0)") },
      { note: "works", ...marking(root) },
    ];
    const verify = nodeCommand(root, `process.exit(require("fs").existsSync("ran") ? 0 : 1)`);
    const outputs = [join(root, "ran")];
    expect((await setUp(root, step(root, { attempts, verify, outputs }))).code).toBe(0);
    expect(pidsThatRan(root)).toHaveLength(1);
  });

  it("shows the end of the output without colours and the whole log's path, writes no stamp, and exits 1", async () => {
    const root = temporaryTree();
    const source = `for (let n = 1; n < 99; n++) console.log("line " + n); console.error("\\x1b[31mred\\x1b[0m end"); process.exit(1)`;
    const failing = step(root, { attempts: [{ note: "failing", ...nodeCommand(root, source) }] });
    const { code, text } = await setUp(root, failing);
    const log = join(root, ".stele-setup", "setup.log");
    expect(code).toBe(1);
    expect(text).toContain("line 98");
    expect(text).toContain("  red end\n");
    expect(text).not.toMatch(/line 7\d/);
    expect(text).toContain(`The whole output: ${log}`);
    expect(readFileSync(log, "utf8")).toContain("line 1\n");
    expect((await setUp(root, failing)).code).toBe(1);
  });

  it("a missing compiler gets the line to type for each system", async () => {
    const root = temporaryTree();
    mkdirSync(join(root, "empty"));
    const attempts = [{ note: "compiling", ...nodeCommand(root, "process.exit(1)") }];
    const advice = () => compilerAdvice({ PATH: join(root, "empty") });
    const { code, text } = await setUp(root, step(root, { attempts, advice }));
    expect(code).toBe(1);
    expect(text).toContain("these are missing: python3, make, g++.");
    for (const system of ["Debian, Ubuntu", "Fedora", "Alpine", "macOS", "WSL"]) expect(text).toMatch(`  ${system} `);
    expect(text).toContain("sudo apt-get install -y python3 make g++");
  });

  it("says nothing of a compiler that is there under another name", () => {
    expect(compilerAdvice({ PATH: "", PYTHON: "/opt/python", MAKE: "/opt/make", CXX: "/opt/clang" })).toBeUndefined();
  });
});

describe("several set-ups of one tree", () => {
  it("the second one waits for the first and finds the work done", async () => {
    const root = temporaryTree();
    const first = spawnBlockedSetup(root);
    await vi.waitUntil(() => pidsThatRan(root).length === 1, seen);
    const second = spawnBlockedSetup(root);
    await vi.waitUntil(
      () => second.output().includes(`another set-up is at work here (process ${first.process.pid})`),
      seen,
    );
    writeFileSync(join(root, "go"), "");
    expect(await first.ended).toEqual({ code: 0, signal: null });
    expect(await second.ended).toEqual({ code: 0, signal: null });
    expect(pidsThatRan(root)).toHaveLength(1);
  });

  it("after kill -9 the next one ends the command that was left running and goes on", async () => {
    const root = temporaryTree();
    const killed = spawnBlockedSetup(root);
    await vi.waitUntil(() => pidsThatRan(root).length === 1, seen);
    killed.process.kill("SIGKILL");
    await killed.ended;
    const orphan = pidsThatRan(root)[0] ?? 0;
    expect(isRunning(orphan)).toBe(true);

    const next = spawnBlockedSetup(root);
    await vi.waitUntil(() => pidsThatRan(root).length === 2, seen);
    expect(isRunning(orphan)).toBe(false);
    expect(next.output()).not.toContain("waiting");
    writeFileSync(join(root, "go"), "");
    expect(await next.ended).toEqual({ code: 0, signal: null });
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)(
    "%s ends the command too, exits %i and leaves a state the next start goes on from",
    async (signal, code) => {
      const root = temporaryTree();
      const stopped = spawnBlockedSetup(root);
      await vi.waitUntil(() => pidsThatRan(root).length === 1, seen);
      stopped.process.kill(signal);
      expect(await stopped.ended).toEqual({ code, signal: null });
      expect(stopped.output()).toContain("The next start goes on from here.");
      expect(isRunning(pidsThatRan(root)[0] ?? 0)).toBe(false);

      expect(existsSync(join(root, "node_modules", ".stele-setup", "only"))).toBe(false);
      writeFileSync(join(root, "go"), "");
      expect(await spawnBlockedSetup(root).ended).toEqual({ code: 0, signal: null });
    },
  );
});

describe("progress", () => {
  it("is plain lines where there is no terminal", async () => {
    const root = temporaryTree();
    const { text } = await setUp(root, step(root));
    expect(text).toMatch(/^\[1\/1\] the only step: working \.\.\.\n\[1\/1\] the only step: done, \d+ s\n$/);
  });

  it("is one moving line on a terminal, never wider than it", async () => {
    const root = temporaryTree();
    const stream = new Captured();
    stream.isTTY = true;
    stream.columns = 16;
    await runSetup({ root, steps: [step(root)], stream });
    expect(stream.writes).toContain("\r[1/1] the only \x1b[K");
  });
});
