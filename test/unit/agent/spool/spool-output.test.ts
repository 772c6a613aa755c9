import { appendFileSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { appendFile, mkdir, readFile, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { followOutput } from "../../../../src/agent/spool/follow-output.ts";
import { createOutputCap } from "../../../../src/agent/spool/output-cap.ts";
import { readSpool } from "../../../../src/agent/spool/spool.ts";
import { readOutput, readSlice, readWholeOutput } from "../../../../src/agent/spool/spool-output.ts";
import { makeSpoolRoot, startIn, waitFor } from "../../../helpers/spool-process.ts";

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "stele-output-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const chunks = fc.array(fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 30 }), { maxLength: 12 });

test("output below the limit is whole, and above it head and tail are kept and the rest counted", async () => {
  const folder = makeFolder();
  await fc.assert(
    fc.asyncProperty(chunks, async (parts) => {
      const all = parts.join("");
      await writeFile(join(folder, "output"), all);
      const dropped = all.length - 40;
      const expected =
        dropped <= 0 ? all : `${all.slice(0, 20)}\n[${dropped} bytes of output dropped here]\n${all.slice(-20)}`;
      const slice = await readSlice(folder, { from: 0, limit: 40 });
      expect([slice.bytes.toString(), slice.to]).toEqual([expected, all.length]);
    }),
  );
});

test("however it grew and was looked at, a capped file has the head and a tail that ends as the output did", () => {
  const folder = makeFolder();
  const path = join(folder, "output");
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: "grapheme-ascii", minLength: 1 }), fc.boolean())), (steps) => {
      writeFileSync(path, "");
      const fd = openSync(path, "a");
      const cap = createOutputCap({ fd, path, cap: 40 });
      for (const [text, isLookedAt] of steps) {
        appendFileSync(path, text);
        if (isLookedAt) cap.look();
      }
      cap.restoreTail();
      closeSync(fd);
      const all = steps.map(([text]) => text).join("");
      const kept = readFileSync(path, "utf8");
      const { at, bytes } = cap.cut ?? { at: 0, bytes: 0 };
      expect(kept.length + bytes).toBe(all.length);
      expect(kept.length).toBeLessThanOrEqual(40);
      expect(kept).toBe(all.slice(0, at) + all.slice(at + bytes));
      if (bytes > 0) expect(kept.length).toBeGreaterThanOrEqual(40);
    }),
  );
});

describe("what a reader is given next", () => {
  const cases = [
    ["all of it", { from: 0, text: "0123456789", cut: undefined }, "0123456789", 10],
    ["from a place on", { from: 4, text: "0123456789", cut: undefined }, "456789", 10],
    ["nothing new", { from: 10, text: "0123456789", cut: undefined }, "", 10],
    ["over a cut", { from: 2, text: "01234xyz", cut: 100 }, "234\n[100 bytes of output dropped here]\nxyz", 108],
    ["from within a cut", { from: 25, text: "01234xyz", cut: 100 }, "\n[80 bytes of output dropped here]\nxyz", 108],
    ["from behind a cut", { from: 106, text: "01234xyz", cut: 100 }, "yz", 108],
  ] as const;
  test.each(cases)("%s", async (_, { from, text, cut }, expected, to) => {
    const folder = makeFolder();
    await writeFile(join(folder, "output"), text);
    if (cut !== undefined) await writeFile(join(folder, "cut.json"), JSON.stringify({ at: 5, bytes: cut }));
    const slice = await readSlice(folder, { from, limit: 1000 });
    expect([slice.bytes.toString(), slice.to]).toEqual([expected, to]);
  });

  test("a character that is there in part waits for the rest", async () => {
    const folder = makeFolder();
    for (const character of ["é", "€", "😀"]) {
      const bytes = Buffer.from(character);
      for (let cut = 1; cut < bytes.length; cut += 1) {
        await writeFile(join(folder, "output"), Buffer.concat([Buffer.from("a"), bytes.subarray(0, cut)]));
        const first = await readSlice(folder, { from: 0, limit: 1000 });
        expect([first.bytes.toString(), first.to]).toEqual(["a", 1]);
        await writeFile(join(folder, "output"), Buffer.concat([Buffer.from("a"), bytes]));
        expect((await readSlice(folder, { from: first.to, limit: 1000 })).bytes.toString()).toBe(character);
      }
    }
  });
});

