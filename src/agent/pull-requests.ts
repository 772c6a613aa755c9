// Pull requests of the branches that sessions work on, as `gh` knows them where it is installed: one call a repository,
// remembered for some minutes. Never for a trunk, never one from a fork. Whatever goes wrong, there are none.
import { execFile } from "node:child_process";
import { promisify } from "node:util";

export interface PullRequest {
  readonly number: number;
  readonly state: "open" | "merged" | "closed";
  readonly url: string;
}

export interface BranchOf {
  readonly gitRoot?: string;
  readonly gitBranch?: string;
}

type ByBranch = ReadonlyMap<string, PullRequest>;

/** In ms: how long an answer is good, and how long one is waited for. */
const GOOD_FOR_MS = 5 * 60_000;
const PATIENCE_MS = 5_000;
/** Of one list: the newest. */
const REPOSITORIES = 8;
const TRUNKS = ["main", "master"];
const FIELDS = "headRefName,state,url,number,isCrossRepository";

const run = promisify(execFile);

export class PullRequests {
  readonly #env: NodeJS.ProcessEnv;
  readonly #now: () => number;
  readonly #known = new Map<string, { readonly at: number; readonly branches: ByBranch }>();

  constructor({ env, now }: { env: NodeJS.ProcessEnv; now: () => number }) {
    this.#env = { ...env, GH_PROMPT_DISABLED: "1", GH_NO_UPDATE_NOTIFIER: "1", NO_COLOR: "1" };
    this.#now = now;
  }

  /** From memory: asks nobody. */
  of({ gitRoot, gitBranch }: BranchOf): PullRequest | undefined {
    if (gitRoot === undefined || gitBranch === undefined) return undefined;
    return this.#known.get(gitRoot)?.branches.get(gitBranch);
  }

  /** Asks about repositories that nothing, or nothing new, is known of. True when `of` may answer otherwise now. */
  async look(branches: readonly BranchOf[]): Promise<boolean> {
    const roots = new Set<string>();
    for (const { gitRoot, gitBranch } of branches)
      if (gitRoot !== undefined && gitBranch !== undefined && !TRUNKS.includes(gitBranch)) roots.add(gitRoot);
    const stale = [...roots].slice(0, REPOSITORIES).filter((root) => !this.#isGood(root));
    for (const root of stale) this.#known.set(root, { at: this.#now(), branches: await this.#ask(root) });
    return stale.length > 0;
  }

  #isGood(root: string): boolean {
    const known = this.#known.get(root);
    return known !== undefined && this.#now() - known.at < GOOD_FOR_MS;
  }

  async #ask(root: string): Promise<ByBranch> {
    try {
      const listed = await this.#call("gh", ["pr", "list", "--json", FIELDS, "--state", "all", "--limit", "100"], root);
      const trunk = await this.#defaultBranch(root);
      return byBranch(JSON.parse(listed), [...TRUNKS, ...trunk]);
    } catch {
      return new Map(); // no gh, not signed in, no remote, no network: there is nothing to show
    }
  }

  async #defaultBranch(root: string): Promise<readonly string[]> {
    try {
      const named = await this.#call("git", ["symbolic-ref", "--short", "refs/remotes/origin/HEAD"], root);
      return [named.trim().replace(/^origin\//, "")];
    } catch {
      return []; // not known: the usual names are left out all the same
    }
  }

  async #call(command: string, args: readonly string[], cwd: string): Promise<string> {
    const asked = run(command, args, { cwd, env: this.#env, timeout: PATIENCE_MS, maxBuffer: 4_000_000 });
    asked.child.stdin?.end();
    return (await asked).stdout;
  }
}

/** Of several of one branch the open one, else the newest, which comes first. */
function byBranch(listed: unknown, trunks: readonly string[]): ByBranch {
  const found = new Map<string, PullRequest>();
  for (const each of Array.isArray(listed) ? (listed as readonly unknown[]) : []) {
    const pull = pullRequest(each);
    if (!pull || trunks.includes(pull.branch)) continue;
    const { branch, ...rest } = pull;
    const before = found.get(branch);
    if (!before || (before.state !== "open" && rest.state === "open")) found.set(branch, rest);
  }
  return found;
}

function pullRequest(value: unknown): (PullRequest & { readonly branch: string }) | undefined {
  const { headRefName: branch, state, url, number, isCrossRepository } = (value ?? {}) as Record<string, unknown>;
  const word = typeof state === "string" ? state.toLowerCase() : "";
  if (isCrossRepository !== false || typeof branch !== "string" || typeof number !== "number") return undefined;
  if (typeof url !== "string" || !url.startsWith("https://")) return undefined;
  if (word !== "open" && word !== "merged" && word !== "closed") return undefined;
  return { branch, state: word, url, number };
}
