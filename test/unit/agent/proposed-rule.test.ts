import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decide, parseRule } from "../../../src/agent/approvals.ts";
import { ruleFor } from "../../../src/agent/proposed-rule.ts";
import { fullNumber } from "../../helpers/full-numbers.ts";

function textOf(subject: string): string | undefined {
  const proposed = ruleFor(subject);
  return proposed.kind === "rule" ? proposed.rule.text : undefined;
}

function isAllowed(text: string, subject: string): boolean {
  const parsed = parseRule(text);
  const rules = { allow: parsed.ok ? [parsed.rule] : [], deny: [] };
  const asked = { mode: "ask", tool: "shell", effect: "external", subject, insideCwd: false, rules } as const;
  return decide(asked).kind === "allow";
}

describe("the rule that is proposed", () => {
  test.each([
    ["npm test -- -t x", "shell(npm test)"],
    ["npm run build", "shell(npm run build)"],
    ["git status", "shell(git status)"],
    ["git -C /x push --force", "shell(git -C /x push)"],
    ["git -c a=b --no-pager log -3", "shell(git -c a=b --no-pager log)"],
    ["/usr/bin/git push", "shell(/usr/bin/git push)"],
    ["npm --prefix web test -- -t x", "shell(npm --prefix web test)"],
    ["npm --version", "shell(npm --version)"],
    ["kubectl -n prod get pods", "shell(kubectl -n prod get)"],
    ["docker compose up -d", "shell(docker compose up)"],
    ["aws --region eu-1 s3 ls", "shell(aws --region eu-1 s3 ls)"],
    ["gcloud compute instances list", "shell(gcloud compute instances list)"],
    ["make -j4 check", "shell(make -j4 check)"],
    ["cargo run --release", "shell(cargo run)"],
    ["go run ./cmd", "shell(go run ./cmd)"],
    ["git --strange x status", "shell(git --strange x status)"],
    ["python3 -m pytest -q", "shell(python3 -m pytest -q)"],
    ["sudo git push", "shell(sudo git push)"],
    ["ls -la src", "shell(ls)"],
    ["./scripts/check.sh --fast", "shell(./scripts/check.sh)"],
    ["python build.py", "shell(python build.py)"],
    ["rm -rf dist", "shell(rm -rf dist)"],
  ])("for %j is %s", (subject, text) => {
    expect(textOf(subject)).toBe(text);
  });

  test.each([
    "a && b",
    "echo $(x)",
    "cat > x",
    "rm -rf *",
    "",
    "python",
    "python3.12 -u",
    "python -m",
    "sudo",
    "sudo git",
    "xargs rm",
  ])("for %j is none", (subject) => {
    expect(textOf(subject)).toBeUndefined();
  });

  const toolboxes = "git npm pnpm yarn docker kubectl cargo go gh systemctl aws gcloud az terraform make".split(" ");
  const options = ["", "-C", "-C .", "--prefix web", "--unknown", "--unknown x", "-x", "-m", "--a=b", "-v"];
  test.each(toolboxes)("never opens all of %s, whatever options stand before the verb", (program) => {
    const starts = [program, `/usr/bin/${program}`, `sudo ${program}`, `env ${program}`];
    const later = ["push --force", "x push --force", "run evil"];
    const opened = starts
      .flatMap((start) => options.map((option) => `${start} ${option}`.trim()))
      .map((command) => ({ command, rule: textOf(command) }))
      .filter(({ command, rule }) => rule !== undefined && later.some((more) => isAllowed(rule, `${command} ${more}`)));
    expect(opened).toEqual([]);
  });

  test("always allows the command it was proposed for, and reads back as the same rule", () => {
    const command = fc.string({
      unit: fc.constantFrom(..."ab'\"\\ \n;|&>()$`#*:", "git ", "npm ", "run ", "rm "),
      maxLength: 20,
    });
    fc.assert(
      fc.property(command, (subject) => {
        const found = ruleFor(subject);
        if (found.kind === "none") return;
        const proposed = found.rule;
        expect(parseRule(proposed.text)).toEqual({ ok: true, rule: proposed });
        expect(isAllowed(proposed.text, subject)).toBe(true);
      }),
      { numRuns: fullNumber(2_000, 500) },
    );
  });
});
