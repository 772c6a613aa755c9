import { mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { DEFAULTS } from "../../../src/config/config.ts";
import { rememberTrust } from "../../../src/config/trust.ts";
import { keyIssues } from "../../../src/ui/key-settings.ts";
import { testPlace } from "./config-harness.ts";

const LOCAL = {
  kind: "openai-compatible",
  baseURL: "http://127.0.0.1:8080/v1",
  apiKeyEnv: "LOCAL_KEY",
  models: ["qwen3"],
};

test("without any file the defaults are in force, and each says so", async () => {
  const loaded = await testPlace().loadGood();
  expect(loaded.config).toEqual(DEFAULTS);
  expect(loaded.sources).toEqual({
    "approval.allow": { value: [], from: "default" },
    "approval.deny": { value: [], from: "default" },
    "approval.mode": { value: "ask", from: "default" },
    contextFiles: { value: ["AGENTS.md"], from: "default" },
    "loops.maxTicks": { value: 100, from: "default" },
    "loops.minInterval": { value: "30s", from: "default" },
    "loops.paceCeiling": { value: "15m", from: "default" },
    "loops.paceFloor": { value: "1m", from: "default" },
    motion: { value: "full", from: "default" },
    notify: { value: "off", from: "default" },
    "compaction.at": { value: 80, from: "default" },
    "compaction.auto": { value: true, from: "default" },
    retries: { value: 8, from: "default" },
    theme: { value: "auto", from: "default" },
    title: { value: true, from: "default" },
    titles: { value: "model", from: "default" },
  });
  expect(loaded).toMatchObject({ ignored: [], trust: { state: "no-file" } });
});

test("every key of config.json arrives", async () => {
  const place = testPlace();
  place.writeConfig({
    model: "local/qwen3",
    fallback: "fast",
    retries: 3,
    compaction: { auto: false, at: 50, model: "local/small" },
    models: { "local/qwen3": { contextWindow: 32_768, inputPrice: 0, outputPrice: 0.5 } },
    providers: { local: LOCAL },
    aliases: { fast: "anthropic/claude-haiku-4-5" },
    approval: { mode: "auto", allow: ["shell(npm test)", "read_file"], deny: ["shell(git push)"] },
    loops: { minInterval: "1m30s", maxTicks: 7 },
    limits: { turnUsd: 2, dayUsd: 20, sessionUsd: 0.5 },
    theme: "dark",
    motion: "reduced",
    title: false,
    titles: "off",
    notify: "desktop",
    keys: { search: ["ctrl+t"], yank: "ctrl+r" },
    contextFiles: ["docs/CONTEXT.md"],
  });
  const { config } = await place.loadGood();
  expect(config).toEqual({
    model: "local/qwen3",
    fallback: "fast",
    retries: 3,
    compaction: { auto: false, at: 50, model: "local/small" },
    models: { "local/qwen3": { contextWindow: 32_768, inputPrice: 0, outputPrice: 0.5 } },
    providers: { local: LOCAL },
    aliases: { fast: "anthropic/claude-haiku-4-5" },
    approval: {
      mode: "auto",
      allow: [
        { tool: "shell", prefix: "npm test", text: "shell(npm test)" },
        { tool: "read_file", text: "read_file" },
      ],
      deny: [{ tool: "shell", prefix: "git push", text: "shell(git push)" }],
    },
    loops: { minIntervalMs: 90_000, floorMs: 60_000, ceilingMs: 900_000, maxTicks: 7 },
    limits: { turnUsd: 2, dayUsd: 20, sessionUsd: 0.5 },
    theme: "dark",
    motion: "reduced",
    title: false,
    titles: "off",
    notify: "desktop",
    keys: { search: ["ctrl+t"], yank: "ctrl+r" },
    contextFiles: ["docs/CONTEXT.md"],
  });
});

test("keys are looked at by whoever knows them, and what is wrong is said with file and key", async () => {
  const place = testPlace();
  place.writeConfig({ theme: "dark", keys: { serach: "ctrl+t", send: "ctrl+s" } });
  const problem = await place.loadProblem({ keyIssues: (keys) => Promise.resolve(keyIssues(keys)) });
  expect(problem.split("\n")).toEqual([
    `${place.home.configFile}: unknown key keys.serach; did you mean keys.search?`,
    `${place.home.configFile}: keys.send: enter stays the key for it; write ["enter","ctrl+s"]`,
  ]);
  place.writeConfig({ keys: { search: 7, yank: ["ctrl+r", 7] } });
  const shape = await place.loadProblem({ keyIssues: (keys) => Promise.resolve(keyIssues(keys)) });
  expect(shape).toContain('keys.search is 7; allowed: a key like "ctrl+x"');
  expect(shape.split("\n")).toHaveLength(2);
});

test.each([true, false])("a project sets no keys, trusted (%s) or not, and is not asked about", async (isTrusted) => {
  const place = testPlace();
  place.writeConfig({ keys: { yank: "f5" } });
  const file = place.writeProject({ keys: { yank: "f6" }, model: "a/b" });
  if (isTrusted) {
    const { trust } = await place.loadGood();
    if (trust.state === "no-file") expect.unreachable();
    else await rememberTrust(place.home.trustFile, trust, "trusted");
  }
  const loaded = await place.loadGood();
  expect(loaded.config).toMatchObject({ model: "a/b", keys: { yank: "f5" } });
  expect(loaded.ignored).toEqual([{ file, key: "keys", why: "keys are set in your own config file only" }]);
  expect(loaded.trust.state).toBe("not-needed");
});

test("a flag beats STELE_MODEL, which beats the project's file, which beats config.json", async () => {
  const place = testPlace();
  place.writeConfig({ model: "a/person", approval: { mode: "edits" } });
  const config = place.home.configFile;
  const model = async (more = {}) => (await place.loadGood(more)).sources.model;
  expect(await model()).toEqual({ value: "a/person", from: "config file", file: config });
  const file = place.writeProject({ model: "a/project" });
  expect(await model()).toEqual({ value: "a/project", from: "project file", file });
  const env = { STELE_MODEL: "a/env" };
  expect(await model({ env })).toEqual({ value: "a/env", from: "environment" });
  expect(await model({ env: { STELE_MODEL: " " } })).toMatchObject({ from: "project file" });
  const loaded = await place.loadGood({ env, flags: { model: "a/flag", approvalMode: "auto", theme: "none" } });
  expect(loaded.config).toMatchObject({ model: "a/flag", approval: { mode: "auto" }, theme: "none" });
  expect(loaded.sources["approval.mode"]).toEqual({ value: "auto", from: "flag" });
});

test("each rule says which file it came from", async () => {
  const place = testPlace();
  place.writeConfig({ approval: { deny: ["shell(git push)"] } });
  const file = place.writeProject({ approval: { deny: ["web_fetch"] } });
  const { config, sources } = await place.loadGood();
  expect(config.approval.deny.map(({ text }) => text)).toEqual(["shell(git push)", "web_fetch"]);
  expect(sources["approval.deny.0"]).toMatchObject({ value: "shell(git push)", from: "config file" });
  expect(sources["approval.deny.1"]).toEqual({ value: "web_fetch", from: "project file", file });
  expect(sources["approval.deny"]).toBeUndefined();
});

describe("a bad config.json names file, key, what was found and what is allowed", () => {
  test.each([
    [{ motion: "none" }, 'motion is "none"; allowed: "full", "reduced"'],
    [{ title: "no" }, 'title is "no"; allowed: true or false'],
    [{ titles: true }, 'titles is true; allowed: "model", "off"'],
    [{ notify: "loud" }, 'notify is "loud"; allowed: "off", "bell", "desktop"'],
    [{ theme: "blue" }, 'theme is "blue"; allowed: "auto", "light", "dark", "none"'],
    [{ approval: { mode: 3 } }, 'approval.mode is 3; allowed: "plan", "ask", "edits", "auto"'],
    [{ approval: [] }, "approval is a list; allowed: an object with mode, allow and deny"],
    [{ approval: { allow: "shell" } }, 'approval.allow is "shell"; allowed: a list of rules'],
    [{ approval: { allow: ["read_file", 1] } }, "approval.allow.1 is 1; allowed: a rule: tool, or tool(prefix)"],
    [{ approval: { deny: ["shell(a; b)"] } }, 'approval.deny.0: "shell(a; b)" has several commands'],
    [{ loops: { minInterval: "30" } }, 'loops.minInterval is "30"; allowed: a time of at least 1s'],
    [{ loops: { minInterval: "0s" } }, 'loops.minInterval is "0s"; allowed: a time of at least 1s'],
    [{ loops: { maxTicks: 1.5 } }, "loops.maxTicks is 1.5; allowed: a whole number of at least 1"],
    [{ limits: { dayUsd: 0 } }, "limits.dayUsd is 0; allowed: a number above 0, in US dollars"],
    [{ model: " " }, 'model is " "; allowed: "provider/model" or an alias'],
    [{ retries: -1 }, "retries is -1; allowed: a whole number from 0 (never ask again) to 20"],
    [{ contextFiles: ["../secret"] }, 'contextFiles.0 is "../secret"; allowed: the name of a file inside the folder'],
    [{ providers: { x: { kind: "openia" } } }, 'providers.x.kind is "openia"; allowed: "openai-compatible", "openai"'],
    [{ providers: { x: {} } }, "providers.x.kind is missing; allowed:"],
    [
      { providers: { x: { kind: "openai-compatible" } } },
      "providers.x.baseURL is missing; allowed: an http or https address",
    ],
    [{ providers: { "a/b": LOCAL } }, "providers.a/b: this name is not allowed; allowed: a name without spaces"],
    [{ providers: { guide: LOCAL } }, "providers.guide: this name is not allowed"],
    [{ modle: "a/b" }, "unknown key modle; did you mean model?"],
    [{ approval: { alow: [] } }, "unknown key approval.alow; did you mean approval.allow?"],
    [
      { providers: { x: { ...LOCAL, baseUrl: "" } } },
      "unknown key providers.x.baseUrl; did you mean providers.x.baseURL?",
    ],
    [{ zzzzzzzzzzzz: 1 }, "unknown key zzzzzzzzzzzz; allowed: model, providers, aliases, approval"],
    [[], "the content is a list; allowed: an object"],
    [null, "the content is null; allowed: an object"],
  ])("%j", async (content, expected) => {
    const place = testPlace();
    place.writeConfig(content);
    expect(await place.loadProblem()).toContain(`${place.home.configFile}: ${expected}`);
  });

  test("all that is wrong is told at once, a line each", async () => {
    const place = testPlace();
    place.writeConfig({ theme: "blue", modle: "a/b", loops: { maxTicks: 0 } });
    expect((await place.loadProblem()).split("\n")).toHaveLength(3);
  });

  test("a key or a password in the wrong place is not shown", async () => {
    const place = testPlace();
    const baseURL = "http://ann:hunter2@127.0.0.1/v1";
    place.writeConfig({ providers: { x: { ...LOCAL, apiKeyEnv: "sk-secret-1", baseURL, apiKey: "sk-secret-2" } } });
    const problem = await place.loadProblem();
    expect(problem).toContain("providers.x.apiKeyEnv is a text of 11 characters (not shown); allowed: the name of an");
    expect(problem).toContain("providers.x.baseURL is a text of 31 characters (not shown)");
    expect(problem).toContain("unknown key providers.x.apiKey; did you mean providers.x.apiKeyEnv?");
    expect(problem).not.toMatch(/secret|hunter2/);
  });

  test("broken JSON names line and column", async () => {
    const place = testPlace();
    place.writeConfig('{\n  "theme": "dark",\n}\n');
    expect(await place.loadProblem()).toBe(
      `${place.home.configFile} is not valid JSON: line 3, column 1: a comma before } is not allowed`,
    );
  });

  test("a folder in its place is refused", async () => {
    const place = testPlace();
    mkdirSync(place.home.configFile);
    expect(await place.loadProblem()).toBe(`${place.home.configFile} is not a file`);
  });

  test("a file that could not be a config is not even read", async () => {
    const place = testPlace();
    place.writeConfig(`{"model": "${"x".repeat(1_000_001)}"}`);
    expect(await place.loadProblem()).toContain("is too large");
  });
});

test("a byte order mark is no fault", async () => {
  const place = testPlace();
  place.writeConfig('\uFEFF{"theme": "dark"}');
  expect((await place.loadGood()).config.theme).toBe("dark");
});

test("a config below a file that is no folder is a config that is not there", async () => {
  const place = testPlace();
  place.writeConfig({});
  const configFile = path.join(place.home.configFile, "config.json");
  expect(await place.load({ home: { ...place.home, configFile } })).toMatchObject({ ok: true });
});

test("a choice of keys that cannot be is told with where the actions are listed, and with no command that fails too", async () => {
  const place = testPlace();
  place.writeConfig({ keys: { yank: "ctrl+r" } });
  const loaded = await place.load({ keyIssues: (keys) => Promise.resolve(keyIssues(keys)) });
  expect(loaded).toMatchObject({ ok: false, hint: expect.stringContaining("docs/keys.md") });
  expect(JSON.stringify(loaded)).not.toContain("stele config");
});
