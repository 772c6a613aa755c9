import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { type GitWorld, makeGitWorld, secondOfHead, stampHeadCommit, stampLog } from "./git-world.ts";

function makeEmptyWorld(): GitWorld {
  return makeGitWorld({ name: "empty", prepare: (world) => void world.git("init", "-q", "--template=") });
}

/** The commit at HEAD as evidence names it. */
function head(world: GitWorld): string {
  return world.git("log", "-1", '--format=%h "%s"');
}

describe("a commit that was made, and before it was", () => {
  test.each([
    'git commit -m "fix: a thing"',
    "git commit -am 'two words'",
    "git commit -qm'attached'",
    "git commit --message=long --no-verify",
    "git commit -m subject -m body",
    "git commit -m 'first line\nsecond line\n\nbody'",
    "git commit -m '  blanks  around  '",
    'git commit -m "costs \\$5"',
    "git commit -m 'ünï 漢字 👩‍🚀'",
    "git commit -F message",
    "git commit --author 'Eve <eve@example.com>' -m other",
    "git -c user.name=Eve -c user.email=eve@example.com commit -m as-eve",
    "git -c commit.gpgsign=false commit -m unsigned",
    "git commit --amend -m 'better words'",
    "git commit --amend --no-edit",
    "git -C . -C sub commit -m deep",
    "cd sub && git commit -m deep",
    "cd ./sub/.. && git --no-pager commit -m up 2>&1",
    "git commit -m only -- file",
  ])("%j", async (command) => {
    const world = makeGitWorld();
    mkdirSync(join(world.repo, "sub"));
    world.write("message", "\nfrom a file\nin two lines\n\nand more\n");
    expect(await world.readBack(command)).toEqual({
      verdict: "not-done",
      evidence: `HEAD is still at ${head(world)}, and nothing moved it since the start`,
    });
    const startedAt = world.shell(command);
    expect(await world.readBack(command, startedAt)).toEqual({
      verdict: "done",
      evidence: `commit ${head(world).replace(/\s+/g, " ")} is in the log of HEAD`,
    });
  });

  test("the first one of a repository", async () => {
    const world = makeEmptyWorld();
    world.stage();
    const command = "git commit -m first";
    expect(await world.readBack(command)).toEqual({ verdict: "not-done", evidence: "HEAD has no commit yet" });
    const startedAt = world.shell(command);
    expect(await world.readBack(command, startedAt)).toMatchObject({ verdict: "done" });
  });

  test("one that concludes a merge without words of its own", async () => {
    const world = makeGitWorld();
    world.git("checkout", "-q", "-b", "side", "HEAD");
    world.git("commit", "-q", "-m", "on side");
    world.git("checkout", "-q", "main");
    world.git("commit", "-q", "--allow-empty", "-m", "on main");
    world.git("merge", "-q", "--no-commit", "side");
    const command = "git commit --no-edit";
    expect(await world.readBack(command)).toMatchObject({ verdict: "not-done" });
    const startedAt = world.shell(command);
    expect(await world.readBack(command, startedAt)).toMatchObject({ verdict: "done" });
  });

  test("one that HEAD has left again was made all the same", async () => {
    const world = makeGitWorld();
    const startedAt = world.shell("git commit -m gone");
    const made = head(world);
    world.git("reset", "-q", "--hard", "HEAD~1");
    expect(await world.readBack("git commit -m gone", startedAt)).toEqual({
      verdict: "done",
      evidence: `commit ${made} is in the log of HEAD; HEAD moved on since`,
    });
  });

  test("one in another work tree of the repository is not taken for it", async () => {
    const world = makeGitWorld();
    world.git("worktree", "add", "-q", "../other");
    const startedAt = world.shell("cd ../other && git commit --allow-empty -m elsewhere");
    expect(await world.readBack("cd ../other && git commit -m elsewhere", startedAt)).toMatchObject({
      verdict: "done",
    });
    expect(await world.readBack("git commit -m elsewhere", startedAt + 5000)).toMatchObject({ verdict: "not-done" });
  });
});

describe("the second of the start", () => {
  test("a commit written after the start is the one", async () => {
    const world = makeGitWorld();
    world.shell("git commit -m same");
    expect(await world.readBack("git commit -m same", secondOfHead(world))).toMatchObject({ verdict: "done" });
  });

  test("an equal commit that may have been there before leaves it unknown", async () => {
    const world = makeGitWorld();
    world.shell("git commit -m same");
    const second = secondOfHead(world);
    stampHeadCommit(world, second + 100);
    stampLog(world, "HEAD", second + 100);
    expect(await world.readBack("git commit -m same", second + 900)).toEqual({
      verdict: "unknown",
      evidence: `commit ${head(world)} may be older than the start`,
    });
  });

  test("an equal commit whose age cannot be seen any more leaves it unknown", async () => {
    const world = makeGitWorld();
    world.shell("git commit -m same");
    const second = secondOfHead(world);
    world.git("repack", "-q", "-a", "-d");
    expect(await world.readBack("git commit -m same", second)).toMatchObject({ verdict: "unknown" });
  });

  test("another commit shortly before the start is no movement since", async () => {
    const world = makeGitWorld();
    const second = secondOfHead(world);
    stampLog(world, "HEAD", second + 100);
    expect(await world.readBack("git commit -m next", second + 900)).toMatchObject({ verdict: "not-done" });
  });

  test("another commit of that second, with nothing to tell which came first, leaves it unknown", async () => {
    const world = makeGitWorld();
    const second = secondOfHead(world);
    stampLog(world, "HEAD", second + 895);
    expect(await world.readBack("git commit -m next", second + 900)).toMatchObject({ verdict: "unknown" });
  });
});

