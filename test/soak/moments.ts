// When a process is killed: at a named crash point, or a random time after its start, after something it printed, or
// after the model's last word. Seeded like everything else; what is hit is judged afterwards.
import { type Line, pause, type Stele } from "./driver.ts";
import type { Random } from "./random.ts";
import type { Script } from "./script.ts";
import type { World } from "./world.ts";

export type Moment =
  | { readonly kind: "point"; readonly name: string }
  | { readonly kind: "start"; readonly ms: number }
  /** After a command had its effect, whatever is told about it. */
  | { readonly kind: "effect"; readonly ms: number }
  | { readonly kind: "line"; readonly matches: (line: Line) => boolean; readonly ms: number }
  | { readonly kind: "final"; readonly ms: number };

export function isStreaming(line: Line): boolean {
  return line["type"] === "text-delta";
}

/** A call has begun, of a tool whose name matches. */
export function isRunning(tool: RegExp): (line: Line) => boolean {
  return (line) => {
    const call = line["call"] as { tool: string; state: string } | undefined;
    return line["type"] === "call-changed" && call?.state === "running" && tool.test(call.tool);
  };
}

const FILE_POINTS = [
  "before:tool-run",
  "before:file-rename",
  "after:file-rename",
  "after:tool-run",
  "before:finish-call",
];
const PLANNED_POINTS = ["before:plan-change", "after:plan-change"];
const COMMAND_POINTS = ["before:tool-run", "after:tool-run", "after:start-call", "before:finish-call"];
const SUPERVISOR_POINTS = ["before:call-supervisor", "after:call-supervisor"];
const SETTLE_POINTS = ["before:settle", "before:settle", "after:settle"];
const REVERT_POINTS = ["file-revert", "mark-revert"];
/** Passed by every command that recovers, while something is open. */
const LEASE_POINTS = ["acquire-lease", "release-lease"];
/** Passed once the command is carried out. */
const VERDICT_POINTS: Readonly<Record<string, string>> = {
  settle: "settle-unknown",
  resume: "resume-unknown",
  call: "resolve-call",
};
const PROOF_POINTS = ["call-unknown", "prove-call"];

/** Between two steps of anything. */
const ANY_POINTS = [
  "admit",
  "claim",
  "ask-model",
  "append",
  "approve-call",
  "start-call",
  "finish-call",
  "release-lease",
];

export const moments = {
  streaming: (random: Random): Moment => ({ kind: "line", matches: isStreaming, ms: random.below(120) }),
  command(random: Random): Moment {
    if (random.chance(0.25)) return point(random, [...COMMAND_POINTS, ...SUPERVISOR_POINTS]);
    if (random.chance(0.7)) return { kind: "effect", ms: random.below(400) };
    return { kind: "line", matches: isRunning(/^shell$/), ms: random.below(100) };
  },
  fileWrite(random: Random): Moment {
    if (random.chance(0.7)) return point(random, [...FILE_POINTS, ...PLANNED_POINTS], 2);
    return { kind: "line", matches: isRunning(/_file$/), ms: random.below(8) };
  },
  settle(random: Random): Moment {
    return random.chance(0.7) ? point(random, SETTLE_POINTS) : { kind: "final", ms: random.below(6) };
  },
  undo(random: Random, [verb = ""]: readonly string[]): Moment {
    if (random.chance(0.15)) return { kind: "start", ms: random.between(200, 600) };
    return random.chance(0.3) ? point(random, around([verb])) : point(random, around(REVERT_POINTS), 2);
  },
  recovery(random: Random, [, verb = ""]: readonly string[]): Moment {
    if (random.chance(0.2)) return { kind: "start", ms: random.between(220, 500) };
    const own = VERDICT_POINTS[verb];
    if (own !== undefined && random.chance(0.5)) return point(random, around([own]));
    return point(random, around(random.chance(0.3) ? PROOF_POINTS : LEASE_POINTS));
  },
  any(random: Random): Moment {
    if (random.chance(0.3)) return point(random, around(ANY_POINTS), 3);
    return { kind: "start", ms: random.between(50, 2000) };
  },
} as const;

function around(names: readonly string[]): string[] {
  return names.flatMap((name) => [`before:${name}`, `after:${name}`]);
}

/** At one of the first `passes` times it is passed. */
function point(random: Random, names: readonly string[], passes = 1): Moment {
  const name = random.pick(names as [string, ...string[]]);
  return { kind: "point", name: `${name}@${random.between(1, passes)}` };
}

export function crashAt(moment: Moment): string {
  return moment.kind === "point" ? moment.name : "";
}

interface Scene {
  readonly script: Script;
  readonly world: World;
}

const POLL_MS = 5;

/** Resolves at the moment; false when the process ended before it. A crash point is the process's own matter. */
export async function reached(moment: Moment, stele: Stele, { script, world }: Scene): Promise<boolean> {
  switch (moment.kind) {
    case "point":
      await stele.ended;
      return false;
    case "start":
      await Promise.race([stele.ended, pause(moment.ms)]);
      return !stele.hasEnded;
    case "effect": {
      const before = world.effectCount;
      while (world.effectCount === before && !stele.hasEnded) await pause(POLL_MS);
      await Promise.race([stele.ended, pause(moment.ms)]);
      return !stele.hasEnded;
    }
    case "line": {
      if (!(await stele.until(moment.matches))) return false;
      await Promise.race([stele.ended, pause(moment.ms)]);
      return !stele.hasEnded;
    }
    case "final": {
      await Promise.race([stele.ended, script.nextFinal()]);
      await Promise.race([stele.ended, pause(moment.ms)]);
      return !stele.hasEnded;
    }
  }
}
