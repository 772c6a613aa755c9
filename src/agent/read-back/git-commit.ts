// `git commit`: done when the log of HEAD has a commit of this committer and message that is younger than the start;
// not done when HEAD stayed where it was and no commit was cut off in its middle. All between is unknown.
import { existsSync } from "node:fs";
import { type CommitWords, fitsWords, readCommitWords } from "./commit-words.ts";
import { gitCommand, type Repository, repositoryOf, wordsOf } from "./git-program.ts";
import { cannotBeRead, type ReadBack, type ReadContext, type Reader, unknown, verdictOf } from "./reader.ts";
import {
  isCommitYounger,
  isCutOff,
  isLogOlder,
  movesOf,
  movesSince,
  pathOf,
  type RefMove,
  secondOf,
} from "./reflog.ts";

export const gitCommitReader: Reader = {
  matches: (words) => gitCommand(words)?.name === "commit",
  read: readCommit,
};

async function readCommit(words: readonly string[], context: ReadContext): Promise<ReadBack> {
  const command = gitCommand(words);
  if (!command) return cannotBeRead();
  const repository = repositoryOf(command, context);
  const asked = await readCommitWords(command.args, repository.folder);
  if ("problem" in asked) return cannotBeRead(asked.problem);
  const lock = await pathOf(repository, "index.lock");
  if (lock === undefined) return unknown(wordsOf(await repository.ask("rev-parse", "--git-dir")));
  const isLocked = existsSync(lock);
  const head = await repository.ask("rev-parse", "--verify", "--quiet", "HEAD");
  if (head.kind === "no-answer") return unknown(wordsOf(head));
  if (head.code !== 0) return readFirstCommit(repository, isLocked);
  return readHead({ repository, head: head.stdout.trim(), isLocked, asked, startedAt: context.startedAt });
}

const LEFT_LOCKED = "index.lock was left behind";

async function readFirstCommit(repository: Repository, isLocked: boolean): Promise<ReadBack> {
  const log = await repository.ask("reflog", "exists", "HEAD");
  if (log.kind === "no-answer" || log.code !== 1) return unknown("HEAD has a history, but leads to no commit");
  return isLocked ? unknown(`no commit yet, and ${LEFT_LOCKED}`) : verdictOf("not-done", "HEAD has no commit yet");
}

interface HeadQuestion {
  readonly repository: Repository;
  /** Full hash. */
  readonly head: string;
  readonly isLocked: boolean;
  readonly asked: CommitWords;
  readonly startedAt: number;
}

async function readHead(question: HeadQuestion): Promise<ReadBack> {
  const { repository, head, isLocked } = question;
  const moves = await movesOf(repository, "HEAD");
  const [newest] = moves ?? [];
  if (!moves || !newest) return unknown("git keeps no log of HEAD here");
  if (newest.hash !== head) return unknown(`HEAD is not where its log says (${nameOf(newest)})`);
  const committer = await committerOf(repository);
  if (committer === undefined) return unknown("git does not say who would commit here");
  const fitting = fittingMoves(question, moves).filter(({ who }) => who === committer);
  const made = await oldestAfterStart(question, fitting);
  if (made) {
    const more = [...(made === newest ? [] : ["HEAD moved on since"]), ...(isLocked ? [LEFT_LOCKED] : [])];
    return verdictOf("done", [`commit ${nameOf(made)} is in the log of HEAD`, ...more].join("; "));
  }
  if (fitting.length > 0) return unknown(`commit ${fitting.map(nameOf).join(", ")} may be older than the start`);
  if (!(await hasStayed(question, moves)))
    return unknown(`HEAD moved about the start or later, and not by what was asked: ${newest.what} (${newest.short})`);
  if (isLocked) return unknown(`HEAD is still at ${nameOf(newest)}, but ${LEFT_LOCKED}`);
  return verdictOf("not-done", `HEAD is still at ${nameOf(newest)}, and nothing moved it since the start`);
}

async function committerOf(repository: Repository): Promise<string | undefined> {
  const ident = await repository.answer("var", "GIT_COMMITTER_IDENT");
  return ident?.replace(/ \d+ [+-]\d+$/, "");
}

function fittingMoves({ asked, startedAt }: HeadQuestion, moves: readonly RefMove[]): readonly RefMove[] {
  return movesSince(moves, startedAt).filter((move) => fitsWords(move, moves[moves.indexOf(move) + 1], asked));
}

async function oldestAfterStart(
  { repository, startedAt }: HeadQuestion,
  fitting: readonly RefMove[],
): Promise<RefMove | undefined> {
  for (const move of fitting.toReversed()) {
    const isClear = move.at > secondOf(startedAt);
    if (isClear || (await isCommitYounger(repository, move.hash, startedAt))) return move;
  }
  return undefined;
}

/** For a log that is no file, whole seconds have to do: none of them may be that of the start, or later. */
async function hasStayed({ repository, startedAt }: HeadQuestion, moves: readonly RefMove[]): Promise<boolean> {
  const since = movesSince(moves, startedAt);
  if (isCutOff(since) || since.some(({ at }) => at > secondOf(startedAt))) return false;
  return (await isLogOlder(repository, "HEAD", startedAt)) ?? since.length === 0;
}

function nameOf({ short, subject }: RefMove): string {
  return `${short} "${subject}"`;
}
