import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { type GitWorld, makeGitWorld, secondOfHead, stampLog } from "./git-world.ts";

/** With a bare remote `origin` that has the first commit on main, which is its upstream, and one commit more here. */
function makePushWorld(): GitWorld {
  return makeGitWorld({
    name: "push",
    prepare(world) {
      world.git("init", "-q", "--template=");
      world.commit("first");
      addRemote(world, "origin");
      world.git("push", "-q", "-u", "origin", "main");
      world.commit("second");
      world.git("tag", "-a", "v1", "-m", "one");
    },
  });
}

function addRemote(world: GitWorld, name: string): void {
  world.git("init", "-q", "--template=", "--bare", `../${name}.git`);
  world.git("remote", "add", name, `../${name}.git`);
}

const short = (world: GitWorld, name: string) => world.git("rev-parse", name).slice(0, 10);

describe("a push that was made, and before it was", () => {
  test.each([
    "git push",
    "git push origin",
    "git push origin main",
    "git push -qu origin @",
    "git push origin HEAD",
    "git push --force-with-lease=main -f origin main",
    "git push origin +main",
    "git push origin refs/heads/main:refs/heads/main",
    "git push origin HEAD:new",
    "git push origin main:refs/heads/deep/er",
    "git push ../origin.git main",
    "git push origin tag v1",
    "git push origin main v1 main:third",
    "git push --atomic --repo=origin",
    "git -C . push",
    "cd . && git push 2>&1",
  ])("%j", async (command) => {
    const world = makePushWorld();
    expect(await world.readBack(command)).toMatchObject({ verdict: "not-done" });
    const startedAt = world.shell(command);
    expect(await world.readBack(command, startedAt)).toMatchObject({ verdict: "done" });
  });

  test("evidence names both sides", async () => {
    const world = makePushWorld();
    const [first, second] = [short(world, "HEAD~1"), short(world, "HEAD")];
    expect(await world.readBack("git push")).toEqual({
      verdict: "not-done",
      evidence: `origin has refs/heads/main at ${first}, here it is at ${second}, which is further`,
    });
    expect(await world.readBack("git push origin HEAD:new")).toEqual({
      verdict: "not-done",
      evidence: "origin has no new",
    });
    world.git("push", "-q");
    expect(await world.readBack("git push")).toEqual({
      verdict: "done",
      evidence: `origin has refs/heads/main at ${second}, as it is here`,
    });
  });

  test.each([
    ["a push remote of the branch", ["branch.main.pushRemote", "fork"]],
    ["a push remote of the repository", ["remote.pushDefault", "fork"]],
    ["an address of its own for pushing", ["remote.origin.pushurl", "../fork.git"]],
  ])("%s is asked instead", async (_what, [key = "", value = ""]) => {
    const world = makePushWorld();
    addRemote(world, "fork");
    world.git("config", key, value);
    world.git("push", "-q", "../origin.git", "main");
    expect(await world.readBack("git push")).toMatchObject({ verdict: "not-done" });
    world.git("push", "-q");
    expect(await world.readBack("git push")).toMatchObject({ verdict: "done" });
  });

  test("an upstream of another name is where push.default says", async () => {
    const world = makePushWorld();
    world.git("push", "-q", "origin", "main~1:refs/heads/trunk");
    world.git("fetch", "-q");
    world.git("branch", "-q", "--set-upstream-to", "origin/trunk");
    expect(await world.readBack("git push")).toMatchObject({ verdict: "unknown" });
    world.git("config", "push.default", "upstream");
    expect(await world.readBack("git push")).toMatchObject({ verdict: "not-done" });
    world.git("push", "-q");
    expect(await world.readBack("git push")).toMatchObject({
      verdict: "done",
      evidence: expect.stringContaining("refs/heads/trunk"),
    });
    world.git("config", "push.default", "current");
    expect(await world.readBack("git push")).toMatchObject({ evidence: expect.stringContaining("refs/heads/main") });
  });

  test("a short name means the branch or tag that the remote has", async () => {
    const world = makePushWorld();
    world.git("push", "-q", "origin", "main~1:refs/tags/mark");
    const full = world.git("rev-parse", "main");
    expect(await world.readBack(`git push -f origin ${full}:mark`)).toMatchObject({ verdict: "not-done" });
    world.git("push", "-q", "-f", "origin", `${full}:mark`);
    expect(await world.readBack(`git push -f origin ${full}:mark`)).toMatchObject({ verdict: "done" });
  });
});

