// Pull requests as a `gh` of the test tells them: which count, how often it is asked, and that nothing of it can fail.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { PullRequests } from "../../../src/agent/pull-requests.ts";
import { temporaryFolder } from "../../helpers/ledger.ts";

interface Place {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** Arguments of each call, by line. */
  readonly calls: () => readonly string[];
}

/** A repository whose default branch is `trunk`, and a `gh` that runs this shell script. */
function place(script: string): Place {
  const folder = temporaryFolder();
  const root = path.join(folder, "repo");
  const log = path.join(folder, "calls");
  mkdirSync(root);
  execFileSync("git", ["init", "-q", root]);
  execFileSync("git", ["-C", root, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
  const gh = path.join(folder, "gh");
  writeFileSync(gh, `#!/bin/sh\necho "$@" >> '${log}'\n${script}\n`);
  chmodSync(gh, 0o755);
  const calls = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
  return { root, env: { ...process.env, PATH: `${folder}:${process.env["PATH"] ?? ""}` }, calls };
}

function listing(...pulls: readonly object[]): string {
  const whole = pulls.map((pull, at) => ({
    ...{ headRefName: "fix", state: "OPEN", number: at + 1, isCrossRepository: false },
    ...{ url: `https://example.com/${at + 1}`, ...pull },
  }));
  return `cat <<'END'\n${JSON.stringify(whole)}\nEND`;
}

const now = () => 0;

describe("the pull request of a branch", () => {
  it.each([
    ["is the one that is there", [{}], { number: 1, state: "open", url: "https://example.com/1" }],
    ["is the open one", [{ state: "MERGED" }, { state: "OPEN" }], { number: 2, state: "open" }],
    ["is the newest where none is open", [{ state: "CLOSED" }, { state: "MERGED" }], { number: 1, state: "closed" }],
    ["is never one from a fork", [{ isCrossRepository: true }, { state: "MERGED" }], { number: 2, state: "merged" }],
    ["is none of another branch", [{ headRefName: "other" }], undefined],
    ["has a web address", [{ url: "javascript:alert(1)" }], undefined],
    ["is none where the answer makes no sense", [{ state: "NEW", number: "x" }], undefined],
  ])("%s", async (_, pulls, expected) => {
    const { root, env } = place(listing(...pulls));
    const known = new PullRequests({ env, now });
    await known.look([{ gitRoot: root, gitBranch: "fix" }]);
    const found = known.of({ gitRoot: root, gitBranch: "fix" });
    if (expected) expect(found).toMatchObject(expected);
    else expect(found).toBeUndefined();
  });

  it("is asked for once a repository and some minutes, and not for a trunk alone", async () => {
    const { root, env, calls } = place(listing({}, { headRefName: "trunk" }, { headRefName: "main" }));
    const clock = { now: 0 };
    const known = new PullRequests({ env, now: () => clock.now });
    expect(await known.look([{ gitRoot: root, gitBranch: "main" }, { gitRoot: root }, {}])).toBe(false);
    expect(calls()).toEqual([]);
    const branches = ["fix", "trunk", "more"].map((gitBranch) => ({ gitRoot: root, gitBranch }));
    expect([await known.look(branches), await known.look(branches)]).toEqual([true, false]);
    expect(["trunk", "main"].map((gitBranch) => known.of({ gitRoot: root, gitBranch }))).toEqual([
      undefined,
      undefined,
    ]);
    clock.now = 6 * 60_000;
    expect(await known.look(branches)).toBe(true);
    const call = "pr list --json headRefName,state,url,number,isCrossRepository --state all --limit 100";
    expect(calls()).toEqual([call, call]);
  });

  it.each(["exit 1", "echo not json", "echo null", "echo '[1, null, {}]'"])(
    "is none where gh says %s",
    async (script) => {
      const { root, env } = place(script);
      const known = new PullRequests({ env, now });
      await known.look([{ gitRoot: root, gitBranch: "fix" }]);
      expect(known.of({ gitRoot: root, gitBranch: "fix" })).toBeUndefined();
    },
  );

  it("is none where there is no gh, or no such folder", async () => {
    const known = new PullRequests({ env: { PATH: "/nowhere" }, now });
    await known.look([
      { gitRoot: temporaryFolder(), gitBranch: "fix" },
      { gitRoot: "/no/such/folder", gitBranch: "fix" },
    ]);
    expect(known.of({ gitRoot: "/no/such/folder", gitBranch: "fix" })).toBeUndefined();
  });
});
