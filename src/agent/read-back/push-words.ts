// What a `git push` command line sends where: the remote, and for each refspec a local ref and the name it gets there.
// Branches and tags by name only; everything wider (all, tags, deletions, patterns) is not understood.
import type { Repository } from "./git-program.ts";
import { lastValue, type OptionTable, splitOptions } from "./option-words.ts";

export interface PushWords {
  readonly remote: string;
  readonly targets: readonly PushTarget[];
  /** What is sent depends on the branch that was checked out at the start. */
  readonly followsHead: boolean;
}

export interface PushTarget {
  /** Full name of a ref, `HEAD`, or a full hash. */
  readonly local: string;
  /** Full name, or a short one that the remote's own refs complete. */
  readonly there: string;
}

export type PushWordsRead = PushWords | { readonly problem: string };

/** Not in it: what makes a dry run, and what sends or removes more than the refspecs say. */
const OPTIONS: OptionTable = {
  flags: [
    ...["-u", "--set-upstream", "-f", "--force", "--no-force-with-lease", "--force-if-includes", "-q", "--quiet"],
    ...["--no-force-if-includes", "-v", "--verbose", "--progress", "--no-progress", "--no-verify", "--verify"],
    ...["--porcelain", "-4", "--ipv4", "-6", "--ipv6", "--thin", "--no-thin", "--atomic", "--no-atomic"],
    ...["--no-signed", "--no-follow-tags"],
  ],
  values: ["-o", "--push-option", "--repo", "--receive-pack", "--exec"],
  optional: ["--force-with-lease", "--signed"],
};

type Config = ReadonlyMap<string, string>;

export async function readPushWords(args: readonly string[], repository: Repository): Promise<PushWordsRead> {
  const words = splitOptions(args, OPTIONS);
  if (!words.ok) return { problem: words.problem };
  const config = await readConfig(repository);
  if (!config) return { problem: "git's settings cannot be read" };
  const sendsTags = isTrue(config.get("push.followtags")) && !words.options.some((o) => o.name === "--no-follow-tags");
  if (sendsTags) return { problem: "push.followTags sends tags as well" };
  if (config.get("push.recursesubmodules") === "only") return { problem: "push.recurseSubmodules" };
  const branch = await repository.answer("symbolic-ref", "--quiet", "--short", "HEAD");
  const [named, ...refspecs] = words.operands;
  const remote = named ?? lastValue(words.options, "--repo") ?? (await usualRemote(repository, config, branch));
  if (config.has(`remote.${remote}.push`) && refspecs.length === 0) return { problem: `remote.${remote}.push` };
  if (isTrue(config.get(`remote.${remote}.mirror`))) return { problem: `remote.${remote}.mirror` };
  const targets =
    refspecs.length === 0
      ? [usualTarget(config, branch, remote)]
      : await Promise.all(joinTags(refspecs).map((refspec) => targetOf(refspec, repository, branch)));
  const unclear = targets.find((target) => typeof target === "string");
  if (unclear !== undefined) return { problem: unclear };
  const followsHead = refspecs.length === 0 || refspecs.some((refspec) => /^\+?(HEAD|@)(:|$)/.test(refspec));
  return { remote, targets: targets.filter((target) => typeof target !== "string"), followsHead };
}

async function readConfig(repository: Repository): Promise<Config | undefined> {
  const end = await repository.ask("config", "--null", "--get-regexp", "^(push|branch|remote)\\.");
  if (end.kind === "no-answer" || end.code > 1) return undefined; // 1: there are none
  const entries = end.stdout.split("\0").map((entry): [string, string] => {
    const end = entry.indexOf("\n");
    return end < 0 ? [entry, "true"] : [entry.slice(0, end), entry.slice(end + 1)];
  });
  return new Map(entries);
}

function isTrue(value: string | undefined): boolean {
  return value !== undefined && /^(true|yes|on|[1-9]\d*)$/i.test(value);
}

async function usualRemote(repository: Repository, config: Config, branch: string | undefined): Promise<string> {
  const set = config.get(`branch.${branch}.pushremote`) ?? config.get("remote.pushdefault");
  return set ?? (await fetchRemote(repository, config, branch));
}

async function fetchRemote(repository: Repository, config: Config, branch: string | undefined): Promise<string> {
  const set = config.get(`branch.${branch}.remote`);
  if (set !== undefined) return set;
  const [only, ...more] = (await repository.answer("remote"))?.split("\n") ?? [];
  return only && more.length === 0 ? only : "origin";
}

/** A text is the reason why there is none. */
function usualTarget(config: Config, branch: string | undefined, remote: string): PushTarget | string {
  if (branch === undefined) return "HEAD is on no branch";
  const mode = config.get("push.default") ?? "simple";
  const local = `refs/heads/${branch}`;
  const upstream = config.get(`branch.${branch}.merge`);
  if (mode === "current") return { local, there: local };
  if (mode === "upstream" || mode === "tracking")
    return upstream === undefined ? "the branch has no upstream" : { local, there: upstream };
  if (mode !== "simple") return `push.default ${mode}`;
  const isUpstream = config.get(`branch.${branch}.remote`) === remote;
  if (isUpstream && upstream !== undefined && upstream !== local) return "the upstream has another name";
  return { local, there: local };
}

/** `tag NAME` is two words for one refspec. */
function joinTags(refspecs: readonly string[]): readonly string[] {
  return refspecs.flatMap((refspec, at) => {
    if (refspec === "tag") return [];
    return refspecs[at - 1] === "tag" ? [`refs/tags/${refspec}:refs/tags/${refspec}`] : [refspec];
  });
}

async function targetOf(
  refspec: string,
  repository: Repository,
  branch: string | undefined,
): Promise<PushTarget | string> {
  const [source = "", there, ...more] = refspec.replace(/^\+/, "").split(":");
  if (source === "" || there === "" || more.length > 0 || /[*^~]|@\{/.test(refspec)) return `refspec ${refspec}`;
  const local = await localRef(source, repository, branch);
  if (local === undefined) return `${source} names no single branch or tag here`;
  if (there === undefined) return local.startsWith("refs/") ? { local, there: local } : `refspec ${refspec}`;
  return { local, there };
}

async function localRef(
  source: string,
  repository: Repository,
  branch: string | undefined,
): Promise<string | undefined> {
  if (source === "HEAD" || source === "@") return branch === undefined ? "HEAD" : `refs/heads/${branch}`;
  if (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(source)) return source;
  const names = [source, `refs/heads/${source}`, `refs/tags/${source}`].filter((name) => name.startsWith("refs/"));
  const known = (await repository.answer("for-each-ref", "--format=%(refname)", ...names))?.split("\n") ?? [];
  const [only, ...more] = known.filter((name) => names.includes(name));
  return more.length === 0 ? only : undefined;
}
