import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countFlag, parseArgs, usageOf } from "../../../src/commands/args.ts";
import { type Command, defineCommand } from "../../../src/commands/command.ts";
import { parseCommand, parseWords } from "../../../src/commands/parse-command.ts";
import { registry } from "../../../src/commands/registry.ts";

const cut: Command = defineCommand({
  name: "cut",
  summary: "cut something",
  example: "/cut wood",
  args: [
    { name: "what", help: "the thing", required: true },
    { name: "how", help: "in words", rest: true },
  ],
  flags: [
    { name: "deep", help: "deeper" },
    { name: "times", help: "how often", value: "number" },
    { name: "knife", help: "which", value: "text" },
  ],
  during: "any",
  needsNoSession: true,
  run: () => Promise.resolve({ kind: "quit" }),
});

function problemOf(text: string): string {
  const parsed = parseCommand(text, registry);
  if (parsed.ok) throw new Error(`${text} was accepted`);
  return `${parsed.usage.message} ${parsed.usage.hint ?? ""}`;
}

describe("arguments and flags", () => {
  it("take values after a blank or an equals sign, and the last argument takes all words that are left", () => {
    const args = parseArgs(["--times", "3", "bread", "in", "--deep", "thin", "--knife=a=b", "slices"], cut);
    expect(args).toEqual({
      ok: true,
      args: { words: ["bread", "in thin slices"], flags: { times: 3, deep: true, knife: "a=b" } },
    });
  });

  it("are words again after two dashes", () => {
    expect(parseArgs(["bread", "--", "--deep"], cut)).toMatchObject({
      args: { words: ["bread", "--deep"], flags: {} },
    });
  });

  it("take a dash alone and a negative number as words", () => {
    expect(parseArgs(["-", "-5"], cut)).toMatchObject({ args: { words: ["-", "-5"] } });
  });

  it.each([
    [["bread", "--dep"], "There is no flag --dep; nearest: --deep."],
    [["bread", "-deep"], "There is no flag -deep; nearest: --deep."],
    [["bread", "--__proto__"], "There is no flag --__proto__; there are --deep, --times, --knife."],
    [["bread", "--times", "many"], '--times takes a number, not "many".'],
    [["bread", "--times"], "--times needs a value."],
    [["bread", "--knife", "--deep"], "--knife needs a value."],
    [["bread", "--deep=yes"], "--deep takes no value."],
    [["bread", "--deep", "--deep"], "--deep is given twice."],
    [[], "<what> is missing: the thing."],
  ])("of %j are refused: %s", (words, problem) => {
    expect(parseArgs(words, cut)).toEqual({ ok: false, problem });
  });

  it("count in whole numbers above 0", () => {
    const times = (value: number) => countFlag({ words: [], flags: { times: value } }, "times");
    expect(times(2)).toEqual({ ok: true, value: 2 });
    expect(times(0)).toMatchObject({ ok: false });
    expect(times(1.5)).toMatchObject({ ok: false });
  });

  it("are shown as they are written", () => {
    expect(usageOf("/cut", cut)).toBe("/cut <what> [how…] [--deep] [--times <number>] [--knife <text>]");
  });
});

describe("finding a command", () => {
  it.each([
    ["/clear", "new"],
    ["/rewind", "undo"],
    ["/checkpoint", "undo"],
    ["/continue", "resume"],
    ["/fork", "branch"],
    ["/permissions", "approve"],
    ["/exit", "quit"],
  ])("knows %s", (text, name) => {
    expect(parseCommand(text, registry)).toMatchObject({ ok: true, command: { name } });
  });

  it("takes a verb when the first word is its name, and an argument otherwise", () => {
    expect(parseCommand("/sessions show 3 --limit=2", registry)).toMatchObject({
      path: "sessions show",
      args: { words: ["3"], flags: { limit: 2 } },
    });
    expect(parseCommand("/sessions shower curtain", registry)).toMatchObject({
      path: "sessions",
      args: { words: ["shower curtain"] },
    });
  });

  it("runs no part of a name, even where only one command begins so", () => {
    expect(problemOf("/resum")).toContain("Nearest: /resume");
    expect(problemOf("/qu")).toContain("/quit");
    expect(problemOf("/undu")).toContain("Nearest: /undo");
    expect(problemOf("/zzzzzzzzzz")).toContain("See: /help");
    expect(problemOf("/")).toContain("A command is missing");
  });

  it("says how a command is called when its words do not fit", () => {
    expect(problemOf("/redo 1 2")).toBe('One word too many: "2". Usage: /redo [n] [--chat] [--files] [--yes]');
    expect(problemOf("/queue drop")).toContain("Usage: /queue drop <id>");
    expect(problemOf("/title 'open")).toContain("is not closed");
  });

  it.each(["/backup", "/restore x", "/sessions prune 1", "/sessions prune", "/repair"])(
    "says that %s is not there yet",
    (text) => {
      expect(problemOf(text)).toContain("is not available in this version");
    },
  );

  it("speaks of subcommands where there is no slash", () => {
    const parsed = parseWords(["sesions"], registry, "stele ");
    expect(parsed).toMatchObject({ ok: false, usage: { hint: expect.stringContaining("stele sessions") } });
  });

  it("answers whatever is typed with a command or with words about it", () => {
    const names = registry.commands.flatMap(({ name, verbs = [] }) => [
      name,
      ...verbs.map((each) => `${name} ${each.name}`),
    ]);
    const text = fc.tuple(fc.constantFrom("", ...names), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(text, ([name, rest]) => {
        const parsed = parseCommand(`/${name} ${rest}`, registry);
        expect(parsed.ok ? parsed.command.name.length : parsed.usage.message.length).toBeGreaterThan(0);
      }),
    );
  });

  it("finds every name and alias once", () => {
    const names = registry.commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    expect(registry.later.filter((name) => names.includes(name))).toEqual([]);
  });
});
