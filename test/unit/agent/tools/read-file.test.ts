import { expect, test } from "vitest";
import { readFileTool } from "../../../../src/agent/tools/read-file.ts";
import { makeHarness } from "./tool-harness.ts";

test("lines come numbered, and a final line end opens no further line", async () => {
  const harness = await makeHarness();
  await harness.put("a.txt", "one\n\nthree\n");
  expect(await harness.call(readFileTool, { path: "a.txt" })).toEqual({
    kind: "ok",
    output: "     1\tone\n     2\t\n     3\tthree",
  });
});

test("a part says where it is in the whole and how to go on", async () => {
  const harness = await makeHarness();
  await harness.put("a.txt", "1\n2\n3\n4\n5\n");
  const result = await harness.call(readFileTool, { path: "a.txt", offset: 2, limit: 2 });
  expect(result.output).toBe("     2\t2\n     3\t3\n[lines 2 to 3 of 5; go on with offset 4]");
});

test("without a limit 2000 lines are shown, and a long line is cut and said", async () => {
  const harness = await makeHarness();
  await harness.put("a.txt", `${"x".repeat(2500)}\n${"y\n".repeat(2500)}`);
  const lines = (await harness.call(readFileTool, { path: "a.txt" })).output?.split("\n") ?? [];
  expect(lines).toHaveLength(2001);
  expect(lines[0]).toBe(`     1\t${"x".repeat(2000)}… [500 more characters]`);
  expect(lines.at(-1)).toBe("[lines 1 to 2000 of 2501; go on with offset 2001]");
});

test.each([
  ["an empty file", "", "[the file is empty]"],
  ["a byte order mark", "\uFEFFone", "     1\tone"],
  ["CRLF", "one\r\ntwo\r\n", "     1\tone\n     2\ttwo\n[lines end in CRLF, which edit_file keeps]"],
])("%s is shown as text", async (_, content, output) => {
  const harness = await makeHarness();
  await harness.put("a.txt", content);
  expect(await harness.call(readFileTool, { path: "a.txt" })).toEqual({ kind: "ok", output });
});

test.each([
  [
    "image.png",
    Buffer.from("89504e470d0a1a0a0000", "hex"),
    "image.png is a PNG image (10 bytes): read_file shows text only",
  ],
  ["doc.pdf", Buffer.from("%PDF-1.7 text"), "doc.pdf is a PDF document (13 bytes): read_file shows text only"],
  ["data", Buffer.from("a\0b"), "data is binary data (3 bytes): read_file shows text only"],
])("%s is refused with what it is", async (path, bytes, output) => {
  const harness = await makeHarness();
  await harness.put(path, bytes);
  expect(await harness.call(readFileTool, { path })).toEqual({ kind: "failed", output });
});

test("text that is not UTF-8 is shown with the warning that it cannot be edited", async () => {
  const harness = await makeHarness();
  await harness.put("latin.txt", Buffer.from("caf\xe9\n", "latin1"));
  expect((await harness.call(readFileTool, { path: "latin.txt" })).output).toMatch(
    /^ {5}1\tcaf\uFFFD\n\[not valid UTF-8/,
  );
});

test("a missing file, a folder and an offset past the end are said with what helps", async () => {
  const harness = await makeHarness();
  await harness.put("src/parser.ts", "x\n");
  const output = async (input: { path: string; offset?: number }) => (await harness.call(readFileTool, input)).output;
  expect(await output({ path: "src/parsr.ts" })).toBe("src/parsr.ts does not exist; near it in that folder: parser.ts");
  expect(await output({ path: "lib/parser.ts" })).toBe("lib/parser.ts does not exist, nor does its folder");
  expect(await output({ path: "src" })).toBe("src is a folder: list_dir shows what is in it");
  expect(await output({ path: "src/parser.ts", offset: 9 })).toBe(
    "src/parser.ts has 1 lines; offset 9 is past its end",
  );
});

test("the ledger is refused by the tool, and a stop is told as a stop", async () => {
  const harness = await makeHarness();
  const ledger = await harness.put("state.db", "bytes");
  const guarded = await makeHarness({ ledgerFiles: [ledger], cwd: harness.cwd });
  expect(await guarded.call(readFileTool, { path: "state.db" })).toMatchObject({ kind: "failed" });
  harness.stop.abort();
  expect(await harness.call(readFileTool, { path: "state.db" })).toMatchObject({ kind: "cancelled" });
});
