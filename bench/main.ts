// The command line of the benches: `npm run bench -- [--quick] [--json FILE] [names]`. One table; the exit code
// is 1 when a target was missed or a bench could not run, 2 on wrong usage.
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { benchAppend } from "./append.ts";
import { benchCompacted } from "./compacted.ts";
import { type Bench, type Figure, isMiss, verdict } from "./harness.ts";
import { benchMemory } from "./memory.ts";
import { benchOpenSession } from "./open-session.ts";
import { benchScreen } from "./screen.ts";
import { benchSearch } from "./search.ts";
import { benchSessionList } from "./session-list.ts";
import { benchFrame, benchVersion } from "./start.ts";
import { benchStream } from "./stream.ts";
import { benchStreamedMemory } from "./streamed-memory.ts";
import { benchTree } from "./tree.ts";

const BENCHES = {
  append: benchAppend,
  open: benchOpenSession,
  compacted: benchCompacted,
  tree: benchTree,
  lists: benchSessionList,
  search: benchSearch,
  memory: benchMemory,
  streamed: benchStreamedMemory,
  version: benchVersion,
  frame: benchFrame,
  stream: benchStream,
  screen: benchScreen,
} as const;
type Name = keyof typeof BENCHES;

interface Results {
  readonly figures: readonly Figure[];
  readonly failures: readonly string[];
}

export async function main(argv: string[], place: { root: string; folder: string }): Promise<number> {
  const asked = parse(argv);
  if (typeof asked === "string") {
    process.stderr.write(
      `${asked}\nusage: npm run bench -- [--quick] [--json FILE] [${Object.keys(BENCHES).join(" | ")}]…\n`,
    );
    return 2;
  }
  const results = await runAll(asked.names, { ...place, isQuick: asked.isQuick });
  process.stdout.write(`${table(results.figures)}\n`);
  for (const failure of results.failures) process.stderr.write(`${failure}\n`);
  if (asked.json !== undefined)
    writeFileSync(asked.json, `${JSON.stringify(record(asked.isQuick, results), null, 2)}\n`);
  return results.failures.length > 0 || results.figures.some(isMiss) ? 1 : 0;
}

function parse(argv: string[]): string | { names: readonly Name[]; isQuick: boolean; json?: string } {
  try {
    const options = { quick: { type: "boolean" }, json: { type: "string" } } as const;
    const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true });
    const unknown = positionals.find((name) => !Object.hasOwn(BENCHES, name));
    if (unknown !== undefined) return `there is no bench ${unknown}`;
    const names = (positionals.length > 0 ? positionals : Object.keys(BENCHES)) as Name[];
    return { names, isQuick: values.quick === true, ...(values.json !== undefined && { json: values.json }) };
  } catch (error) {
    return (error as Error).message;
  }
}

async function runAll(names: readonly Name[], bench: Bench): Promise<Results> {
  const figures: Figure[] = [];
  const failures: string[] = [];
  for (const name of names) {
    process.stderr.write(`${name} …\n`);
    try {
      figures.push(...(await BENCHES[name](bench)));
    } catch (error) {
      // The other benches still say something; this one fails the run.
      failures.push(`${name} failed: ${(error as Error).stack}`);
    }
  }
  return { figures, failures };
}

function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.what,
    figure.ratio.toFixed(2),
    figure.target === undefined ? "" : `<= ${figure.target}`,
    verdict(figure),
    amount(figure.median, figure),
    `${amount(figure.base.median, figure)} ${figure.base.name}`,
  ]);
  const lines = [["what", "ratio", "target", "", "median", "beside"], ...rows];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function amount(value: number, { unit }: Figure): string {
  return `${value.toFixed(unit === "µs" ? 0 : 1)} ${unit}`;
}

function record(isQuick: boolean, { figures, failures }: Results) {
  const machine = { node: process.version, platform: process.platform, arch: process.arch, cpus: cpus().length };
  return { ...machine, isQuick, failures, figures: figures.map((each) => ({ ...each, verdict: verdict(each) })) };
}
