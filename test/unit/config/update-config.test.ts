import { existsSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { rewriteJsonFile } from "../../../src/config/json-file.ts";
import { updateConfig } from "../../../src/config/update-config.ts";
import { temporaryFolder } from "./config-harness.ts";

const ALLOW = { key: "approval.allow", rule: "shell(npm test)" } as const;

function configFile(content?: string): string {
  const file = path.join(temporaryFolder(), "config.json");
  if (content !== undefined) writeFileSync(file, content);
  return file;
}

test("a rule makes the file, with its folder, for its owner's eyes", async () => {
  const file = path.join(temporaryFolder(), "new", "config.json");
  expect(await updateConfig(file, ALLOW)).toEqual({ ok: true });
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ approval: { allow: ["shell(npm test)"] } });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("the rest of the file, its order and its indentation stay", async () => {
  const file = configFile(
    '{\n\t"theme": "dark",\n\t"approval": { "mode": "ask", "allow": ["glob"] },\n\t"model": "a/b"\n}',
  );
  expect(await updateConfig(file, ALLOW)).toEqual({ ok: true });
  expect(await updateConfig(file, { key: "approval.mode", mode: "edits" })).toEqual({ ok: true });
  expect(await updateConfig(file, { key: "approval.deny", rule: "web_fetch" })).toEqual({ ok: true });
  const approval = { mode: "edits", allow: ["glob", "shell(npm test)"], deny: ["web_fetch"] };
  expect(readFileSync(file, "utf8")).toBe(`${JSON.stringify({ theme: "dark", approval, model: "a/b" }, null, "\t")}\n`);
});

test("a rule that is there is not added again", async () => {
  const file = configFile();
  await updateConfig(file, ALLOW);
  const once = readFileSync(file, "utf8");
  expect(await updateConfig(file, ALLOW)).toEqual({ ok: true });
  expect(readFileSync(file, "utf8")).toBe(once);
});

test.each([
  ["{ // mine\n}", "line 1, column 3: comments are not allowed"],
  ['{"approval": "ask"}', 'approval is "ask"; allowed: an object with mode, allow and deny'],
  ['{"modle": "a/b"}', "unknown key modle; did you mean model?"],
])("%s is refused and keeps every byte", async (content, problem) => {
  const file = configFile(content);
  expect(await updateConfig(file, ALLOW)).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
  expect(readFileSync(file, "utf8")).toBe(content);
  expect(readdirSync(path.dirname(file))).toEqual(["config.json"]);
});

test("a rule that is none is not stored", async () => {
  const file = configFile();
  expect(await updateConfig(file, { key: "approval.allow", rule: "shell(" })).toMatchObject({ ok: false });
  expect(existsSync(file)).toBe(false);
});

test("what somebody else writes meanwhile is kept", async () => {
  const file = configFile("{}");
  const seen: unknown[] = [];
  const rewritten = await rewriteJsonFile(file, async (value) => {
    seen.push(value);
    if (seen.length === 1) await updateConfig(file, ALLOW);
    return { ok: true, value: { ...(typeof value === "object" ? value : {}), theme: "dark" } };
  });
  expect(rewritten).toEqual({ ok: true });
  expect(seen).toEqual([{}, { approval: { allow: [ALLOW.rule] } }]);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ approval: { allow: [ALLOW.rule] }, theme: "dark" });
});

test("a config that is a link stays one", async () => {
  const file = configFile();
  const real = path.join(path.dirname(file), "dotfiles.json");
  writeFileSync(real, "{}");
  symlinkSync(real, file);
  expect(await updateConfig(file, ALLOW)).toEqual({ ok: true });
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  expect(JSON.parse(readFileSync(real, "utf8"))).toEqual({ approval: { allow: ["shell(npm test)"] } });
});
