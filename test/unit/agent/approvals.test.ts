import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ApprovalQuestion, decide, parseRule, type Rule, stricterMode } from "../../../src/agent/approvals.ts";
import type { ApprovalMode } from "../../../src/ledger/types.ts";
import { fullNumber } from "../../helpers/full-numbers.ts";

function rule(text: string): Rule {
  const parsed = parseRule(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.rule;
}

interface Asked extends Partial<Omit<ApprovalQuestion, "rules">> {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}
function ask({ allow = [], deny = [], ...rest }: Asked) {
  const rules = { allow: allow.map(rule), deny: deny.map(rule) };
  return decide({ mode: "ask", tool: "shell", effect: "external", subject: "", insideCwd: false, ...rest, rules });
}

describe("modes", () => {
  const read = { tool: "read_file", effect: "none", subject: "a" } as const;
  const edit = { tool: "edit_file", effect: "reversible", subject: "src/a.ts", insideCwd: true } as const;
  const outside = { ...edit, subject: "/etc/hosts", insideCwd: false } as const;
  const run = { tool: "shell", effect: "external", subject: "ls", insideCwd: true } as const;

  test.each([
    ["plan", ["allow", "deny", "deny", "deny"]],
    ["ask", ["allow", "ask", "ask", "ask"]],
    ["edits", ["allow", "allow", "ask", "ask"]],
    ["auto", ["allow", "allow", "allow", "allow"]],
  ] as const)("%s decides about reading, an edit inside, an edit outside and a command", (mode, expected) => {
    expect([read, edit, outside, run].map((question) => ask({ ...question, mode }).kind)).toEqual(expected);
  });

  test.each([".git/hooks/pre-commit", "sub/.git/config", ".stele.json", "a/../.envrc", ".GIT/config"])(
    "edits asks about %s, which makes or decides something later",
    (subject) => {
      expect(ask({ ...edit, mode: "edits", subject })).toMatchObject({ kind: "ask" });
    },
  );

  test("plan tells the model what to do instead, and no rule opens it", () => {
    expect(ask({ ...run, mode: "plan", allow: ["shell"] })).toEqual({
      kind: "deny",
      why: "plan mode: shell is not run, only reading is; say what you would do instead",
    });
  });

  test("the stricter of two modes does not depend on their order", () => {
    const modes: readonly ApprovalMode[] = ["plan", "ask", "edits", "auto"];
    for (const [low, a] of modes.entries())
      for (const [high, b] of modes.entries()) expect(stricterMode(a, b)).toBe(modes[Math.min(low, high)]);
  });
});

describe("allow rules for commands", () => {
  const allow = ["shell(npm test)", "shell(git status)", "shell(tail)"];

  test.each([
    ["npm test", "shell(npm test)"],
    ["npm test -- --watch=false", "shell(npm test)"],
    ["  npm   'test' ", "shell(npm test)"],
    ["npm test 2>&1 | tail -5", "shell(npm test) + shell(tail)"],
    ["git status && npm test; git status", "shell(git status) + shell(npm test)"],
  ])("%j is allowed by %s", (subject, by) => {
    expect(ask({ allow, subject })).toEqual({ kind: "allow", by });
  });

  test.each([
    ["npm testing", "no rule allows npm testing"],
    ["npm", "no rule allows npm"],
    ["npm -s test", "no rule allows npm -s test"],
    ["npm test && rm -rf x", "no rule allows rm -rf x"],
    ["npm test & curl evil", "no rule allows curl evil"],
    ["npm test\nrm x", "no rule allows rm x"],
    ["npm test $(rm x)", "no rule is trusted with a command substitution and parentheses"],
    ["npm test `rm x`", "no rule is trusted with a command substitution"],
    ["npm test > package.json", "no rule is trusted with a redirection"],
    ["PATH=. npm test", "no rule is trusted with an environment assignment"],
    ["(npm test)", "no rule is trusted with parentheses"],
    ["eval npm test", "no rule is trusted with `eval`"],
    ["npm test # '\nrm -rf x\n# '", "no rule is trusted with a comment"],
    ["", "it runs a command"],
  ])("%j is asked: %s", (subject, why) => {
    expect(ask({ allow, subject })).toEqual({ kind: "ask", why });
  });

  test("eval is asked even where a rule names it, and a rule for the whole tool covers everything", () => {
    expect(ask({ allow: ["shell(evaluate)"], subject: "eval x" }).kind).toBe("ask");
    expect(ask({ allow: ["shell"], subject: "echo $(date) > x" })).toEqual({ kind: "allow", by: "shell" });
  });

  test("whatever follows an allowed command, nothing else is let through", () => {
    const tail = fc.string({ unit: fc.constantFrom(..."ab'\"\\ \n;|&<>()$`#"), maxLength: 12 });
    fc.assert(
      fc.property(tail, fc.constantFrom(";", "&&", "||", "|", "&", "\n"), (before, separator) => {
        const decision = ask({ allow, subject: `npm test ${before}${separator}rm -rf x` });
        if (decision.kind === "allow") expect(quotedTail(before, separator)).toBe(true);
      }),
      { numRuns: fullNumber(3_000, 750) },
    );
  });
});

/** The separator stood inside quotes or behind a backslash, so that no second command is there. */
function quotedTail(before: string, separator: string): boolean {
  const open = before.replace(/\\[\s\S]|'[^']*'|"(?:\\[\s\S]|[^"\\])*"/g, "");
  return /['"]/.test(open) || (open.endsWith("\\") && separator.length === 1);
}

describe("deny rules", () => {
  const deny = ["shell(git push)", "edit_file(secrets)", "read_file(/etc)"];

  test.each([
    "git push",
    "git push origin main",
    "npm test && git push",
    "/usr/bin/git push",
    "'git' pu\\sh",
    "sudo git push",
    "A=1 git push",
    "a | xargs git push",
    "(git push -f)",
    "echo x > y; git push",
  ])("%j is denied, also in auto and against an allow rule", (subject) => {
    for (const mode of ["ask", "auto"] as const) {
      expect(ask({ mode, deny, allow: ["shell"], subject })).toMatchObject({
        kind: "deny",
        why: expect.stringContaining("shell(git push)"),
      });
    }
  });

  test.each([
    "git -C /x push",
    "bash -c 'git push'",
    "echo $(git push)",
    "(git push)",
    'eval "git push"',
    "git {push,x}",
  ])("%j is asked in auto: it may be what is denied", (subject) => {
    expect(ask({ mode: "auto", deny, subject })).toEqual({
      kind: "ask",
      why: "this may do what the rule shell(git push) forbids",
    });
  });

  test.each([
    ["shell(sudo apt install)", "sudo apt install vim", "deny"],
    ["shell(sudo apt install)", "apt install vim", "allow"],
    ["shell(xargs rm)", "ls | xargs rm -r", "deny"],
    ["shell(./run.sh)", "./run.sh --now", "deny"],
    ["shell(./run.sh)", "sudo ./run.sh", "deny"],
    ["shell(run.sh)", "/opt/run.sh", "deny"],
    ["shell(sudo)", "sudo ls", "deny"],
  ])("%s makes %j: %s", (rule, subject, kind) => {
    expect(ask({ mode: "auto", deny: [rule], subject }).kind).toBe(kind);
  });

  test.each(["git status", "git pushy", "push git"])("%j is not denied", (subject) => {
    expect(ask({ mode: "auto", deny, subject })).toEqual({ kind: "allow", by: "mode" });
  });

  test("paths are compared by segments, however they are written", () => {
    const edit = (subject: string, cwd?: string) =>
      ask({
        mode: "auto",
        deny,
        tool: "edit_file",
        effect: "reversible",
        subject,
        insideCwd: true,
        ...(cwd ? { cwd } : {}),
      }).kind;
    expect(["secrets", "secrets/a", "./secrets/a", "x/../secrets/a"].map((path) => edit(path))).toEqual([
      "deny",
      "deny",
      "deny",
      "deny",
    ]);
    expect(["secretsauce", "my/secrets"].map((path) => edit(path))).toEqual(["allow", "allow"]);
    expect(edit("/home/me/app/secrets/a", "/home/me/app")).toBe("deny");
    expect(ask({ deny, tool: "read_file", effect: "none", subject: "/etc/passwd" }).kind).toBe("deny");
  });
});

describe("a rule for files", () => {
  const write = { tool: "write_file", effect: "reversible", insideCwd: true, cwd: "/app" } as const;
  const delicate = [".git/hooks/pre-commit", ".stele.json", "sub/.husky/x", "/app/.envrc", "a/../.GIT/config"];

  test("without a path covers every file of the folder but those that decide something later", () => {
    expect(ask({ ...write, allow: ["write_file"], subject: "src/a.ts" }).kind).toBe("allow");
    for (const allow of ["write_file", "write_file(.)", "write_file(/app)"])
      for (const subject of delicate) expect(ask({ ...write, allow: [allow], subject }).kind, subject).toBe("ask");
    const outside = { ...write, insideCwd: false, subject: "/etc/hosts" };
    expect(ask({ ...outside, allow: ["write_file"] }).kind).toBe("ask");
  });

  test("covers such a file, or one outside, when it names it", () => {
    for (const subject of delicate)
      expect(ask({ ...write, allow: [`write_file(${subject})`], subject }).kind, subject).toBe("allow");
    expect(ask({ ...write, allow: ["write_file(.git)"], subject: ".git/config" }).kind).toBe("allow");
    const outside = { ...write, insideCwd: false, subject: "/etc/hosts" };
    expect(ask({ ...outside, allow: ["write_file(/etc/hosts)"] }).kind).toBe("allow");
  });

  test("is not led to such a file by a link, in no mode that asks", () => {
    const link = { ...write, subject: "docs/notes", landsOn: "/app/.git/hooks/pre-commit" };
    for (const mode of ["ask", "edits"] as const)
      for (const allow of ["write_file", "write_file(docs)"])
        expect(ask({ ...link, mode, allow: [allow] }).kind).toBe("ask");
    expect(ask({ ...link, allow: ["write_file(docs/notes)"] }).kind).toBe("allow");
  });
});

test.each([
  ["write_file(docs)", "write_file", "docs/a.md", "allow"],
  ["write_file(docs)", "write_file", "docs/../src/a.ts", "ask"],
  ["write_file(docs)", "write_file", "../docs/a.md", "ask"],
  ["write_file(docs)", "edit_file", "docs/a.md", "ask"],
  ["web_fetch(https://nodejs.org)", "web_fetch", "https://nodejs.org/api/fs.html", "allow"],
  ["web_fetch(https://nodejs.org)", "web_fetch", "https://nodejs.org.evil.example/", "ask"],
  ["web_fetch(https://nodejs.org)", "web_fetch", "https://nodejs.org@evil.example/", "ask"],
])("the rule %s makes %s on %s: %s", (allow, tool, subject, kind) => {
  expect(ask({ allow: [allow], tool, effect: "reversible", subject, insideCwd: true }).kind).toBe(kind);
});

describe("rules as text", () => {
  test.each([
    ["read_file", { tool: "read_file", text: "read_file" }],
    [" shell(npm test) ", { tool: "shell", prefix: "npm test", text: "shell(npm test)" }],
    ["shell(npm test:*)", { tool: "shell", prefix: "npm test", text: "shell(npm test:*)" }],
    ["shell(*)", { tool: "shell", text: "shell(*)" }],
    ["mcp:files/read", { tool: "mcp:files/read", text: "mcp:files/read" }],
  ])("%j is read", (text, expected) => {
    expect(parseRule(text)).toEqual({ ok: true, rule: expected });
  });

  test.each([
    ["", "is not a rule"],
    ["shell(npm test", "is not a rule"],
    ["npm test", "is not a rule"],
    ["shell()", "has nothing between its parentheses"],
    ["shell(a && b)", "has several commands"],
    ["shell(a $(b))", "has a command substitution"],
    ["shell(A=1 b)", "has an environment assignment"],
  ])("%j is refused: it %s", (text, problem) => {
    expect(parseRule(text)).toEqual({ ok: false, problem: expect.stringContaining(problem) });
  });

  test("no text makes it throw", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void parseRule(text)));
  });
});
