import { chmod, stat, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { editFileTool, replaceText } from "../../../../src/agent/tools/edit-file.ts";
import { hashBytes } from "../../../../src/agent/tools/files.ts";
import { readFileTool } from "../../../../src/agent/tools/read-file.ts";
import { writeFileTool } from "../../../../src/agent/tools/write-file.ts";
import { makeHarness } from "./tool-harness.ts";

async function openedFile(content: string | Uint8Array) {
  const harness = await makeHarness();
  await harness.put("a.ts", content);
  await harness.call(readFileTool, { path: "a.ts" });
  return harness;
}

describe("edit_file", () => {
  test("replaces one exact text, answers with the diff, and tells the change before it writes", async () => {
    const harness = await openedFile("a\nb\nc\nconst at = 1\nd\ne\nf\n");
    const result = await harness.call(editFileTool, {
      path: "a.ts",
      old: "const at = 1",
      new: "const at = 2\nconst to = 3",
    });
    expect(result).toEqual({
      kind: "ok",
      output: [
        "a.ts +2 -1",
        "  2   b",
        "  3   c",
        "  4 - const at = 1",
        "  4 + const at = 2",
        "  5 + const to = 3",
        "  6   d",
        "  7   e",
      ].join("\n"),
    });
    expect(await harness.text("a.ts")).toBe("a\nb\nc\nconst at = 2\nconst to = 3\nd\ne\nf\n");
    const [change] = harness.changes;
    expect(change?.path).toBe(harness.path("a.ts"));
    expect(Buffer.from(change?.before?.bytes ?? []).toString()).toContain("const at = 1");
    expect(change?.after.hash).toBe(hashBytes(Buffer.from(await harness.text("a.ts"))));
  });

  test("may be followed by another edit without reading again", async () => {
    const harness = await openedFile("one two\n");
    await harness.call(editFileTool, { path: "a.ts", old: "one", new: "1" });
    expect(await harness.call(editFileTool, { path: "a.ts", old: "two", new: "2" })).toMatchObject({ kind: "ok" });
    expect(await harness.text("a.ts")).toBe("1 2\n");
  });

  test("previews the same diff and writes nothing", async () => {
    const harness = await openedFile("one\n");
    const input = { path: "a.ts", old: "one", new: "two" };
    const preview = await editFileTool.preview?.(input, harness);
    expect(await harness.text("a.ts")).toBe("one\n");
    expect((await harness.call(editFileTool, input)).output).toBe(preview);
  });

  test("changes a file that was not read: the text it names proves that it is known", async () => {
    const harness = await makeHarness();
    await harness.put("a.ts", "one\n");
    await harness.call(editFileTool, { path: "a.ts", old: "one", new: "two" });
    expect(await harness.text("a.ts")).toBe("two\n");
  });

  test("refuses a file that changed since it was read", async () => {
    const harness = await makeHarness();
    await harness.put("a.ts", "one\n");
    const input = { path: "a.ts", old: "one", new: "two" };
    await harness.call(readFileTool, { path: "a.ts" });
    await writeFile(harness.path("a.ts"), "one more\n");
    expect((await harness.call(editFileTool, input)).output).toBe(
      "a.ts changed since it was read: read it again, then change it",
    );
    expect(await harness.text("a.ts")).toBe("one more\n");
    expect(harness.changes).toEqual([]);
  });

  test("refuses bytes that are not UTF-8, and keeps a byte order mark", async () => {
    const latin = await openedFile(Buffer.from("caf\xe9 one\n", "latin1"));
    expect(await latin.call(editFileTool, { path: "a.ts", old: "one", new: "two" })).toMatchObject({ kind: "failed" });
    const marked = await openedFile("\uFEFFone\n");
    await marked.call(editFileTool, { path: "a.ts", old: "one", new: "two" });
    expect(await marked.text("a.ts")).toBe("\uFEFFtwo\n");
  });

  test("names a missing file and the tool that creates one", async () => {
    const harness = await makeHarness();
    expect((await harness.call(editFileTool, { path: "a.ts", old: "x", new: "y" })).output).toBe(
      "a.ts does not exist: write_file creates files",
    );
  });

  test("stopped before the write it changes nothing", async () => {
    const harness = await openedFile("one\n");
    harness.stop.abort();
    expect(await harness.call(editFileTool, { path: "a.ts", old: "one", new: "two" })).toMatchObject({
      kind: "cancelled",
    });
    expect(await harness.text("a.ts")).toBe("one\n");
  });
});

describe("replacing text", () => {
  test.each([
    ["a\r\nb\r\nc\r\n", { old: "a\nb", new: "x\ny\nz" }, "x\r\ny\r\nz\r\nc\r\n"],
    ["a\r\nb\r\n", { old: "a", new: "x\ny" }, "x\r\ny\r\nb\r\n"],
    ["a\r\nb\r\n", { old: "a\r\nb", new: "x\r\ny" }, "x\r\ny\r\n"],
    ["a\nb\n", { old: "a\nb", new: "x" }, "x\n"],
    ["a\nb\nc\r\nd\r\n", { old: "c\nd", new: "x\ny" }, "a\nb\nx\r\ny\r\n"],
    ["a\r\nb\r\nc\nd\n", { old: "c\nd", new: "x\ny" }, "a\r\nb\r\nx\ny\n"],
    ["a a a", { old: "a", new: "$& $1", all: true }, "$& $1 $& $1 $& $1"],
    ["one\ntwo\n", { old: "two\n", new: "" }, "one\n"],
  ])("%j with %j gives %j", (text, asked, expected) => {
    expect(replaceText(text, asked)).toEqual({ ok: true, text: expected });
  });

  test.each([
    ["a\n", { old: "a", new: "a" }, "old and new are the same"],
    ["x\nx\ny x\n", { old: "x", new: "z" }, "old was found 3 times (lines 1, 2, 3)"],
    ["  const at = 1;\n", { old: "\tconst at = 1;", new: "z" }, "only the white space differs in line 1: "],
    ["const at = 1;\nother\n", { old: "const att = 1;", new: "z" }, 'the nearest is line 1: "const at = 1;"'],
    [
      "const a = 1;\nother\n",
      { old: "const a = 1;\nmissing", new: "z" },
      "its first line is there, but the text goes on otherwise after line 1",
    ],
    ["one\n", { old: "    12\tone", new: "z" }, "leave out the line numbers"],
    ["one\n", { old: "something else entirely", new: "z" }, "nor a line like it"],
  ])("%j with %j is refused", (text, asked, words) => {
    expect(replaceText(text, asked)).toEqual({ ok: false, problem: expect.stringContaining(words) });
  });
});

describe("write_file", () => {
  test("creates a file with its folders", async () => {
    const harness = await makeHarness();
    const result = await harness.call(writeFileTool, { path: "src/new.ts", content: "one\ntwo\n" });
    expect(result).toEqual({ kind: "ok", output: "src/new.ts (new file) +2 -0\n  1 + one\n  2 + two" });
    expect(await harness.text("src/new.ts")).toBe("one\ntwo\n");
    expect(harness.changes).toMatchObject([{ path: harness.path("src/new.ts") }]);
    expect(harness.changes[0]).not.toHaveProperty("before");
  });

  test("replaces only what was read, and says when nothing changes", async () => {
    const harness = await makeHarness();
    await harness.put("a.ts", "one\n");
    expect(await harness.call(writeFileTool, { path: "a.ts", content: "two\n" })).toMatchObject({ kind: "failed" });
    await harness.call(readFileTool, { path: "a.ts" });
    expect(await harness.call(writeFileTool, { path: "a.ts", content: "one\n" })).toMatchObject({
      kind: "ok",
      output: expect.stringContaining("already"),
    });
    const preview = await writeFileTool.preview?.({ path: "a.ts", content: "two\n" }, harness);
    expect(await harness.call(writeFileTool, { path: "a.ts", content: "two\n" })).toEqual({
      kind: "ok",
      output: preview,
    });
    expect(await harness.text("a.ts")).toBe("two\n");
  });

  test("keeps CRLF and the mode of the file it replaces, and tells both", async () => {
    const harness = await makeHarness();
    await chmod(await harness.put("a.ts", "one\r\ntwo\r\n"), 0o750);
    await harness.call(readFileTool, { path: "a.ts" });
    await harness.call(writeFileTool, { path: "a.ts", content: "one\n2\nthree\n" });
    expect(await harness.text("a.ts")).toBe("one\r\n2\r\nthree\r\n");
    expect((await stat(harness.path("a.ts"))).mode & 0o7777).toBe(0o750);
    expect(harness.changes).toMatchObject([{ before: { mode: 0o750 }, after: { mode: 0o750 } }]);
    await harness.call(writeFileTool, { path: "a.ts", content: "exactly\r\nthis\n" });
    expect(await harness.text("a.ts")).toBe("exactly\r\nthis\n");
  });

  test("tells the mode that a new file will have", async () => {
    const harness = await makeHarness();
    await harness.call(writeFileTool, { path: "a.ts", content: "x" });
    expect(harness.changes[0]?.after.mode).toBe((await stat(harness.path("a.ts"))).mode & 0o7777);
  });

  test("a change that cannot be recorded is not made", async () => {
    const harness = await makeHarness();
    const refused = writeFileTool.run(
      { path: "a.ts", content: "x" },
      {
        cwd: harness.cwd,
        files: harness.files,
        signal: harness.stop.signal,
        effectKey: "k",
        onOutput: () => undefined,
        beforeChange: () => Promise.reject(new Error("ledger full")),
      },
    );
    await expect(refused).rejects.toThrow("ledger full");
    expect(await harness.files.exists(harness.path("a.ts"))).toBe(false);
  });
});
