import { chmod, mkdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { type PlannedFile, planRedo, planUndo } from "../../../../src/agent/file-changes/undo-plan.ts";
import { UNKNOWN_HASH } from "../../../../src/agent/file-changes/unknown-hash.ts";
import type { FileChangeId } from "../../../../src/ledger/types.ts";
import { type Content, type FileWorld, makeWorld } from "./file-world.ts";

/** What would be on the disk; `same` where it is left alone. */
function resultOf(file: PlannedFile | undefined): string | undefined {
  if (!file || file.action === "none") return "same";
  return file.target === "absent" ? undefined : Buffer.from(file.target.bytes).toString("latin1");
}

async function planOne(world: FileWorld, changes: Parameters<typeof planUndo>[0]): Promise<PlannedFile | undefined> {
  const planned = await planUndo(changes, world);
  expect(planned.length).toBeLessThanOrEqual(1);
  return planned[0];
}

type Change = readonly [before: Content, after: Content];
type Row = readonly [
  title: string,
  changes: readonly Change[],
  disk: Content,
  expected: { state: string; action: string; result: Content; added?: number; removed?: number; why?: string },
];

const ROWS: readonly Row[] = [
  [
    "an edit",
    [["a\nb\n", "a\nB\nc\n"]],
    "a\nB\nc\n",
    { state: "ready", action: "write", result: "a\nb\n", added: 1, removed: 2 },
  ],
  [
    "two edits of one file",
    [
      ["1\n", "2\n"],
      ["2\n", "3\n"],
    ],
    "3\n",
    { state: "ready", action: "write", result: "1\n", added: 1, removed: 1 },
  ],
  [
    "a new file",
    [[undefined, "a\nb\n"]],
    "a\nb\n",
    { state: "ready", action: "remove", result: undefined, added: 0, removed: 2 },
  ],
  [
    "a new and then edited file",
    [
      [undefined, "a\n"],
      ["a\n", "b\n"],
    ],
    "b\n",
    { state: "ready", action: "remove", result: undefined },
  ],
  [
    "a removed file",
    [["a\nb\n", undefined]],
    undefined,
    { state: "ready", action: "create", result: "a\nb\n", added: 2, removed: 0 },
  ],
  [
    "an edit of what is no text",
    [["\0a", "\0b"]],
    "\0b",
    { state: "ready", action: "write", result: "\0a", added: 0, removed: 0 },
  ],
  ["an edit that is undone already", [["a\n", "b\n"]], "a\n", { state: "done", action: "none", result: "same" }],
  [
    "a new file that is gone already",
    [[undefined, "a\n"]],
    undefined,
    { state: "done", action: "none", result: "same" },
  ],
  [
    "a removed file that is back already",
    [["a\n", undefined]],
    "a\n",
    { state: "done", action: "none", result: "same" },
  ],
  [
    "an edit, and the person's elsewhere in the file",
    [["a\nb\nc\n", "A\nb\nc\n"]],
    "A\nb\nC\n",
    { state: "merged", action: "write", result: "a\nb\nC\n", added: 1, removed: 1 },
  ],
  [
    "an edit, and the person's of the same line",
    [["a\nb\n", "A\nb\n"]],
    "x\nb\n",
    { state: "conflict", action: "none", result: "same", why: "a.txt was changed since: both changed it at line 1" },
  ],
  [
    "an edit that the person took back by hand, with more",
    [["a\nb\nc\n", "A\nb\nc\n"]],
    "a\nb\nC\n",
    { state: "done", action: "none", result: "same" },
  ],
  [
    "an edit of what is no text, and the person's",
    [["\0a", "\0b"]],
    "\0c",
    { state: "conflict", action: "none", result: "same", why: "a.txt was changed since: it is not text" },
  ],
  [
    "an edit, and the person removed the file",
    [["a\n", "b\n"]],
    undefined,
    { state: "conflict", action: "none", result: "same", why: "a.txt was removed since" },
  ],
  [
    "a new file that the person changed",
    [[undefined, "a\n"]],
    "a\nmine\n",
    { state: "conflict", action: "none", result: "same", why: "a.txt was changed since it was created" },
  ],
  [
    "a removed file that the person made anew",
    [["a\n", undefined]],
    "b\n",
    { state: "conflict", action: "none", result: "same", why: "a.txt is there again, with other content" },
  ],
  [
    "two edits with the person's between them",
    [
      ["a\nb\nc\n", "A\nb\nc\n"],
      ["A\nb\nC\n", "A\nb\nCC\n"],
    ],
    "A\nb\nCC\n",
    { state: "merged", action: "write", result: "a\nb\nC\n" },
  ],
  [
    "a new file, removed by the person, made and edited again",
    [
      [undefined, "a\n"],
      [undefined, "b\n"],
    ],
    "b\n",
    { state: "ready", action: "remove", result: undefined },
  ],
];

describe("taking back", () => {
  test.each(ROWS)("%s", async (_, changes, disk, { result, ...expected }) => {
    const world = await makeWorld();
    await world.put("a.txt", disk);
    const recorded = changes.map(([before, after]) => world.change("a.txt", before, after));
    const planned = await planOne(world, recorded);
    expect(planned).toMatchObject({ ...expected, path: world.path("a.txt"), origin: "recorded" });
    expect(planned).toMatchObject({ change: recorded.at(-1)?.id });
    expect(resultOf(planned)).toBe(result);
    expect(await world.content("a.txt")).toBe(disk);
  });

  test.each([
    [
      "a file made and removed again",
      [
        [undefined, "a\n"],
        ["a\n", undefined],
      ],
    ],
    [
      "an edit taken back by a later one",
      [
        ["a\n", "b\n"],
        ["b\n", "a\n"],
      ],
    ],
    ["nothing", []],
  ] as const)("%s is nothing", async (_, changes) => {
    const world = await makeWorld();
    await world.put("a.txt", "the person's");
    expect(
      await planOne(
        world,
        changes.map(([before, after]) => world.change("a.txt", before, after)),
      ),
    ).toBeUndefined();
  });

  test("several files comes in the order of their first changes", async () => {
    const world = await makeWorld();
    await world.put("b", "2");
    await world.put("a", "3");
    const changes = [world.change("b", "1", "2"), world.change("a", "1", "2"), world.change("a", "2", "3")];
    expect((await planUndo(changes, world)).map(({ path }) => path)).toEqual([world.path("b"), world.path("a")]);
  });

  test("leaves out recorded changes that never happened", async () => {
    const world = await makeWorld();
    await world.put("a", "1");
    for (const callState of ["proposed", "approved", "failed", "cancelled", "denied", "skipped"] as const) {
      expect(await planOne(world, [world.change("a", "1", "2", { callState })])).toBeUndefined();
    }
    expect(await planOne(world, [world.change("a", "1", "2", { callState: "unknown" })])).toMatchObject({
      state: "done",
    });
    const failedCommand = world.change("a", "0", "1", { callState: "failed", origin: "suspected" });
    expect(await planOne(world, [failedCommand])).toMatchObject({ state: "ready" });
  });

  test("is suspected only where every change of the file is", async () => {
    const world = await makeWorld();
    await world.put("a", "3");
    const [recorded, suspected] = [world.change("a", "1", "2"), world.change("a", "2", "3", { origin: "suspected" })];
    expect(await planOne(world, [suspected])).toMatchObject({ origin: "suspected" });
    expect(await planOne(world, [recorded, suspected])).toMatchObject({ origin: "recorded" });
  });

  test("says what is lost: contents that were not kept, or are not there any more", async () => {
    const world = await makeWorld();
    await world.put("a", "2");
    const lost = { state: "lost", action: "none", why: expect.stringContaining("not stored") };
    expect(await planOne(world, [world.change("a", "1", "2", { restorable: false })])).toMatchObject(lost);
    const unread = { before: { hash: UNKNOWN_HASH, mode: 0o644 } };
    expect(await planOne(world, [world.change("a", "1", "2", unread)])).toMatchObject(lost);
    const edit = world.change("a", "1", "2");
    if (edit.before) world.blobs.delete(edit.before.hash);
    expect(await planOne(world, [edit])).toMatchObject(lost);
  });

  test("goes through a change without its bytes when both ends are known", async () => {
    const world = await makeWorld();
    await world.put("a", "3");
    const changes = [
      world.change("a", "1", "2"),
      world.change("a", "2", "3", { origin: "suspected", restorable: false }),
    ];
    const planned = await planOne(world, changes);
    expect(planned).toMatchObject({ state: "ready", origin: "recorded" });
    expect(resultOf(planned)).toBe("1");
  });

  test("does not take a file whose content is unknown for unchanged", async () => {
    const world = await makeWorld();
    await world.put("a", "3");
    const unread = { hash: UNKNOWN_HASH, mode: 0o644 };
    const changes = [
      world.change("a", "1", "2"),
      world.change("a", "2", "3", { origin: "suspected", restorable: false, before: unread, after: unread }),
    ];
    expect(await planOne(world, changes)).toMatchObject({ state: "lost", action: "none" });
  });

  test("is a conflict where a folder took the place of the file", async () => {
    const world = await makeWorld();
    await mkdir(world.path("a"));
    const planned = await planOne(world, [world.change("a", "1", "2")]);
    expect(planned).toMatchObject({
      state: "conflict",
      now: "unreadable",
      why: expect.stringContaining("is a folder"),
    });
  });

  test("throws on what is no answer: a ledger that fails", async () => {
    const world = await makeWorld();
    await world.put("a", "2");
    const blob = () => Promise.reject(new Error("the worker died"));
    await expect(planUndo([world.change("a", "1", "2")], { files: world.files, blob })).rejects.toThrow("worker died");
  });
});

describe("what is on the disk in part", () => {
  const WAY: readonly Change[] = [
    [undefined, "base\n"],
    ["base\n", "one\n"],
    ["one\n", "two\n"],
  ];
  /** An end that was left (two to three, taken out first), and the one that is gone to, backwards. */
  const OVER: readonly Change[] = [
    ["three\n", "two\n"],
    ["base\n", "one\n"],
    ["one\n", "two\n"],
  ];

  test.each<readonly [string, readonly Change[], Content, { state: string; result: Content; why?: string }]>([
    ["all of it", WAY.slice(1), "two\n", { state: "ready", result: "base\n" }],
    ["without the newest", WAY.slice(1), "one\n", { state: "ready", result: "base\n" }],
    ["none of it", WAY.slice(1), "base\n", { state: "done", result: "same" }],
    ["a file that the first step made", WAY, "one\n", { state: "ready", result: undefined }],
    ["what two places held: the one from which it can be", OVER, "two\n", { state: "ready", result: "three\n" }],
    ["the end that is gone to", OVER, "three\n", { state: "done", result: "same" }],
    [
      "the first of steps that cancel each other out",
      [WAY[1], ["one\n", "base\n"]] as Change[],
      "one\n",
      { state: "ready", result: "base\n" },
    ],
    [
      "a state before the person's own change",
      [
        ["a\nb\nc\n", "A\nb\nc\n"],
        ["A\nb\nC\n", "A\nb\nCC\n"],
      ],
      "A\nb\nc\n",
      { state: "ready", result: "a\nb\nc\n" },
    ],
    [
      "what nobody but the person wrote",
      WAY.slice(1),
      "mine\n",
      { state: "conflict", result: "same", why: "a.txt was changed since: both changed it at line 1" },
    ],
  ])("is folded from there: %s", async (_, changes, disk, { result, ...expected }) => {
    const world = await makeWorld();
    await world.put("a.txt", disk);
    const planned = await planOne(
      world,
      changes.map(([before, after]) => world.change("a.txt", before, after)),
    );
    expect(planned).toMatchObject(expected);
    expect(resultOf(planned)).toBe(result);
  });

  test("says what is lost, and does not go on to an older place that looks the same", async () => {
    const world = await makeWorld();
    await world.put("a.txt", "b");
    const changes = [world.change("a.txt", "a", "b"), world.change("a.txt", "c", "b", { restorable: false })];
    expect(await planOne(world, changes)).toMatchObject({ state: "lost", action: "none" });
  });
});

describe("modes", () => {
  const at = (mode: number) => ({ mode });

  test.each([
    ["that the change set is put back", 0o644, 0o755, 0o755, 0o644],
    ["that the change left alone stays what it is now", 0o644, 0o644, 0o755, 0o755],
    ["of a file that had another is put back although the person changed it", 0o600, 0o644, 0o666, 0o600],
  ])("a mode %s", async (_, old, left, now, target) => {
    const world = await makeWorld();
    await world.put("a", "2", now);
    const change = world.change("a", "1", "2");
    const { before, after } = change;
    if (!before || !after) throw new Error("an edit has both");
    const edit = { ...change, before: { ...before, ...at(old) }, after: { ...after, ...at(left) } };
    expect(await planOne(world, [edit])).toMatchObject({ state: "ready", target: at(target) });
  });

  test("a change of the mode alone is taken back", async () => {
    const world = await makeWorld();
    await world.put("a", "1", 0o755);
    const change = world.change("a", "1", "1");
    const { before, after } = change;
    if (!before || !after) throw new Error("an edit has both");
    const chmodded = { ...change, after: { ...after, mode: 0o755 } };
    expect(await planOne(world, [chmodded])).toMatchObject({
      state: "ready",
      action: "write",
      target: { hash: before.hash, mode: 0o644 },
      added: 0,
      removed: 0,
    });
    await chmod(world.path("a"), 0o644);
    expect(await planOne(world, [chmodded])).toMatchObject({ state: "done" });
  });
});

describe("bringing back", () => {
  /** Reverts in the order undo made them. */
  async function redo(world: FileWorld, reverts: readonly Change[], mode?: number) {
    const rows = reverts.map(([from, to], index) => ({
      path: world.path("a"),
      cwd: world.cwd,
      change: (index + 1) as FileChangeId,
      from: world.store(from) ?? ("absent" as const),
      to: world.store(to) ?? ("absent" as const),
      ...(mode !== undefined && { mode }),
    }));
    return (await planRedo(rows, world))[0];
  }

  test("writes what undo replaced, where the disk is what undo wrote", async () => {
    const world = await makeWorld();
    await world.put("a", "1\n");
    const planned = await redo(world, [["2\n", "1\n"]]);
    expect(planned).toMatchObject({ state: "ready", action: "write", added: 1, removed: 1 });
    expect(resultOf(planned)).toBe("2\n");
  });

  test("makes again what undo removed, with its mode, and removes what undo brought back", async () => {
    const world = await makeWorld();
    expect(await redo(world, [["new\n", undefined]], 0o755)).toMatchObject({
      action: "create",
      target: { mode: 0o755 },
    });
    await world.put("a", "old\n");
    expect(await redo(world, [[undefined, "old\n"]])).toMatchObject({ action: "remove", target: "absent" });
  });

  test("gives back a mode that was all that changed", async () => {
    const world = await makeWorld();
    await world.put("a", "same\n", 0o644);
    const planned = await redo(world, [["same\n", "same\n"]], 0o755);
    expect(planned).toMatchObject({ state: "ready", action: "write", target: { mode: 0o755 }, added: 0, removed: 0 });
  });

  test("goes back over several undos", async () => {
    const world = await makeWorld();
    await world.put("a", "1\n");
    expect(
      resultOf(
        await redo(world, [
          ["3\n", "2\n"],
          ["2\n", "1\n"],
        ]),
      ),
    ).toBe("3\n");
  });

  test("merges with what the person did since, or leaves it alone", async () => {
    const world = await makeWorld();
    await world.put("a", "a\nb\nmine\n");
    const merged = await redo(world, [["A\nb\nc\n", "a\nb\nc\n"]]);
    expect(merged).toMatchObject({ state: "merged" });
    expect(resultOf(merged)).toBe("A\nb\nmine\n");
    await world.put("a", "mine\nb\nc\n");
    expect(await redo(world, [["A\nb\nc\n", "a\nb\nc\n"]])).toMatchObject({ state: "conflict" });
  });
});
