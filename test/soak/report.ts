// What a soak came to, as a table for people and as data for scripts.
import { COUNTS, type Count, type Finding } from "./findings.ts";
import { HITS, type Hit } from "./kills.ts";

export interface Judged {
  readonly n: number;
  readonly act: string;
  readonly hits: readonly Hit[];
  /** Processes that were stopped while another one went on with their turn. */
  readonly overtaken: number;
  readonly findings: readonly Finding[];
  /** Why it could not be judged to its end. */
  readonly problems: readonly string[];
  /** What killed edits left beside the files. */
  readonly temporaryFiles: number;
  /** Where its home and work folder can be looked into. */
  kept?: string;
}

export interface Soak {
  readonly runs: number;
  readonly seed: number;
  readonly seconds: number;
  /** The rule that was switched off. */
  readonly broken?: string;
  readonly judged: readonly Judged[];
}

const SHOWN_CASES = 8;

export function isSuspicious({ findings, problems }: Judged): boolean {
  return findings.length > 0 || problems.length > 0;
}

/** Without a broken rule nothing may be found, and every run has to come to its end; with one, something has to be. */
export function exitCode({ judged, broken }: Soak): number {
  const isFound = judged.some(({ findings }) => findings.length > 0);
  if (broken !== undefined) return isFound ? 0 : 1;
  return judged.some(isSuspicious) ? 1 : 0;
}

function counted({ judged }: Soak, count: Count): number {
  return judged.flatMap(({ findings }) => findings).filter((each) => each.count === count).length;
}

function hit({ judged }: Soak, wanted: Hit): number {
  return judged.flatMap(({ hits }) => hits).filter((each) => each === wanted).length;
}

function brokenOff({ judged }: Soak): number {
  return judged.filter(({ problems }) => problems.length > 0).length;
}

function sum({ judged }: Soak, of: (each: Judged) => number): number {
  return judged.reduce((total, each) => total + of(each), 0);
}

function overtaken(soak: Soak): number {
  return sum(soak, (each) => each.overtaken);
}

function temporaryFiles(soak: Soak): number {
  return sum(soak, (each) => each.temporaryFiles);
}

export function table(soak: Soak): string {
  const kills = soak.judged.flatMap(({ hits }) => hits).length;
  const rule = soak.broken === undefined ? "must be zero" : `with the rule “${soak.broken}” switched off`;
  const rows = (names: readonly string[], of: (name: never) => number) =>
    names.map((name) => `  ${name.padEnd(36)}${String(of(name as never)).padStart(5)}`);
  return [
    `soak: ${soak.runs} runs, ${kills} kills, seed ${soak.seed}, ${soak.seconds.toFixed(0)} s`,
    "",
    rule,
    ...rows(COUNTS, (count: Count) => counted(soak, count)),
    ...rows(["runs that broke off"], () => brokenOff(soak)),
    "",
    "kills hit",
    ...rows(HITS, (name: Hit) => hit(soak, name)),
    "",
    `processes stopped and overtaken by another: ${overtaken(soak)}`,
    `temporary files that kills left in work folders: ${temporaryFiles(soak)}`,
    ...cases(soak),
  ].join("\n");
}

function cases({ judged, seed }: Soak): string[] {
  const found = judged.filter(isSuspicious);
  if (found.length === 0) return [];
  const lines = found
    .slice(0, SHOWN_CASES)
    .flatMap(({ n, act, findings, problems, kept }) => [
      `  run ${n} of seed ${seed} (${act})${kept === undefined ? "" : `, kept in ${kept}`}`,
      ...findings.map(({ count, what }) => `    ${count}: ${what}`),
      ...problems.map((problem) => `    broke off: ${problem}`),
    ]);
  return ["", `found in ${found.length} runs, the first of them`, ...lines];
}

export function record(soak: Soak): object {
  const { runs, seed, seconds, broken, judged } = soak;
  return {
    runs,
    seed,
    seconds: Math.round(seconds),
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    ...(broken !== undefined && { broken }),
    found: Object.fromEntries(COUNTS.map((count) => [count, counted(soak, count)])),
    brokenOff: brokenOff(soak),
    kills: Object.fromEntries(HITS.map((name) => [name, hit(soak, name)])),
    overtaken: overtaken(soak),
    temporaryFiles: temporaryFiles(soak),
    cases: judged.filter(isSuspicious),
  };
}
