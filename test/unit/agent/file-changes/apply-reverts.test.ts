import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { chmod, link, mkdir, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyReverts, type RevertRow } from "../../../../src/agent/file-changes/apply-reverts.ts";
import type { FileGate } from "../../../../src/agent/tools/files.ts";
import type { CrashPoint } from "../../../../src/ledger/crash-points.ts";
import type { RevertOrder } from "../../../helpers/revert-child.ts";
import { makeFolder } from "../tools/tool-harness.ts";
import { type Content, type FileWorld, makeWorld } from "./file-world.ts";

async function apply(world: FileWorld, rows: readonly RevertRow[], files: Partial<FileGate> = {}) {
  const marked: [number, string][] = [];
  const applied = await applyReverts({
    rows,
    files: { ...world.files, ...files },
    blob: world.blob,
    mark: async (id, state) => {
      marked.push([id, state]);
      const row = rows.find((each) => each.id === id);
      if (!row) throw new Error(`no row ${id}`);
      return { ...row, state };
    },
  });
  return { marked, states: applied.map(({ state }) => state), whys: applied.map(({ why }) => why) };
}

type Row = readonly [title: string, expected: Content, target: Content, disk: Content, state: string, left: Content];

const ROWS: readonly Row[] = [
  ["is written over what was expected", "now", "before", "now", "done", "before"],
  ["is made where nothing was expected", undefined, "before", undefined, "done", "before"],
  ["is removed where it is as expected", "now", undefined, "now", "done", undefined],
  ["is left where it is so already", "now", "before", "before", "done", "before"],
  ["is left where it is gone already", "now", undefined, undefined, "done", undefined],
  ["is left where somebody changed it", "now", "before", "theirs", "conflict", "theirs"],
  ["is left where somebody removed it", "now", "before", undefined, "conflict", undefined],
  ["is left where somebody made another one", undefined, "before", "theirs", "conflict", "theirs"],
  ["is not removed where somebody changed it", "now", undefined, "theirs", "conflict", "theirs"],
];

describe("a planned file", () => {
  test.each(ROWS)("%s", async (_, expected, target, disk, state, left) => {
    const world = await makeWorld();
    await world.put("sub/a", disk);
    const row = world.revert("sub/a", expected, target);
    for (const _again of [1, 2]) {
      const { marked, states } = await apply(world, [row]);
      expect(marked).toEqual([[row.id, state]]);
      expect(states).toEqual([state]);
      expect(await world.content("sub/a")).toBe(left);
    }
  });

  test("gets the mode of its row, and keeps its own where the row says none", async () => {
    const world = await makeWorld();
    await world.put("a", "now", 0o750);
    await world.put("b", "now", 0o750);
    const { mode: _, ...plain } = world.revert("b", "now", "before");
    await apply(world, [world.revert("a", "now", "before", { mode: 0o604 }), plain]);
    expect([await world.mode("a"), await world.mode("b")]).toEqual([0o604, 0o750]);
  });

  test("gets its mode although its bytes are there already", async () => {
    const world = await makeWorld();
    await world.put("a", "same", 0o755);
    expect(await apply(world, [world.revert("a", "same", "same", { mode: 0o644 })])).toMatchObject({
      states: ["done"],
    });
    expect(await world.mode("a")).toBe(0o644);
  });

  test("is passed over when its row says how it ended", async () => {
    const world = await makeWorld();
    await world.put("a", "now");
    const rows = [
      world.revert("a", "now", "x", { state: "done" }),
      world.revert("a", "now", "x", { state: "conflict" }),
    ];
    expect(await apply(world, rows)).toMatchObject({ marked: [], states: ["done", "conflict"] });
    expect(await world.content("a")).toBe("now");
  });

  test("does not keep the others from being written", async () => {
    const world = await makeWorld();
    for (const name of ["a", "c"]) await world.put(name, "now");
    await mkdir(world.path("b"));
    const { states, whys } = await apply(
      world,
      ["a", "b", "c"].map((name) => world.revert(name, "now", "before")),
    );
    expect(states).toEqual(["done", "conflict", "done"]);
    expect(whys[1]).toContain("is a folder");
    expect([await world.content("a"), await world.content("c")]).toEqual(["before", "before"]);
  });

  test("outside of its folder, or of git, is a conflict", async () => {
    const world = await makeWorld();
    const rows = [world.revert(".git/config", undefined, "x"), world.revert("../elsewhere", undefined, "x")];
    expect(await apply(world, rows)).toMatchObject({ states: ["conflict", "conflict"] });
    expect(existsSync(path.join(world.cwd, "../elsewhere"))).toBe(false);
  });

  test("stays planned while the disk is full, and is written later", async () => {
    const world = await makeWorld();
    await world.put("a", "now");
    const row = world.revert("a", "now", "before");
    const full = async () => ({ ok: false, problem: { code: "full", message: "the disk is full" } }) as const;
    expect(await apply(world, [row], { restore: full })).toEqual({
      marked: [],
      states: ["planned"],
      whys: ["the disk is full"],
    });
    expect(await apply(world, [row])).toMatchObject({ states: ["done"] });
    expect(await world.content("a")).toBe("before");
  });

  test("whose content the ledger has not got is a conflict; a ledger that fails is an error", async () => {
    const world = await makeWorld();
    await world.put("a", "now");
    const row = world.revert("a", "now", "before");
    const rest = { rows: [row], files: world.files, mark: async () => row };
    await expect(applyReverts({ ...rest, blob: () => Promise.reject(new Error("gone")) })).rejects.toThrow("gone");
    world.blobs.clear();
    expect(await apply(world, [row])).toMatchObject({ states: ["conflict"] });
    expect(await world.content("a")).toBe("now");
  });
});

