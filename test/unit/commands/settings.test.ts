import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { jsonLines, jsonOf, openDesk, printed, words } from "./command-harness.ts";

describe("/title", () => {
  it("shows where the title comes from, and lets a person's word stand", async () => {
    const desk = await openDesk();
    expect(words(await desk.type("/title"))).toContain("No title yet");
    await desk.say("say one");
    expect(words(await desk.type("/title"))).toBe("say one (derived)");
    expect(words(await desk.type("/title   don't   panic "))).toBe("The title is now “don't panic”.");
    expect(jsonOf(await desk.type("/title"))).toMatchObject({ title: "don't panic", titleSource: "person" });
    expect(desk.runner.session.title).toBe("don't panic");
  });

  it("refuses a title that another conversation has, naming it", async () => {
    const desk = await openDesk();
    const other = await desk.newSession({ title: "taken" });
    const refused = await desk.type("/title taken");
    expect(refused).toMatchObject({ kind: "usage", code: "bad_input", message: expect.stringContaining(other.id) });
    expect(await desk.type(`/title ${"x".repeat(101)}`)).toMatchObject({ kind: "usage", code: "bad_input" });
    expect(await desk.type("/new taken")).toMatchObject({ kind: "usage", code: "bad_input" });
  });
});

describe("/approve", () => {
  it("shows mode and rules", async () => {
    const desk = await openDesk({ mode: "ask" });
    const shown = await desk.type("/approve");
    expect(jsonOf(shown)).toEqual({ mode: "ask", allow: ["read_file"], deny: ["shell(git push)"] });
    expect(words(shown)).toContain("deny   shell(git push)");
  });

  it("sets the mode, auto only where flag or config allow it", async () => {
    const desk = await openDesk({ mode: "ask" });
    expect(await desk.type("/approve edits")).toMatchObject({ kind: "mode", mode: "edits" });
    expect(desk.runner.mode).toBe("edits");
    expect(await desk.type("/permissions auto")).toMatchObject({ kind: "refused", code: "failed" });
    expect(await desk.type("/approve editz")).toMatchObject({
      kind: "usage",
      hint: expect.stringContaining("Nearest: edits"),
    });
    expect(desk.runner.mode).toBe("edits");
    const free = await openDesk({ mode: "ask", mayBeAuto: true });
    expect(await free.type("/approve auto")).toMatchObject({ kind: "mode", mode: "auto" });
  });

  it("stores and forgets rules, and refuses what is none", async () => {
    const desk = await openDesk();
    await desk.type("/approve allow shell(npm test)");
    await desk.type("/approve deny web_fetch");
    expect(desk.context.settings.rules()).toEqual({
      allow: ["read_file", "shell(npm test)"],
      deny: ["shell(git push)", "web_fetch"],
    });
    expect(words(await desk.type("/approve allow read_file"))).toContain("stands already");
    expect(await desk.type("/approve allow shell(a; b)")).toMatchObject({ kind: "usage" });
    expect(await desk.type("/approve forget web_fetc")).toMatchObject({ hint: expect.stringContaining("web_fetch") });
    expect(words(await desk.type("/approve forget web_fetch"))).toBe("Forgotten: web_fetch");
    expect(desk.context.settings.rules().deny).toEqual(["shell(git push)"]);
  });
});

describe("/tools and /config", () => {
  it("say what the mode makes of each tool", async () => {
    const desk = await openDesk({ mode: "edits" });
    const tools = jsonLines(await desk.type("/tools"));
    const of = (name: string) => tools.find((tool) => tool["name"] === name);
    expect(of("shell")).toEqual({
      name: "shell",
      effect: "external",
      approval: "ask",
      rules: ["deny shell(git push)"],
    });
    expect(of("write_file")).toMatchObject({ effect: "reversible", approval: "allow" });
    desk.runner.mode = "plan";
    expect(words(await desk.type("/tools"))).toMatch(/write_file.*is refused/);
  });

  it("say where a value comes from, and where to change it", async () => {
    const desk = await openDesk();
    const result = await desk.type("/config");
    if (result.kind !== "rows") throw new Error(result.kind);
    expect(result.rows[0]).toEqual(["theme", '"auto"', "default"]);
    expect(result.rows.at(-1)?.[1]).toMatch(/config\.json$/);
  });
});

