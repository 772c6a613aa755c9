// What is typed behind /loop (C 10.1): `[every] [interval] prompt [--times N] [--budget $] [--until text]`, or a control
// word. The prompt is taken as it stands, quotes and all; flags count wherever they stand, behind --until at the end. Pure.
import { nearestNames } from "../agent/tools/nearest-names.ts";
import { durationText, parseDuration } from "../config/durations.ts";

export interface LoopLimits {
  readonly minIntervalMs: number;
  readonly floorMs: number;
  readonly ceilingMs: number;
  /** 0: none. */
  readonly maxTicks: number;
}

export interface LoopWish {
  readonly text: string;
  readonly everyMs?: number;
  readonly times?: number;
  readonly until?: string;
  readonly budgetUsd?: number;
  /** Only as a program's argument: stays and runs it. */
  readonly isForeground: boolean;
}

export type LoopWords =
  | { readonly kind: "status" | "pause" | "stop" | "help" }
  | { readonly kind: "resume"; readonly isForeground: boolean }
  | { readonly kind: "start"; readonly wish: LoopWish }
  | { readonly kind: "wrong"; readonly problem: string };

const CONTROLS = {
  "": "status",
  status: "status",
  pause: "pause",
  resume: "resume",
  stop: "stop",
  clear: "stop",
  cancel: "stop",
  help: "help",
} as const;

export const LOOP_FLAGS = ["times", "until", "budget", "foreground"] as const;

export function parseLoop(typed: string, { minIntervalMs }: Pick<LoopLimits, "minIntervalMs">): LoopWords {
  const text = typed.trim();
  const { head, until } = splitUntil(text);
  const foreground = /(^|\s)--foreground(?=\s|$)/;
  const isForeground = foreground.test(head);
  const bare = head.replace(foreground, " ").trim();
  const control = until === undefined ? CONTROLS[bare.toLowerCase() as keyof typeof CONTROLS] : undefined;
  if (control === "resume") return { kind: control, isForeground };
  if (control !== undefined && (bare !== "" || !isForeground)) return { kind: control };
  if (until === "") return wrong("--until needs what has to be so.");
  const times = take(bare, "times");
  const budget = take(times.left, "budget");
  const { everyMs, prompt, problem } = intervalOf(budget.left.trim());
  if (problem !== undefined) return wrong(problem);
  const misspelled = misspelledIn(prompt);
  if (misspelled !== undefined) return wrong(misspelled);
  if (prompt === "") return wrong("A prompt is missing: what is to be done again and again?");
  if (everyMs !== undefined && everyMs < minIntervalMs)
    return wrong(
      `Every ${durationText(everyMs)} is too often: at least ${durationText(minIntervalMs)} (loops.minInterval).`,
    );
  if (times.value !== undefined && !/^[1-9]\d{0,8}$/.test(times.value))
    return wrong(`--times takes a whole number above 0, not ${JSON.stringify(times.value)}.`);
  const usd = budget.value?.replace(/^\$/, "");
  if (usd !== undefined && !(/^\d+(\.\d+)?$/.test(usd) && Number(usd) > 0))
    return wrong(`--budget takes US dollars, as 0.50, not ${JSON.stringify(budget.value)}.`);
  return {
    kind: "start",
    wish: {
      ...{ text: prompt, isForeground },
      ...(everyMs !== undefined && { everyMs }),
      ...(times.value !== undefined && { times: Number(times.value) }),
      ...(usd !== undefined && { budgetUsd: Number(usd) }),
      ...(until !== undefined && { until }),
    },
  };
}

function wrong(problem: string): LoopWords {
  return { kind: "wrong", problem };
}

