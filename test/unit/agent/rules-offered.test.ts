import { describe, expect, it } from "vitest";
import { type ApprovalQuestion, decide, parseRule, type Rule } from "../../../src/agent/approvals.ts";
import { rulesOffered } from "../../../src/agent/rules-offered.ts";

const asked: ApprovalQuestion = {
  mode: "ask",
  rules: { allow: [], deny: [] },
  tool: "shell",
  effect: "external",
  subject: "npm test -- --watch",
  insideCwd: false,
  cwd: "/work",
};
function rule(text: string): Rule {
  const parsed = parseRule(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.rule;
}

describe("the rules offered with a question", () => {
  it.each([
    [asked, "shell(npm test)", "shell(npm test)"],
    [{ ...asked, subject: "rm -r build" }, "shell(rm -r build)", "shell(rm -r build)"],
    [
      { ...asked, tool: "write_file", effect: "reversible", subject: "a.txt", insideCwd: true },
      "write_file",
      "write_file(/work/a.txt)",
    ],
  ] as const)("answer it by themselves", (question, allow, deny) => {
    const offered = rulesOffered(question);
    expect([offered.allow?.text, offered.deny?.text]).toEqual([allow, deny]);
    const { rules } = question;
    const stored = (more: Partial<typeof rules>) => decide({ ...question, rules: { ...rules, ...more } }).kind;
    expect(stored({ allow: [rule(allow)] })).toBe("allow");
    expect(stored({ deny: [rule(deny)] })).toBe("deny");
  });

  it.each([
    [".git/hooks/pre-commit", true, "/work/.git/hooks/pre-commit"],
    [".stele.json", true, "/work/.stele.json"],
    ["/etc/hosts", false, "/etc/hosts"],
  ])("name %s alone, which no rule for the folder covers", (subject, insideCwd, path) => {
    const offered = rulesOffered({ ...asked, tool: "write_file", effect: "reversible", subject, insideCwd });
    expect(offered.allow?.text).toBe(`write_file(${path})`);
    expect(offered.allowMeans).toBeUndefined();
  });

  it("say how far a rule for all files goes", () => {
    const file = { ...asked, tool: "write_file", effect: "reversible", subject: "a.txt", insideCwd: true } as const;
    expect(rulesOffered(file)).toMatchObject({
      allow: { text: "write_file" },
      allowMeans: "any file of the folder you are in, in every project",
    });
  });

  it.each(["sudo apt install vim", "xargs rm", "./run.sh", "make", "git --unknown x", "npm"])(
    "have a never for %j, and a reason where there is no always",
    (subject) => {
      const offered = rulesOffered({ ...asked, subject });
      expect(offered.deny).toBeDefined();
      expect(offered.none === undefined).toBe(offered.allow !== undefined);
    },
  );

  it("are none where none would, and it is said why", () => {
    expect(rulesOffered({ ...asked, subject: "cd a && npm test" }).none).toContain("several");
    expect(rulesOffered({ ...asked, subject: "echo $(id)" }).none).toMatch(/^no rule fits: ./);
  });

  it("leave out an always that a rule against it would outdo", () => {
    const deny = [rule("shell(git push)")];
    const offered = rulesOffered({ ...asked, rules: { allow: [], deny }, subject: "git -C sub push" });
    expect(offered.allow).toBeUndefined();
  });
});