describe("killed between and within files", () => {
  let bundle: string;
  beforeAll(() => {
    bundle = path.join(mkdtempSync(path.join(tmpdir(), "stele-child-")), "child.mjs");
    buildSync({
      entryPoints: [fileURLToPath(new URL("../../../helpers/revert-child.ts", import.meta.url))],
      outfile: bundle,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
    });
  });
  afterAll(() => rmSync(path.dirname(bundle), { recursive: true, force: true }));

  const points: readonly CrashPoint[] = [
    "before:file-revert",
    "after:file-revert",
    "before:file-rename",
    "after:file-rename",
  ];

  test.each(points.flatMap((point) => [1, 2, 3, 4].map((pass) => `${point}@${pass}`)))(
    "at %s: each file is whole, and the next call finishes",
    async (armed) => {
      const world = await makeWorld();
      const log = path.join(await makeFolder(), "log");
      const now = { edited: "now", made: "made", linked: "linked now", conflict: "theirs" };
      for (const [name, content] of Object.entries(now)) await world.put(name, content);
      await link(world.path("linked"), world.path("other name"));
      await chmod(world.path("edited"), 0o755);
      const rows = [
        world.revert("edited", "now", "before", { mode: 0o600 }),
        world.revert("made", "made", undefined),
        world.revert("conflict", "mine", "before"),
        world.revert("removed", undefined, "back"),
        world.revert("linked", "linked now", "linked"),
      ];
      const blobs = Object.fromEntries(
        [...world.blobs].map(([hash, bytes]) => [hash, Buffer.from(bytes).toString("base64")]),
      );
      const order: RevertOrder = { rows, blobs, log };
      const doomed = spawnSync(process.execPath, [bundle, JSON.stringify(order)], {
        env: { ...process.env, STELE_CRASH_AT: armed },
        encoding: "utf8",
      });
      expect(doomed.signal, doomed.stderr).toBe("SIGKILL");
      for (const row of rows) await expectWhole(world, row);

      const marked = existsSync(log) ? readFileSync(log, "utf8") : "";
      const left = rows.filter(({ id }) => !marked.includes(`${id} `));
      expect(left.length).toBeGreaterThan(0);
      const { states } = await apply(world, left);
      expect(states).toEqual(left.map(({ path: at }) => (at === world.path("conflict") ? "conflict" : "done")));
      const names = ["edited", "made", "conflict", "removed", "linked", "other name"];
      const contents = await Promise.all(names.map((name) => world.content(name)));
      expect(contents).toEqual(["before", undefined, "theirs", "back", "linked", "linked"]);
      expect(await world.mode("edited")).toBe(0o600);
      expect((await readdir(world.cwd)).toSorted()).toEqual(["conflict", "edited", "linked", "other name", "removed"]);
    },
  );

  async function expectWhole(world: FileWorld, { path: at, expected, target }: RevertRow): Promise<void> {
    const read = await world.files.read(at);
    const hash = read.ok ? read.value.hash : undefined;
    if (at !== world.path("conflict")) expect([expected, target]).toContain(hash);
  }
});
