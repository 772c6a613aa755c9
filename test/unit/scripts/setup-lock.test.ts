import { spawnSync } from "node:child_process";
import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryTree } from "./setup-harness.ts";

interface Lock {
  setChild(pid: number | undefined): void;
  release(): void;
}
interface LockModule {
  acquireLock(folder: string, options?: { onWait?: (pid?: number) => void; pollMs?: number }): Promise<Lock>;
  identify(pid: number): { pid: number; start: string | undefined; host: string };
}
const { acquireLock, identify } = createRequire(import.meta.url)("../../../scripts/setup/lock.cjs") as LockModule;

const longAgo = new Date(Date.now() - 3_600_000);
const claims = (folder: string) => readdirSync(folder).filter((name) => name.startsWith("lock-"));

function claim(folder: string, content: object | string, changedAt = new Date()): string {
  const file = join(folder, "lock-7");
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  utimesSync(file, changedAt, changedAt);
  return file;
}

/** Whether the lock must be waited for; the wait is then ended by freeing the claim. */
async function isWaitedFor(folder: string): Promise<boolean> {
  let waited = false;
  const onWait = () => {
    waited = true;
    claim(folder, { free: true });
  };
  (await acquireLock(folder, { onWait, pollMs: 1 })).release();
  return waited;
}

it("is waited for while its holder lives, and free after release", async () => {
  const folder = temporaryTree();
  const first = await acquireLock(folder);
  const order: string[] = [];
  const onWait = (pid?: number) => {
    expect(pid).toBe(process.pid);
    if (order.length === 0) first.release();
    order.push("waited");
  };
  (await acquireLock(folder, { onWait, pollMs: 1 })).release();
  expect(order).toEqual(["waited"]);
  expect(claims(folder)).toEqual(["lock-2"]);
});

it("is taken over at once from a process that is gone", async () => {
  const folder = temporaryTree();
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  claim(folder, { pid, start: "some start", host: hostname() });
  expect(await isWaitedFor(folder)).toBe(false);
  expect(claims(folder)).toEqual(["lock-8"]);
});

it("is taken over when its holder's pid belongs to a later process", async () => {
  const folder = temporaryTree();
  claim(folder, { ...identify(process.pid), start: "an earlier boot:1" });
  expect(await isWaitedFor(folder)).toBe(false);
});

it.each([
  ["a claim of another machine", { pid: 1, start: "x", host: "another.example" }],
  ["a claim that was cut short", ""],
])("%s counts until it has been silent for a minute", async (_, content) => {
  const folder = temporaryTree();
  claim(folder, content);
  expect(await isWaitedFor(folder)).toBe(true);
  claim(folder, content, longAgo);
  expect(await isWaitedFor(folder)).toBe(false);
});

it("has one holder at a time among many contenders over a dead claim", async () => {
  const folder = temporaryTree();
  claim(folder, { pid: spawnSync(process.execPath, ["-e", ""]).pid, start: "x", host: hostname() });
  let holders = 0;
  let most = 0;
  const contend = async () => {
    const lock = await acquireLock(folder, { pollMs: 1 });
    most = Math.max(most, ++holders);
    await new Promise((resolve) => setImmediate(resolve));
    holders--;
    lock.release();
  };
  await Promise.all(Array.from({ length: 20 }, contend));
  expect(most).toBe(1);
});
