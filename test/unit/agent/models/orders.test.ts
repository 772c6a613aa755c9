import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { ORDER_FORMS, parseOrders } from "../../../../src/agent/models/orders.ts";

function stepsOf(text: string): unknown[] {
  const orders = parseOrders(text);
  if (orders.kind !== "orders") throw new Error(`${orders.kind}: ${text}`);
  return orders.steps.map((step) => (step.kind === "say" ? { say: step.text } : { [step.tool]: step.input }));
}

describe("orders", () => {
  test.each<[string, object]>([
    ["run npm test -- --watch", { shell: { command: "npm test -- --watch" } }],
    ['run echo "a" "b"', { shell: { command: 'echo "a" "b"' } }],
    ["read src/a b.ts", { read_file: { path: "src/a b.ts" } }],
    ['read "then read"', { read_file: { path: "then read" } }],
    ["read @src/a.ts", { read_file: { path: "src/a.ts" } }],
    ['read @"with blank.txt"', { read_file: { path: "with blank.txt" } }],
    ["read ./@named", { read_file: { path: "./@named" } }],
    ["edit @a.ts: x => y", { edit_file: { path: "a.ts", old: "x", new: "y" } }],
    ["list @src/", { list_dir: { path: "src/" } }],
    ["write a.txt: hello", { write_file: { path: "a.txt", content: "hello" } }],
    ["write a.txt:\nline 1\nline 2", { write_file: { path: "a.txt", content: "line 1\nline 2" } }],
    ["write a.txt:", { write_file: { path: "a.txt", content: "" } }],
    ["write a.txt:x: y", { write_file: { path: "a.txt:x", content: "y" } }],
    ["write a.txt:xy", { write_file: { path: "a.txt", content: "xy" } }],
    ["edit a.ts: x = 1 => x = 2", { edit_file: { path: "a.ts", old: "x = 1", new: "x = 2" } }],
    ['edit a.ts: "(a) => b" => "(a) => c"', { edit_file: { path: "a.ts", old: '"(a)', new: 'b" => "(a) => c"' } }],
    ["edit a.ts: gone =>", { edit_file: { path: "a.ts", old: "gone", new: "" } }],
    ["list", { list_dir: { path: "." } }],
    ["list src", { list_dir: { path: "src" } }],
    ["find new Date(", { grep: { pattern: "new Date\\(" } }],
    ["Say it's done", { say: "it's done" }],
  ])("reads %j", (text, step) => {
    expect(stepsOf(text)).toEqual([step]);
  });

  it("are joined by then before a verb, over line ends too", () => {
    expect(stepsOf("write a: 1 then run cat a\nthen  say ok")).toEqual([
      { write_file: { path: "a", content: "1" } },
      { shell: { command: "cat a" } },
      { say: "ok" },
    ]);
  });

  it.each([
    'run echo "a then run b"',
    "run echo 'a then run b'",
    "say now and then we rest",
    "say strengthen read",
    "say then",
  ])("are not joined in %j", (text) => {
    expect(stepsOf(text)).toHaveLength(1);
  });

  it("take an apostrophe in a word and a quote that is never closed as text", () => {
    expect(stepsOf("say don't then say can't")).toEqual([{ say: "don't" }, { say: "can't" }]);
    expect(stepsOf('say 5" then say b')).toEqual([{ say: '5"' }, { say: "b" }]);
  });

  test.each(["run", "read ", "write a.txt", "edit a.ts: x", "find", "say", "list then run", "edit a => b"])(
    "in %j lack something, which is named",
    (text) => {
      const orders = parseOrders(text);
      expect(orders.kind).toBe("broken");
      expect(ORDER_FORMS.some((form) => orders.kind === "broken" && orders.problem.includes(form))).toBe(true);
    },
  );

  test.each(["", "hello", "please run ls", "running", "runs ls", "rm -rf /"])("are not in %j", (text) => {
    expect(parseOrders(text)).toEqual({ kind: "none" });
  });

  it("come apart as they were put together, whatever the quoted texts hold", () => {
    const quoted = fc.string().map((text) => `"${text.replace(/["\\]/g, "")}"`);
    fc.assert(
      fc.property(fc.array(quoted, { minLength: 1, maxLength: 6 }), (texts) => {
        const steps = stepsOf(texts.map((text) => `say ${text}`).join(" then "));
        expect(steps).toEqual(texts.map((text) => ({ say: text.slice(1, -1) })));
      }),
    );
  });
});
