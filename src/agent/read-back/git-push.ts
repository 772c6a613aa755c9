// `git push`: asks the remote where its ref is. There where the local one was at the start: done; behind it, or
// absent: not done. A remote that does not answer, or that went another way, leaves it unknown.
import { gitCommand, type Repository, repositoryOf, wordsOf } from "./git-program.ts";
import { type PushTarget, type PushWords, readPushWords } from "./push-words.ts";
import { cannotBeRead, type ReadBack, type ReadContext, type Reader, unknown, verdictOf } from "./reader.ts";
import { isLogOlder, mayHaveSwitched, movesOf, movesSince, secondOf } from "./reflog.ts";

export const gitPushReader: Reader = {
  matches: (words) => gitCommand(words)?.name === "push",
  read: readPush,
};

async function readPush(words: readonly string[], context: ReadContext): Promise<ReadBack> {
  const command = gitCommand(words);
  if (!command) return cannotBeRead();
  const repository = repositoryOf(command, context);
  const git = await repository.ask("rev-parse", "--git-dir");
  if (git.kind === "no-answer" || git.code !== 0) return unknown(wordsOf(git));
  const push = await readPushWords(command.args, repository);
  if ("problem" in push) return cannotBeRead(push.problem);
  if (push.followsHead && (await mayHaveSwitched(repository, context.startedAt)))
    return unknown("which branch was checked out at the start is not sure");
  const there = await askRemote(repository, push);
  if (typeof there === "string") return unknown(there);
  const verdicts: ReadBack[] = [];
  for (const target of push.targets)
    verdicts.push(await judge({ repository, remote: push.remote, target, there, startedAt: context.startedAt }));
  return together(verdicts);
}

type RemoteRefs = ReadonlyMap<string, string>;

/** A text is the reason why they cannot be had. */
async function askRemote(repository: Repository, { remote, targets }: PushWords): Promise<RemoteRefs | string> {
  const address = await pushAddress(repository, remote);
  if (address === undefined) return `${remote} has several addresses to push to`;
  const names = targets.flatMap(({ there }) => fullNames(there));
  const end = await repository.askRemote("ls-remote", "--quiet", "--", address, ...names);
  if (end.kind === "no-answer" || end.code !== 0) return `${remote} cannot be asked: ${wordsOf(end)}`;
  const lines = end.stdout.split("\n").map((line): [string, string] => {
    const [hash = "", name = ""] = line.split("\t");
    return [name, hash];
  });
  return new Map(lines.filter(([name]) => names.includes(name)));
}

/** The remote's name where it is read from where it is pushed to; else the address. */
async function pushAddress(repository: Repository, remote: string): Promise<string | undefined> {
  const push = await repository.answer("remote", "get-url", "--push", "--all", "--", remote);
  if (push === undefined) return remote; // no remote of that name: an address or a path
  if (push.includes("\n")) return undefined;
  return (await repository.answer("remote", "get-url", "--", remote)) === push ? remote : push;
}

function fullNames(name: string): readonly string[] {
  return name.startsWith("refs/") ? [name] : [`refs/heads/${name}`, `refs/tags/${name}`];
}

interface RefQuestion {
  readonly repository: Repository;
  readonly remote: string;
  readonly target: PushTarget;
  readonly there: RemoteRefs;
  readonly startedAt: number;
}

async function judge(question: RefQuestion): Promise<ReadBack> {
  const { repository, remote, target, there } = question;
  const names = fullNames(target.there);
  // Others can be accepted by a server without ever being listed.
  if (!names.every((name) => /^refs\/(heads|tags)\/./.test(name))) return cannotBeRead(`refspec to ${target.there}`);
  const [name, ...more] = names.filter((full) => there.has(full));
  if (more.length > 0) return unknown(`${remote} has a branch and a tag ${target.there}`);
  const local = await localValues(question);
  if (!local) return unknown(`${target.local} cannot be read here`);
  const value = name === undefined ? undefined : there.get(name);
  if (value === undefined) return verdictOf("not-done", `${remote} has no ${target.there}`);
  const isThere = `${remote} has ${name} at ${short(value)}`;
  if (value === local.now) return verdictOf("done", `${isThere}, as it is here`);
  const [then, ...others] = local.then;
  if (value === then && others.length === 0) return verdictOf("done", `${isThere}, as it was here at the start`);
  const where = `${isThere}, here it is at ${short(local.now)}`;
  if (await isBehindAll(repository, value, local.then)) return verdictOf("not-done", `${where}, which is further`);
  return unknown(then === local.now && others.length === 0 ? where : `${where} and moved about the start or later`);
}

interface LocalValues {
  /** Full hashes. */
  readonly now: string;
  /** All that it may have been at the start. */
  readonly then: readonly string[];
}

async function localValues({ repository, target, startedAt }: RefQuestion): Promise<LocalValues | undefined> {
  const now = await repository.answer("rev-parse", "--verify", "--quiet", target.local);
  if (now === undefined) return undefined;
  const stayed = { now, then: [now] };
  if (target.local !== "HEAD" && !target.local.startsWith("refs/")) return stayed;
  const moves = await movesOf(repository, target.local);
  if (!moves) return undefined;
  const since = movesSince(moves, startedAt);
  if (since.length === 0) return stayed;
  const about = since.filter(({ at }) => at === secondOf(startedAt));
  if (about.length === since.length && (await isLogOlder(repository, target.local, startedAt))) return stayed;
  const before = moves.slice(since.length, since.length + 1);
  return { now, then: [...new Set([...about, ...before].map(({ hash }) => hash))] };
}

async function isBehindAll(repository: Repository, value: string, local: readonly string[]): Promise<boolean> {
  for (const hash of local) {
    if (hash === value) return false;
    // Fails as well when the remote has what is not known here.
    if ((await repository.answer("merge-base", "--is-ancestor", value, hash)) === undefined) return false;
  }
  return local.length > 0;
}

function short(hash: string): string {
  return hash.slice(0, 10);
}

function together(verdicts: readonly ReadBack[]): ReadBack {
  const [first] = verdicts;
  if (!first) return cannotBeRead();
  const evidence = verdicts.map((verdict) => verdict.evidence).join("; ");
  const isOne = verdicts.every(({ verdict }) => verdict === first.verdict);
  return isOne ? verdictOf(first.verdict, evidence) : unknown(evidence);
}