/** A flag with its value, wherever it stands; the value is "" where there is none. */
function take(text: string, name: string): { readonly left: string; readonly value?: string } {
  const found = new RegExp(`(?:^|\\s)--${name}(?:=(\\S*)|(?:\\s+(\\S+))?)(?=\\s|$)`).exec(text);
  if (!found) return { left: text };
  const around = [text.slice(0, found.index), text.slice(found.index + found[0].length)];
  const left = around
    .map((each) => each.trim())
    .filter((each) => each !== "")
    .join(" ");
  return { left, value: found[1] ?? found[2] ?? "" };
}

/** A condition goes on to the end, or to the flags that end the line: those count as if they stood before it. */
function splitUntil(text: string): { readonly head: string; readonly until?: string } {
  const [, before, condition = ""] = /^([\s\S]*?)(?:^|\s)--until(?:=|\s+|$)([\s\S]*)$/.exec(text) ?? [];
  if (before === undefined) return { head: text };
  const flags = /(?:(?:^|\s+)--(?:foreground|(?:times|budget)(?:=|\s+)\S+))+\s*$/.exec(condition)?.[0] ?? "";
  const until = unquoted(condition.slice(0, condition.length - flags.length));
  return { head: `${before}${flags === "" ? "" : ` ${flags.trim()}`}`, until };
}

function unquoted(text: string): string {
  const bare = text.trim();
  return /^(["'])[\s\S]*\1$/.test(bare) && bare.length > 1 ? bare.slice(1, -1).trim() : bare;
}

interface Paced {
  readonly everyMs?: number;
  readonly prompt: string;
  readonly problem?: string;
}

const UNITS = { s: "s|secs?|seconds?", m: "m|mins?|minutes?", h: "h|hrs?|hours?", d: "d|days?" } as const;
const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const LONGEST_MS = 30 * UNIT_MS.d;
/** `10 min`, `2 hours`, `-5m`: what can be meant as nothing else. */
const SPELLED = new RegExp(
  `^(-?\\d+(?:\\.\\d+)?)\\s*(${Object.values(UNITS).join("|")})(?=\\s|$)\\s*([\\s\\S]*)$`,
  "i",
);

/** `every 5m …`, `5m …`, `10 min …`; a number without a unit belongs to the prompt, and so does `every` without an interval. */
function intervalOf(text: string): Paced {
  const asked = text.replace(/^every\s+/i, "");
  const [, first = "", rest = ""] = /^(\S+)(?:\s+([\s\S]*))?$/.exec(asked) ?? [];
  const compound = /^[\d.]+[dhms]/i.test(first) ? parseDuration(first) : undefined;
  if (compound !== undefined) return paced(compound, { asked: first, prompt: rest.trim() });
  const [whole, count = "", unit = "", prompt = ""] = SPELLED.exec(asked) ?? [];
  if (whole === undefined) return { prompt: text };
  const name = (Object.keys(UNITS) as (keyof typeof UNITS)[]).find((each) =>
    new RegExp(`^(?:${UNITS[each]})$`, "i").test(unit),
  );
  const everyMs = Math.round(Number(count) * UNIT_MS[name ?? "s"]);
  return paced(everyMs, { asked: `${count} ${unit}`, prompt: prompt.trim() });
}

function paced(everyMs: number, { asked, prompt }: { asked: string; prompt: string }): Paced {
  if (everyMs > 0 && everyMs <= LONGEST_MS) return { everyMs, prompt };
  return { prompt, problem: `${asked} is no interval: one is like 10m, 2h or 1h30m, at most 30 days.` };
}

/** At an end of the prompt, where flags stand: inside of it they may be what the prompt is about. */
function misspelledIn(prompt: string): string | undefined {
  const words = prompt.split(/\s+/);
  const flag = [words[0], words.at(-2), words.at(-1)].find((word) => word?.startsWith("--"));
  const nearest = flag === undefined ? [] : nearestNames(flag.slice(2).split("=")[0] ?? "", LOOP_FLAGS);
  return nearest.length === 0 ? undefined : `There is no flag ${flag}; nearest: --${nearest[0]}.`;
}