describe("/init", () => {
  it("writes an AGENTS.md from what the project says about itself", async () => {
    const desk = await openDesk();
    const put = (name: string, text: string) => writeFileSync(path.join(desk.folder, name), text);
    const scripts = { build: "tsc", test: "vitest", lint: "oxlint" };
    put(
      "package.json",
      JSON.stringify({ name: "clock", scripts, devDependencies: { typescript: "5" }, packageManager: "pnpm@9" }),
    );
    put("Makefile", "test:\n\tpnpm test\nfmt: x\n");
    put("README.md", "# Clock\n\nTells the time.\n");
    expect(jsonOf(await desk.type("/init"))).toMatchObject({ sources: ["package.json", "Makefile", "README.md"] });
    const text = readFileSync(path.join(desk.folder, "AGENTS.md"), "utf8");
    expect(text).toMatch(/^# clock\n\nTells the time\.\n\nWritten in TypeScript\.\n/);
    expect(text).toContain("- Test: `pnpm test`\n");
    expect(text).toContain("- Format: `make fmt`\n");
    expect(text).toContain("- `pnpm run lint` passes.");
    expect(await desk.type("/init")).toMatchObject({ kind: "refused", code: "failed" });
    expect(readFileSync(path.join(desk.folder, "AGENTS.md"), "utf8")).toBe(text);
  });

  it.each([
    [
      "pyproject.toml",
      '[project]\nname = "tick"\n[tool.ruff]\n[tool.pytest.ini_options]\n',
      ["# tick", "Python", "`pytest`", "`ruff check .`"],
    ],
    ["Cargo.toml", '[package]\nname = "tock"\n', ["# tock", "Rust", "`cargo test`"]],
    ["go.mod", "module example.org/bell\n", ["# example.org/bell", "Go", "`go test ./...`"]],
    ["package.json", "{ not json", ["How to build it"]],
  ])("reads %s", async (name, content, expected) => {
    const desk = await openDesk();
    writeFileSync(path.join(desk.folder, name), content);
    expect(await desk.type("/init")).toMatchObject({ kind: "lines" });
    const text = readFileSync(path.join(desk.folder, "AGENTS.md"), "utf8");
    for (const each of expected) expect(text).toContain(each);
  });
});

describe("/help", () => {
  it("lists every command and explains one with its verbs", async () => {
    const desk = await openDesk();
    const list = words(await printed(await desk.type("/help")));
    expect(list).toMatch(/^\/undo +take back .* \(also \/rewind, \/checkpoint\)$/m);
    expect(list).not.toContain("backup");
    const one = words(await desk.type("/help queue"));
    expect(one).toContain("/queue edit <id> [text…]");
    expect(words(await desk.type("/help queue edit"))).toMatch(/^\/queue edit <id> \[text…\]\n/);
    expect(words(await desk.type("/help rewind"))).toMatch(/^\/undo \[n\]/);
    expect(await desk.type("/help undu")).toMatchObject({ kind: "usage", hint: expect.stringContaining("undo") });
    expect(await desk.type("/help undo deep")).toMatchObject({ kind: "usage" });
  });

  it("speaks of subcommands, and leaves out what needs a screen, where there is none", async () => {
    const desk = await openDesk({ surface: "argv" });
    const list = words(await desk.type("/help"));
    expect(list).toContain("stele undo");
    expect(list).not.toMatch(/stele (quit|resume|stop)/);
  });
});

describe("/stop and /quit", () => {
  it("leave it to the front end", async () => {
    const desk = await openDesk();
    const ends = desk.say("run sleep 60");
    await expect.poll(() => desk.runner.isRunning).toBe(true);
    expect(await desk.type("/stop")).toEqual({ kind: "stop" });
    desk.runner.stop();
    await ends;
    expect(words(await desk.type("/stop"))).toBe("Nothing runs.");
    await desk.type("/loop every 10m say one");
    expect(await desk.type("/stop")).toEqual({ kind: "stop" });
    expect(words(await desk.type("/loop status"))).toContain("you stopped it");
    expect(await desk.type("/exit")).toEqual({ kind: "quit" });
  });
});
