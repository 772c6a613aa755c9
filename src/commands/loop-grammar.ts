// What is typed behind /loop (C 10.1): `[every] [interval] prompt [--times N] [--budget $] [--until text]`, or a control
// word. The prompt is taken as it stands, quotes and all. Pure.
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

const FLAGS = ["times", "until", "budget", "foreground"];

export function parseLoop(typed: string, { minIntervalMs }: Pick<LoopLimits, "minIntervalMs">): LoopWords {
  const text = typed.trim();
  if (/^(?:resume\s+--foreground|--foreground\s+resume)$/i.test(text)) return { kind: "resume", isForeground: true };
  const control = CONTROLS[text.toLowerCase() as keyof typeof CONTROLS];
  if (control === "resume") return { kind: control, isForeground: false };
  if (control !== undefined) return { kind: control };
  const [, before = text, until] = /^([\s\S]*?)(?:^|\s)--until(?:=|\s+|$)([\s\S]*)$/.exec(text) ?? [];
  if (until !== undefined && until.trim() === "") return wrong("--until needs what has to be so.");
  const times = take(before, "times");
  const budget = take(times.left, "budget");
  const foreground = /(^|\s)--foreground(?=\s|$)/;
  const isForeground = foreground.test(budget.left);
  const { everyMs, prompt } = intervalOf(budget.left.replace(foreground, " ").trim());
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
      ...(until !== undefined && { until: until.trim() }),
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

/** `every 5m …`, `5m …`; a number without a unit belongs to the prompt, and so does `every` without an interval. */
function intervalOf(text: string): { readonly everyMs?: number; readonly prompt: string } {
  const [, interval = "", prompt = ""] = /^(?:every\s+)?(\S+)(?:\s+([\s\S]*))?$/i.exec(text) ?? [];
  const everyMs = /^[\d.]+[hms]/i.test(interval) ? parseDuration(interval) : undefined;
  return everyMs === undefined ? { prompt: text } : { everyMs, prompt: prompt.trim() };
}

/** At an end of the prompt, where flags stand: inside of it they may be what the prompt is about. */
function misspelledIn(prompt: string): string | undefined {
  const words = prompt.split(/\s+/);
  const flag = [words[0], words.at(-2), words.at(-1)].find((word) => word?.startsWith("--"));
  const nearest = flag === undefined ? [] : nearestNames(flag.slice(2).split("=")[0] ?? "", FLAGS);
  return nearest.length === 0 ? undefined : `There is no flag ${flag}; nearest: --${nearest[0]}.`;
}
