// `gh pr create`: asks GitHub, through gh, for the pull request of the branch. One that was created about the start or
// later is it; none, or only finished older ones, means not done. No gh, or a gh that fails, leaves it unknown.
import * as z from "zod";
import { QUIET, repositoryOf } from "./git-program.ts";
import { lastValue, type OptionTable, splitOptions } from "./option-words.ts";
import { cannotBeRead, type ReadBack, type ReadContext, type Reader, unknown, verdictOf } from "./reader.ts";
import { mayHaveSwitched } from "./reflog.ts";
import { type ProgramEnd, runProgram } from "./run-program.ts";

export const ghPrCreateReader: Reader = {
  matches: ([program, subject, verb]) => program === "gh" && subject === "pr" && (verb === "create" || verb === "new"),
  read: readCreate,
};

/** Not in it: a dry run, the browser, and what asks questions. */
const OPTIONS: OptionTable = {
  flags: ["-d", "--draft", "-f", "--fill", "--fill-first", "--fill-verbose", "--no-maintainer-edit"],
  values: [
    ...["-a", "--assignee", "-B", "--base", "-b", "--body", "-F", "--body-file", "-H", "--head", "-l", "--label"],
    ...["-m", "--milestone", "-p", "--project", "-R", "--repo", "-r", "--reviewer", "-T", "--template"],
    ...["-t", "--title"],
  ],
  optional: [],
};

async function readCreate([, , , ...args]: readonly string[], context: ReadContext): Promise<ReadBack> {
  const words = splitOptions(args, OPTIONS);
  if (!words.ok) return cannotBeRead(words.problem);
  if (words.operands.length > 0) return cannotBeRead(words.operands[0]);
  const head = lastValue(words.options, "-H", "--head");
  const repo = lastValue(words.options, "-R", "--repo");
  const git = repositoryOf({ folders: [], identity: [] }, context);
  if (head === undefined && (await mayHaveSwitched(git, context.startedAt)))
    return unknown("which branch was checked out at the start is not sure");
  // With --repo, gh does not look at the branch that is checked out.
  const branch = head ?? (repo === undefined ? undefined : await git.answer("symbolic-ref", "--short", "HEAD"));
  if (repo !== undefined && branch === undefined) return unknown("HEAD is on no branch");
  if (branch?.startsWith("-")) return cannotBeRead(branch);
  const end = await runProgram({
    program: "gh",
    args: [
      ...["pr", "view", ...(branch === undefined ? [] : [branch])],
      ...["--json", "url,state,createdAt,headRefName"],
      ...(repo === undefined ? [] : ["--repo", repo]),
    ],
    cwd: context.cwd,
    env: { ...QUIET, ...QUIET_GH },
    ...(context.signal && { signal: context.signal }),
  });
  return judge(end, { startedAt: context.startedAt, ...(branch !== undefined && { branch }) });
}

const QUIET_GH = {
  GH_PROMPT_DISABLED: "1",
  GH_NO_UPDATE_NOTIFIER: "1",
  GH_FORCE_TTY: undefined,
  GH_DEBUG: undefined,
  GH_PAGER: "cat",
  NO_COLOR: "1",
  CLICOLOR_FORCE: undefined,
};

/** GitHub's clock and this one may differ. */
const CLOCK_SLACK_MS = 60_000;

const pullRequest = z.object({
  url: z.string(),
  state: z.string(),
  createdAt: z.iso.datetime({ offset: true }),
  headRefName: z.string(),
});

interface Asked {
  readonly startedAt: number;
  /** As gh was asked for it, perhaps with `owner:`. */
  readonly branch?: string;
}

function judge(end: ProgramEnd, { startedAt, branch }: Asked): ReadBack {
  if (end.kind === "no-answer") return unknown(end.problem);
  const words = end.stderr.split("\n").find((line) => line.trim() !== "") ?? `gh ended with exit ${end.code}`;
  if (end.code === 1 && /^no pull requests found/.test(words)) return verdictOf("not-done", words);
  if (end.code !== 0) return unknown(words);
  const found = parseAnswer(end.stdout);
  if (!found) return unknown("gh gave an answer that is not understood");
  const { url, state, createdAt, headRefName } = found;
  if (branch !== undefined && headRefName !== branch.slice(branch.indexOf(":") + 1))
    return unknown(`gh found the pull request of another branch: ${url}`);
  if (Date.parse(createdAt) >= startedAt - CLOCK_SLACK_MS) return verdictOf("done", `${url}, created ${createdAt}`);
  // Of several, gh names an open one first, else the youngest.
  if (state === "OPEN") return unknown(`an older pull request of this branch is open: ${url}, created ${createdAt}`);
  return verdictOf("not-done", `the youngest pull request of this branch is older: ${url}, created ${createdAt}`);
}

function parseAnswer(text: string): z.infer<typeof pullRequest> | undefined {
  try {
    return pullRequest.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // not JSON
  }
}
