// A temporary folder with real git repositories, apart from the settings and variables of the person who runs the tests.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished, vi } from "vitest";
import { readBackCommand } from "../../../../src/agent/read-back/read-back-command.ts";
import type { ReadBack } from "../../../../src/agent/read-back/reader.ts";

export interface GitWorld {
  readonly root: string;
  /** Work folder of a repository on branch main, with one commit "first" and a staged file. */
  readonly repo: string;
  /** As a shell call does it, in `repo`. Gives the time before the start, in ms. */
  shell(command: string): number;
  git(...args: readonly string[]): string;
  write(name: string, text: string): void;
  /** Stages a change that was not there before. */
  stage(): void;
  commit(subject: string): void;
  /** In `repo`; a start later than all that is there unless given. */
  readBack(command: string, startedAt?: number): Promise<ReadBack>;
  /** A program of that name in front of all others on PATH. */
  program(name: string, script: string): void;
}

const CLEAN = [
  ...["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_COMMITTER_DATE"],
  ...["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL", "CDPATH"],
];

interface Template {
  readonly name: string;
  /** Makes what every world of that name begins with. */
  readonly prepare: (world: GitWorld) => void;
}

const ONE_COMMIT: Template = {
  name: "one-commit",
  prepare(world) {
    world.git("init", "-q", "--template=");
    world.commit("first");
    world.stage();
  },
};

export function makeGitWorld(template = ONE_COMMIT): GitWorld {
  const root = mkdtempSync(join(tmpdir(), "read-back-"));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(root, { recursive: true, force: true });
  });
  for (const name of CLEAN) vi.stubEnv(name, undefined);
  vi.stubEnv("GIT_CONFIG_SYSTEM", "/dev/null");
  vi.stubEnv("GIT_CONFIG_GLOBAL", join(root, "gitconfig"));
  const world = worldIn(root);
  const made = templates.get(template.name);
  if (made) cpSync(made, root, { recursive: true, preserveTimestamps: true });
  else {
    mkdirSync(world.repo);
    writeFileSync(join(root, "gitconfig"), SETTINGS);
    template.prepare(world);
    const kept = mkdtempSync(join(tmpdir(), "read-back-template-"));
    cpSync(root, kept, { recursive: true, preserveTimestamps: true });
    templates.set(template.name, kept);
  }
  return world;
}

/** Copied, because making a repository takes many processes. */
const templates = new Map<string, string>();
afterAll(() => {
  for (const folder of templates.values()) rmSync(folder, { recursive: true, force: true });
  templates.clear();
});

const SETTINGS = `[user]
  name = Ada
  email = ada@example.com
[init]
  defaultBranch = main
[gc]
  auto = 0
`;

function worldIn(root: string): GitWorld {
  const repo = join(root, "repo");
  let staged = 0;
  const world: GitWorld = {
    root,
    repo,
    shell(command) {
      const startedAt = Date.now();
      execFileSync("/bin/bash", ["-c", command], { cwd: repo, stdio: "pipe" });
      return startedAt;
    },
    git: (...args) => execFileSync("git", args, { cwd: repo, stdio: "pipe", encoding: "utf8" }).trim(),
    write: (name, text) => writeFileSync(join(repo, name), text),
    stage() {
      world.write("file", `${Date.now()} ${(staged += 1)}\n`);
      world.git("add", "file");
    },
    commit(subject) {
      world.stage();
      world.git("commit", "-q", "-m", subject);
    },
    readBack: (command, startedAt = Date.now() + 5000) =>
      readBackCommand(command, { cwd: repo, startedAt, effectKey: "stele-0" }),
    program(name, script) {
      mkdirSync(join(root, "bin"), { recursive: true });
      writeFileSync(join(root, "bin", name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(root, "bin", name), 0o755);
      vi.stubEnv("PATH", `${join(root, "bin")}:${process.env["PATH"]}`);
    },
  };
  return world;
}

/** Of the newest move of HEAD, in whole seconds, as ms. */
export function secondOfHead(world: GitWorld): number {
  const selector = world.git("log", "-g", "-n1", "--date=unix", "--format=%gd");
  return Number(/\{(\d+)\}/.exec(selector)?.[1]) * 1000;
}

/** Sets when the log of a ref was last written, in ms. */
export function stampLog(world: GitWorld, ref: string, at: number): void {
  stamp(join(world.repo, ".git", "logs", ref), at);
}

/** Sets when the commit at HEAD was written, in ms. */
export function stampHeadCommit(world: GitWorld, at: number): void {
  const hash = world.git("rev-parse", "HEAD");
  stamp(join(world.repo, ".git", "objects", hash.slice(0, 2), hash.slice(2)), at);
}

function stamp(path: string, at: number): void {
  utimesSync(path, statSync(path).atime, new Date(at));
}
