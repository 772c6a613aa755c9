import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { type GitWorld, makeGitWorld } from "./git-world.ts";

const URL = "https://github.com/o/r/pull/7";
const CREATE = "gh pr create --title 'A thing' --body 'Why'";

interface Answer {
  readonly exit?: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

/** A gh that keeps its words and answers as told. */
function makeGhWorld({ exit = 0, stdout = "", stderr = "" }: Answer): GitWorld {
  const world = makeGitWorld();
  writeFileSync(join(world.root, "stdout"), stdout);
  writeFileSync(join(world.root, "stderr"), stderr);
  const words = `printf '%s\\n' "$@" "prompts off: $GH_PROMPT_DISABLED" > "${world.root}/asked"`;
  world.program("gh", `${words}\ncat "${world.root}/stdout"\ncat "${world.root}/stderr" >&2\nexit ${exit}`);
  return world;
}

function pullRequest(createdAt: number, { state = "OPEN", headRefName = "main" } = {}): Answer {
  const at = `${new Date(createdAt).toISOString().slice(0, 19)}Z`; // GitHub gives whole seconds
  return { stdout: `${JSON.stringify({ createdAt: at, headRefName, state, url: URL })}\n` };
}

const NONE = { exit: 1, stderr: 'no pull requests found for branch "main"\n' };
const wordsAsked = (world: GitWorld) => readFileSync(join(world.root, "asked"), "utf8").trim().split("\n");

describe("the pull request of the branch", () => {
  test.each([
    ["created after the start", 5_000],
    ["created half a minute before it by GitHub's clock", -30_000],
  ])("%s: done", async (_what, offset) => {
    const startedAt = Date.now();
    const world = makeGhWorld(pullRequest(startedAt + offset));
    expect(await world.readBack(CREATE, startedAt + 5000)).toEqual({
      verdict: "done",
      evidence: expect.stringMatching(/^https:\/\/github\.com\/o\/r\/pull\/7, created 2/),
    });
  });

  test("created and merged since: done", async () => {
    const world = makeGhWorld(pullRequest(Date.now() + 10_000, { state: "MERGED" }));
    expect(await world.readBack(CREATE)).toMatchObject({ verdict: "done" });
  });

  test("none: not done", async () => {
    const world = makeGhWorld(NONE);
    expect(await world.readBack(CREATE)).toEqual({
      verdict: "not-done",
      evidence: 'no pull requests found for branch "main"',
    });
  });

  test("only an older one that is finished: not done", async () => {
    const world = makeGhWorld(pullRequest(Date.now() - 120_000, { state: "CLOSED" }));
    expect(await world.readBack(CREATE)).toMatchObject({ verdict: "not-done" });
  });

  test("an older one that is open hides younger ones: unknown", async () => {
    const world = makeGhWorld(pullRequest(Date.now() - 120_000));
    expect(await world.readBack(CREATE)).toEqual({ verdict: "unknown", evidence: expect.stringContaining(URL) });
  });
});

describe("what gh is asked", () => {
  const FIELDS = ["--json", "url,state,createdAt,headRefName"];
  const OFF = "prompts off: 1";

  test.each([
    [CREATE, ["pr", "view", ...FIELDS, OFF]],
    ["gh pr new --fill -d", ["pr", "view", ...FIELDS, OFF]],
    ["gh pr create -fH side -B main", ["pr", "view", "side", ...FIELDS, OFF]],
    ["gh pr create --fill --head=me:side", ["pr", "view", "me:side", ...FIELDS, OFF]],
    ["gh pr create --fill -R o/r", ["pr", "view", "main", ...FIELDS, "--repo", "o/r", OFF]],
    ["gh pr create --fill --repo o/r --head side", ["pr", "view", "side", ...FIELDS, "--repo", "o/r", OFF]],
  ])("%s", async (command, words) => {
    const world = makeGhWorld(NONE);
    expect(await world.readBack(command)).toMatchObject({ verdict: "not-done" });
    expect(wordsAsked(world)).toEqual(words);
  });

  test("the branch after the owner is the one that counts", async () => {
    const world = makeGhWorld(pullRequest(Date.now() + 10_000, { headRefName: "side" }));
    expect(await world.readBack("gh pr create --fill --head me:side")).toMatchObject({ verdict: "done" });
    expect(await world.readBack("gh pr create --fill --head side")).toMatchObject({ verdict: "done" });
    expect(await world.readBack("gh pr create --fill --head 7")).toMatchObject({ verdict: "unknown" });
  });

  test("a branch checked out since the start is not asked for", async () => {
    const world = makeGhWorld(NONE);
    const startedAt = world.shell("git checkout -q -b other") - 5000;
    expect(await world.readBack(CREATE, startedAt)).toMatchObject({ verdict: "unknown" });
    expect(await world.readBack(`${CREATE} --head main`, startedAt)).toMatchObject({ verdict: "not-done" });
  });
});

describe("a gh that does not say", () => {
  test("is not installed", async () => {
    const world = makeGitWorld();
    world.program("git", `PATH='${process.env["PATH"]}' exec git "$@"`);
    vi.stubEnv("PATH", join(world.root, "bin"));
    expect(await world.readBack(CREATE)).toEqual({ verdict: "unknown", evidence: "gh is not installed" });
  });

  test.each([
    ["is not logged in", { exit: 4, stderr: "To get started with GitHub CLI, please run:  gh auth login\n" }],
    ["has no network", { exit: 1, stderr: "error connecting to api.github.com\ncheck your connection\n" }],
    ["finds no repository", { exit: 1, stderr: "no git remotes found\n" }],
    ["fails without words", { exit: 2 }],
    ["gives no JSON", { stdout: "pull request 7\n" }],
    ["gives another JSON", { stdout: '{"url":"x"}\n' }],
    ["gives a time that is none", { stdout: '{"url":"x","state":"OPEN","createdAt":"soon","headRefName":"main"}\n' }],
  ])("%s", async (_what, answer: Answer) => {
    const world = makeGhWorld(answer);
    const [first = ""] = (answer.stderr ?? "gh").split("\n");
    expect(await world.readBack(CREATE)).toEqual({
      verdict: "unknown",
      evidence: expect.stringContaining(first.replace(/\s+/g, " ")),
    });
  });
});
