import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { makeGitWorld } from "./git-world.ts";

const CANNOT = { verdict: "unknown", evidence: expect.stringMatching(/^cannot be read back/) };

describe("commands that are not judged", () => {
  const COMMANDS = [
    "npm publish",
    "gitk",
    "git status",
    "git",
    "gh pr merge",
    "git add -A && git commit -m x",
    "git commit -m x && npm publish",
    "git commit -m x; true",
    "git commit -m x || true",
    "git commit -m x | cat",
    "git commit -m x &",
    "cd . ; git commit -m x",
    "cd . || git commit -m x",
    "cd && git commit -m x",
    "cd - && git commit -m x",
    "cd ~ && git commit -m x",
    "cd . && cd . && git commit -m x",
    "git commit -m x > log",
    "git commit -F - <<EOF\nx\nEOF",
    'git commit -m "$(cat message)"',
    'git commit -m "`cat message`"',
    'git commit -m "$MESSAGE"',
    "git commit -m $MESSAGE",
    "git commit -m x *.ts",
    "git commit -m x {a,b}",
    "git commit -m x ~/file",
    "GIT_DIR=x git commit -m x",
    "(git commit -m x)",
    "git --git-dir=x commit -m x",
    "git --git-dir x commit -m x",
    "git -c core.logAllRefUpdates=false commit -m x",
    "git commit --dry-run -m x",
    "git commit -p -m x",
    "git commit -m",
    "git push --dry-run",
    "git push -n",
    "git push --tags",
    "git push --all",
    "git push --mirror",
    "git push --delete origin main",
    "gh pr create --dry-run",
    "gh pr create --web",
    "gh pr create --recover file",
    "gh pr create words",
    "",
  ];

  test("neither those without a reader nor those whose words are not all they do", async () => {
    const world = makeGitWorld();
    const judged = await Promise.all(
      COMMANDS.map(async (command) => ({ command, ...(await world.readBack(command)) })),
    );
    expect(judged).toEqual(COMMANDS.map((command) => ({ command, ...CANNOT })));
  });

  test("a bare name after cd is not trusted where CDPATH may lead elsewhere", async () => {
    const world = makeGitWorld();
    mkdirSync(join(world.repo, "sub"));
    vi.stubEnv("CDPATH", world.root);
    expect(await world.readBack("cd sub && git commit -m x")).toEqual(CANNOT);
    expect(await world.readBack("cd ./sub && git commit -m x")).toMatchObject({ verdict: "not-done" });
  });
});

describe("what stands in the way", () => {
  test.each(["git commit -m x", "git push", "gh pr create --fill"])(
    "a folder that is gone leaves %s unknown",
    async (it) => {
      const world = makeGitWorld();
      expect(await world.readBack(`cd gone && ${it}`)).toMatchObject({ verdict: "unknown" });
    },
  );

  test("a folder without repository is told in git's words", async () => {
    const world = makeGitWorld();
    expect(await world.readBack("cd .. && git commit -m x")).toEqual({
      verdict: "unknown",
      evidence: expect.stringContaining("not a git repository"),
    });
    expect(await world.readBack("cd .. && git push")).toMatchObject({
      evidence: expect.stringContaining("not a git repository"),
    });
  });

  test("a read that is stopped is unknown", async () => {
    const world = makeGitWorld();
    const { readBackCommand } = await import("../../../../src/agent/read-back/read-back-command.ts");
    const context = { cwd: world.repo, startedAt: Date.now() + 5000, effectKey: "", signal: AbortSignal.abort() };
    expect(await readBackCommand("git commit -m x", context)).toEqual({ verdict: "unknown", evidence: "stopped" });
  });

  test("looking changes nothing in the repository", async () => {
    const world = makeGitWorld();
    const state = () => [world.git("status", "--porcelain"), readFileSync(join(world.repo, ".git/logs/HEAD"), "utf8")];
    const before = state();
    await world.readBack("git commit -m x");
    await world.readBack("git push");
    expect(state()).toEqual(before);
  });
});