describe("a branch that moved after the start", () => {
  /** Pushes or not, then goes on as a person would, two seconds after the start by git's clock. */
  function goOn(world: GitWorld, startedAt: number): void {
    world.stage();
    vi.stubEnv("GIT_COMMITTER_DATE", `${Math.floor(startedAt / 1000) + 2} +0000`);
    world.git("commit", "-q", "-m", "later");
    vi.stubEnv("GIT_COMMITTER_DATE", undefined);
  }
  /** So that what was there before is older than the start. */
  const aWhileLater = (world: GitWorld) => secondOfHead(world) + 1000;

  test("the remote has what was here at the start: done", async () => {
    const world = makePushWorld();
    const startedAt = aWhileLater(world);
    world.git("push", "-q");
    const then = short(world, "HEAD");
    goOn(world, startedAt);
    expect(await world.readBack("git push", startedAt)).toEqual({
      verdict: "done",
      evidence: `origin has refs/heads/main at ${then}, as it was here at the start`,
    });
  });

  test("the remote is behind what was here at the start: not done", async () => {
    const world = makePushWorld();
    const startedAt = aWhileLater(world);
    goOn(world, startedAt);
    expect(await world.readBack("git push", startedAt)).toMatchObject({ verdict: "not-done" });
  });

  test("a commit in the second of the start leaves open which of the two was meant", async () => {
    const world = makePushWorld();
    const second = secondOfHead(world);
    stampLog(world, "refs/heads/main", second + 900);
    // The remote has the first commit, which may be what was here when the push started.
    expect(await world.readBack("git push", second + 500)).toMatchObject({ verdict: "unknown" });
    stampLog(world, "refs/heads/main", second + 100);
    expect(await world.readBack("git push", second + 500)).toMatchObject({ verdict: "not-done" });
  });

  test("nor does a commit of that second tell, once others follow it", async () => {
    const world = makePushWorld();
    const second = secondOfHead(world);
    world.git("push", "-q");
    goOn(world, second);
    expect(await world.readBack("git push", second + 500)).toMatchObject({
      verdict: "unknown",
      evidence: expect.stringMatching(/ and moved about the start or later$/),
    });
  });

  test("another branch checked out since leaves open which one was meant", async () => {
    const world = makePushWorld();
    const startedAt = world.shell("git push") - 5000;
    world.git("checkout", "-q", "-b", "other");
    expect(await world.readBack("git push", startedAt)).toMatchObject({ verdict: "unknown" });
    expect(await world.readBack("git push origin HEAD", startedAt)).toMatchObject({ verdict: "unknown" });
    expect(await world.readBack("git push origin main", startedAt)).toMatchObject({ verdict: "done" });
  });
});