describe("a command that writes more than is kept", () => {
  test("has its head and its true tail, and what was dropped is counted and said", async () => {
    const cwd = await makeSpoolRoot();
    const folder = join(cwd, "spool");
    const command = "seq 1 40000; sleep 0.6; seq 40001 200000; sleep 0.6; seq 200001 200100; echo the end";
    await startIn({ folder, cwd, command, cap: 100_000 }).ended();
    const all = `${Array.from({ length: 200_100 }, (_, index) => `${index + 1}\n`).join("")}the end\n`;
    const { text, bytes, dropped } = await readOutput(folder);
    expect(bytes).toBe(all.length);
    expect(dropped).toBeGreaterThan(1_000_000);
    expect(text.slice(0, 50_000)).toBe(all.slice(0, 50_000));
    expect(text).toContain(`\n[${dropped} bytes of output dropped here]\n`);
    const tail = text.slice(text.indexOf("here]\n") + 6);
    expect(tail.length).toBeGreaterThanOrEqual(50_000);
    expect(all.endsWith(tail)).toBe(true);
    const { exit } = (await readSpool(folder)) as { exit: { bytes: number } };
    expect(exit.bytes).toBe((await readFile(join(folder, "output"))).length);
    expect(Buffer.from(await readWholeOutput(folder)).toString()).toBe(text);
  });

  test("does not fill the disk while it runs", async () => {
    const cwd = await makeSpoolRoot();
    const folder = join(cwd, "spool");
    const starter = startIn({ folder, cwd, command: "yes 0123456789; sleep 60", cap: 1_000_000 });
    await starter.hasGone();
    const cuts = async () => JSON.parse(await readFile(join(folder, "cut.json"), "utf8")) as { bytes: number };
    const first = await waitFor(cuts);
    await waitFor(async () => expect((await cuts()).bytes).toBeGreaterThan(first.bytes));
  });
});

test("output that is not what was recorded at the end is said to be so", async () => {
  const cwd = await makeSpoolRoot();
  const folder = join(cwd, "spool");
  await startIn({ folder, cwd, command: "echo right" }).ended();
  await writeFile(join(folder, "output"), "wrong\n");
  expect((await readOutput(folder)).text).toContain("[this output is not the one that was recorded");
});

test("what a command left behind writes after its end is not its output", async () => {
  const cwd = await makeSpoolRoot();
  const folder = join(cwd, "spool");
  await startIn({ folder, cwd, command: "(until [ -e late ]; do sleep 0.02; done; echo late) & echo done" }).ended();
  await mkdir(join(cwd, "late"));
  await waitFor(async () => expect(await readFile(join(folder, "output"), "utf8")).toBe("done\nlate\n"));
  expect(await readOutput(folder)).toEqual({ text: "done\n", bytes: 5, dropped: 0 });
});

describe("a follower", () => {
  test("hands on whole characters, in order, as they come", async () => {
    const folder = makeFolder();
    const heard: string[] = [];
    await writeFile(join(folder, "output"), "");
    const followed = followOutput(folder, (chunk) => void heard.push(chunk));
    const bytes = Buffer.from("a€b");
    appendFileSync(join(folder, "output"), bytes.subarray(0, 2));
    await waitFor(() => expect(heard.join("")).toBe("a"));
    appendFileSync(join(folder, "output"), bytes.subarray(2));
    await waitFor(() => expect(heard.join("")).toBe("a€b"));
    appendFileSync(join(folder, "output"), "last");
    await followed.finish();
    expect(heard.join("")).toBe("a€blast");
  });

  test("that is far behind skips to the end and says so", async () => {
    const folder = makeFolder();
    const heard: string[] = [];
    await writeFile(join(folder, "output"), `${"x".repeat(10_000_000)}end`);
    await followOutput(folder, (chunk) => void heard.push(chunk)).finish();
    const text = heard.join("");
    expect(text).toMatch(/^\n\[some of the output is not shown here\]\nx+end$/);
    expect(text.length).toBeLessThan(100_000);
  });

  test("goes on where the cap has cut", async () => {
    const folder = makeFolder();
    const heard: string[] = [];
    await writeFile(join(folder, "output"), "0123456789");
    const followed = followOutput(folder, (chunk) => void heard.push(chunk));
    await waitFor(() => expect(heard.join("")).toBe("0123456789"));
    await writeFile(join(folder, "cut.json"), JSON.stringify({ at: 5, bytes: 20 }));
    await truncate(join(folder, "output"), 5);
    await appendFile(join(folder, "output"), "abc");
    await waitFor(() => expect(heard.join("")).toBe("0123456789\n[some of the output is not shown here]\nabc"));
    await followed.finish();
  });
});
