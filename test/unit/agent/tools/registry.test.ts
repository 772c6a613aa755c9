import { build } from "esbuild";
import { expect, test } from "vitest";
import { toolRegistry } from "../../../../src/agent/tools/registry.ts";
import { todoTool } from "../../../../src/agent/tools/todo.ts";
import { makeHarness } from "./tool-harness.ts";

test("every tool has a described object schema without unknown fields", async () => {
  const registry = await toolRegistry();
  expect(registry.listTools().map(({ name, effect }) => [name, effect])).toEqual([
    ["shell", "external"],
    ["shell_output", "none"],
    ["shell_stop", "idempotent"],
    ["read_file", "none"],
    ["list_dir", "none"],
    ["glob", "none"],
    ["grep", "none"],
    ["search_sessions", "none"],
    ["write_file", "reversible"],
    ["edit_file", "reversible"],
    ["todo", "none"],
  ]);
  for (const { name, schema, description } of registry.listTools()) {
    expect(description.length, name).toBeGreaterThan(40);
    expect(schema, name).toMatchObject({ type: "object", additionalProperties: false });
    expect(schema, name).not.toHaveProperty("$schema");
    const properties = (schema as { properties: Record<string, { description?: string }> }).properties;
    for (const [field, { description: words }] of Object.entries(properties))
      expect(words, `${name}.${field}`).toBeTruthy();
  }
});

test.each([
  ["readfile", "nearest: read_file"],
  ["Edit_File", "nearest: edit_file"],
  ["bash", "tools: shell, shell_output, shell_stop, read_file"],
])("the unknown tool %s is a result with the nearest names", async (name, words) => {
  const found = (await toolRegistry()).findTool(name);
  expect(found).toMatchObject({ found: false, result: { kind: "failed", output: expect.stringContaining(words) } });
});

test("a known tool is found", async () => {
  expect((await toolRegistry()).findTool("todo")).toEqual({ found: true, tool: todoTool });
});

test("importing the registry loads no schema library before the tools are asked for", async () => {
  const entry = new URL("../../../../src/agent/tools/registry.ts", import.meta.url).pathname;
  const built = await build({
    entryPoints: [entry],
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    packages: "external",
    write: false,
    outdir: "out",
    metafile: true,
  });
  const output = Object.values(built.metafile.outputs).find(({ entryPoint }) => entryPoint?.endsWith("registry.ts"));
  const statically = (imports: readonly { path: string; kind: string }[]) =>
    imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => path);
  const chunks = statically(output?.imports ?? []).flatMap((path) => [
    path,
    ...statically(built.metafile.outputs[path]?.imports ?? []),
  ]);
  expect(chunks).toContain("fastest-levenshtein");
  expect(chunks).not.toContain("zod");
});

test.each([
  [{ items: [{ text: "x", state: "doing" }] }, 'items.0.state is "doing"; allowed: "pending", "active", "done"'],
  [{ items: [{ state: "done" }] }, "items.0.text is missing; a string is needed"],
  [{ items: [{ text: "", state: "done" }] }, "items.0.text is empty; at least 1 is allowed"],
  [{ items: [{ text: "x", state: "done", by: "me" }] }, 'items.0 has an unknown field "by"'],
  [{ items: "x" }, 'items is a string ("x"); an array is needed'],
  [{}, "items is missing; an array is needed"],
  [null, "the input is null; an object is needed"],
])("the input %j is answered with what is wrong", (input, problem) => {
  expect(todoTool.parse(input)).toEqual({ ok: false, problem });
});

test("null for a field that may be left out is taken as left out", async () => {
  const found = (await toolRegistry()).findTool("read_file");
  if (!found.found) throw new Error("read_file is gone");
  expect(found.tool.parse({ path: "a", offset: null })).toEqual({ ok: true, input: { path: "a" } });
  expect(found.tool.parse({ path: null })).toEqual({ ok: false, problem: "path is missing; a string is needed" });
  expect(found.tool.parse({ path: "a", offset: 1.5 })).toEqual({
    ok: false,
    problem: "offset is a number (1.5); a whole number is needed",
  });
});

test("todo echoes the list", async () => {
  const harness = await makeHarness();
  const items = [
    { text: "look", state: "done" },
    { text: "fix", state: "active" },
    { text: "test", state: "pending" },
  ];
  expect(await harness.call(todoTool, { items })).toEqual({ kind: "ok", output: "[x] look\n[>] fix\n[ ] test" });
});