describe("what proves nothing", () => {
  test("a remote that went another way", async () => {
    const world = makePushWorld();
    execFileSync("git", ["clone", "-q", "origin.git", "clone"], { cwd: world.root, stdio: "pipe" });
    world.git("-C", "../clone", "commit", "-q", "--allow-empty", "-m", "theirs");
    world.git("-C", "../clone", "push", "-q");
    expect(await world.readBack("git push")).toMatchObject({ verdict: "unknown" });
    world.git("fetch", "-q");
    expect(await world.readBack("git push")).toMatchObject({ verdict: "unknown" });
  });

  test("one ref there and another not", async () => {
    const world = makePushWorld();
    world.git("push", "-q", "origin", "main:one");
    expect(await world.readBack("git push origin main:one main:two")).toEqual({
      verdict: "unknown",
      evidence: expect.stringMatching(/as it is here; origin has no two$/),
    });
  });

  test("a remote that is not there is told in git's words", async () => {
    const world = makePushWorld();
    world.git("remote", "set-url", "origin", "../gone.git");
    expect(await world.readBack("git push")).toEqual({
      verdict: "unknown",
      evidence: expect.stringMatching(/^origin cannot be asked: fatal: .*gone\.git/),
    });
  });

  test("a connection that would ask for something ends at once, with the person's own program for it", async () => {
    const world = makePushWorld();
    world.program("my-ssh", 'echo "my-ssh $*; asks: $GIT_TERMINAL_PROMPT$GIT_ASKPASS" >&2; exit 255');
    world.git("remote", "set-url", "origin", "ssh://git@example.invalid/x.git");
    world.git("config", "core.sshCommand", "my-ssh -i key");
    const { verdict, evidence } = await world.readBack("git push");
    expect(verdict).toBe("unknown");
    expect(evidence).toMatch(/^origin cannot be asked: my-ssh -i key -oBatchMode=yes .*; asks: 0$/);
  });

  test("a password in an address stays out of the evidence", async () => {
    const world = makePushWorld();
    const { verdict, evidence } = await world.readBack("git push https://me:secret@127.0.0.1:1/x.git main");
    expect(verdict).toBe("unknown");
    expect(evidence).toContain("https://127.0.0.1:1/x.git");
    expect(evidence).not.toContain("secret");
  });

  test.each([
    ["a pattern", "git push origin 'refs/heads/*:refs/heads/*'"],
    ["a deletion", "git push origin :main"],
    ["all that match", "git push origin :"],
    ["a ref that servers hide", "git push origin HEAD:refs/for/main"],
    ["a name that is nothing here", "git push origin nothing"],
    ["a place counted from another", "git push origin main~1:main"],
    ["a hash without a name for it", `git push origin ${"0".repeat(40)}`],
  ])("%s", async (_what, command) => {
    const world = makePushWorld();
    expect(await world.readBack(command)).toMatchObject({ verdict: "unknown" });
  });

  test("a name that is both branch and tag", async () => {
    const world = makePushWorld();
    world.git("push", "-q");
    world.git("tag", "main");
    expect(await world.readBack("git push origin main")).toMatchObject({ verdict: "unknown" });
  });

  test.each([
    ["push.default", "matching"],
    ["push.default", "nothing"],
    ["push.followTags", "true"],
    ["remote.origin.push", "refs/heads/main:refs/heads/x"],
    ["remote.origin.mirror", "true"],
  ])("the setting %s %s", async (key, value) => {
    const world = makePushWorld();
    world.git("push", "-q");
    world.git("config", key, value);
    expect(await world.readBack("git push")).toEqual({
      verdict: "unknown",
      evidence: expect.stringMatching(/^cannot be read back: (push|remote)\./),
    });
  });

  test("a HEAD that is on no branch", async () => {
    const world = makePushWorld();
    world.git("checkout", "-q", "--detach");
    expect(await world.readBack("git push")).toMatchObject({ verdict: "unknown" });
    world.git("push", "-q", "origin", "HEAD:main");
    expect(await world.readBack("git push origin HEAD:main")).toMatchObject({ verdict: "done" });
  });

  test("several addresses behind one name", async () => {
    const world = makePushWorld();
    world.git("push", "-q");
    world.git("remote", "set-url", "--add", "origin", "../other.git");
    expect(await world.readBack("git push")).toEqual({
      verdict: "unknown",
      evidence: "origin has several addresses to push to",
    });
  });

  test("a repository that cannot be read at all", async () => {
    const world = makePushWorld();
    writeFileSync(join(world.repo, ".git/config"), "[broken\n");
    expect(await world.readBack("git push")).toMatchObject({ verdict: "unknown" });
  });
});
