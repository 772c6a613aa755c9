// The tests that take fewer numbers every day, with their full ones: those that use helpers/full-numbers.ts.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** The exit code. */
export function fullNumbers(root) {
  const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs");
  const env = { ...process.env, STELE_FULL_NUMBERS: "1" };
  const { status } = spawnSync(process.execPath, [vitest, "run", ...files(root)], { cwd: root, env, stdio: "inherit" });
  return status ?? 1;
}

function files(root) {
  return readdirSync(path.join(root, "test"), { recursive: true })
    .filter((name) => /\.test\.tsx?$/.test(name))
    .map((name) => path.join("test", name))
    .filter((name) => readFileSync(path.join(root, name), "utf8").includes("/full-numbers.ts"));
}