describe("what proves nothing", () => {
  const LATER = /^HEAD moved about the start or later, and not by what was asked: /;

  test.each([
    ["another subject", "git commit -m other", "git commit -m asked"],
    ["an amended commit", "git commit --amend -m asked", "git commit -m asked"],
    ["a plain commit", "git commit -m asked", "git commit --amend -m asked"],
    ["another committer", "git -c user.name=Eve commit -m asked", "git commit -m asked"],
    ["new words where the old were to be kept", "git commit --amend -m new", "git commit --amend --no-edit"],
    ["a commit whose message cannot be known", "git commit -m x", "git commit"],
    ["a commit whose message cannot be known", "git commit --fixup HEAD", "git commit --fixup HEAD"],
    ["a message from a file that is gone", "git commit -m x", "git commit -F gone"],
    ["no merge", "git commit -m x", "git commit --no-edit"],
    ["a move to another branch", "git checkout -q -b other", "git commit -m asked"],
  ])("%s", async (_what, happened, asked) => {
    const world = makeGitWorld();
    const startedAt = world.shell(happened) - 5000;
    expect(await world.readBack(asked, startedAt)).toEqual({
      verdict: "unknown",
      evidence: expect.stringMatching(LATER),
    });
  });

  test("a commit that a hook gave other words", async () => {
    const world = makeGitWorld();
    mkdirSync(join(world.repo, ".git/hooks"));
    writeFileSync(join(world.repo, ".git/hooks/commit-msg"), '#!/bin/sh\necho "T-1 changed" > "$1"\n', { mode: 0o755 });
    const startedAt = world.shell("git commit -m asked");
    expect(await world.readBack("git commit -m asked", startedAt)).toMatchObject({ verdict: "unknown" });
  });

  test("a commit with a date of its own, written after the start", async () => {
    const world = makeGitWorld();
    const startedAt = Date.now();
    world.shell("GIT_COMMITTER_DATE='2001-02-03T04:05:06Z' git commit -m asked");
    stampLog(world, "HEAD", startedAt + 100);
    expect(await world.readBack("git commit -m asked", startedAt)).toMatchObject({ verdict: "unknown" });
  });

  test("a lock that was left behind", async () => {
    const world = makeGitWorld();
    writeFileSync(join(world.repo, ".git/index.lock"), "");
    expect(await world.readBack("git commit -m x")).toEqual({
      verdict: "unknown",
      evidence: `HEAD is still at ${head(world)}, but index.lock was left behind`,
    });
  });

  test("a lock beside a commit that was made takes nothing from it", async () => {
    const world = makeGitWorld();
    const startedAt = world.shell("git commit -m x");
    writeFileSync(join(world.repo, ".git/index.lock"), "");
    expect(await world.readBack("git commit -m x", startedAt)).toEqual({
      verdict: "done",
      evidence: expect.stringMatching(/; index\.lock was left behind$/),
    });
  });

  test("a lock in a repository without commits", async () => {
    const world = makeEmptyWorld();
    writeFileSync(join(world.repo, ".git/index.lock"), "");
    expect(await world.readBack("git commit -m x")).toMatchObject({ verdict: "unknown" });
  });

  test("a log that ends elsewhere than HEAD", async () => {
    const world = makeGitWorld();
    const startedAt = world.shell("git commit -m x");
    const first = world.git("rev-parse", "HEAD~1");
    writeFileSync(join(world.repo, ".git/refs/heads/main"), `${first}\n`); // cut between log and ref
    expect(await world.readBack("git commit -m x", startedAt)).toEqual({
      verdict: "unknown",
      evidence: expect.stringMatching(/^HEAD is not where its log says/),
    });
  });

  test("a repository without logs", async () => {
    const world = makeGitWorld();
    world.git("reflog", "expire", "--expire=all", "--all");
    expect(await world.readBack("git commit -m x")).toEqual({
      verdict: "unknown",
      evidence: "git keeps no log of HEAD here",
    });
  });

  test("a branch without commits in a repository that has some", async () => {
    const world = makeGitWorld();
    world.git("checkout", "-q", "--orphan", "new");
    expect(await world.readBack("git commit -m x")).toMatchObject({ verdict: "unknown" });
  });

  test("a committer that is not set", async () => {
    const world = makeGitWorld();
    const startedAt = world.shell("git commit -m x");
    writeFileSync(join(world.root, "gitconfig"), "[user]\n useConfigOnly = true\n");
    expect(await world.readBack("git commit -m x", startedAt)).toMatchObject({ verdict: "unknown" });
    vi.stubEnv("GIT_COMMITTER_NAME", "Ada");
    vi.stubEnv("GIT_COMMITTER_EMAIL", "ada@example.com");
    expect(await world.readBack("git commit -m x", startedAt)).toMatchObject({ verdict: "done" });
  });
});
