// The settings in force and what they are when nobody set them. Every other module gets a `Config`, never a file.

import type { Rules } from "../agent/approvals.ts";
import type { ModelsConfig } from "../agent/models/catalogue.ts";
import type { ProviderConfig } from "../agent/models/providers.ts";
import { RETRY_LIMIT } from "../agent/retry-policy.ts";
import type { ApprovalMode } from "../ledger/types.ts";

export const APPROVAL_MODES = ["plan", "ask", "edits", "auto"] as const satisfies readonly ApprovalMode[];
export const THEMES = ["auto", "light", "dark", "none"] as const;
export type ThemeName = (typeof THEMES)[number];
export const MOTIONS = ["full", "reduced"] as const;
export type Motion = (typeof MOTIONS)[number];
export const NOTIFIES = ["off", "bell", "desktop"] as const;
export type NotifyName = (typeof NOTIFIES)[number];

export const TITLES = ["model", "off"] as const;
export type TitlesName = (typeof TITLES)[number];

/** Chords by the action they are bound to, instead of those that it has by itself. */
export type KeySettings = Readonly<Record<string, string | readonly string[]>>;

export interface Config {
  /** What is known of models, by `provider/model`; before the catalogue. */
  readonly models: ModelsConfig;
  /** `provider/model` or an alias; absent: the first that can be used. */
  readonly model?: string;
  /** The same; answers a turn whose model does not. */
  readonly fallback?: string;
  /** When a conversation is compacted unasked (`at`: percent of the window), and by which model. */
  readonly compaction: { readonly auto: boolean; readonly at: number; readonly model?: string };
  /** How often a request that failed is made again. */
  readonly retries: number;
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  readonly aliases: Readonly<Record<string, string>>;
  readonly approval: Rules & { readonly mode: ApprovalMode };
  /** Floor and ceiling: of the time between two ticks of a loop that has no interval. */
  readonly loops: {
    readonly minIntervalMs: number;
    readonly floorMs: number;
    readonly ceilingMs: number;
    readonly maxTicks: number;
  };
  /** US dollars; absent: no limit. */
  readonly limits: { readonly turnUsd?: number; readonly dayUsd?: number; readonly sessionUsd?: number };
  readonly theme: ThemeName;
  readonly motion: Motion;
  /** The terminal's title says which conversation is open. */
  readonly title: boolean;
  /** Whether a model gives a conversation a better title than its first words. */
  readonly titles: TitlesName;
  /** When a long turn ends or asks. */
  readonly notify: NotifyName;
  readonly keys: KeySettings;
  /** Files of the project that the model is told, relative to its folder. */
  readonly contextFiles: readonly string[];
}

export const DEFAULTS: Config = {
  compaction: { auto: true, at: 80 },
  retries: RETRY_LIMIT,
  models: {},
  providers: {},
  aliases: {},
  approval: { mode: "ask", allow: [], deny: [] },
  loops: { minIntervalMs: 30_000, floorMs: 60_000, ceilingMs: 900_000, maxTicks: 100 },
  limits: {},
  theme: "auto",
  motion: "full",
  title: true,
  titles: "model",
  notify: "off",
  keys: {},
  contextFiles: ["AGENTS.md"],
};

/** `DEFAULTS` as a person would have written them. */
export const DEFAULTS_AS_WRITTEN: Readonly<Record<string, unknown>> = {
  compaction: { auto: true, at: 80 },
  retries: RETRY_LIMIT,
  approval: { mode: "ask", allow: [], deny: [] },
  loops: { minInterval: "30s", paceFloor: "1m", paceCeiling: "15m", maxTicks: 100 },
  theme: "auto",
  motion: "full",
  title: true,
  titles: "model",
  notify: "off",
  contextFiles: ["AGENTS.md"],
};

/** What one file, the environment or the flags set. */
export interface ConfigLayer {
  readonly model?: string | undefined;
  readonly fallback?: string | undefined;
  readonly compaction?:
    | { readonly auto?: boolean | undefined; readonly at?: number | undefined; readonly model?: string | undefined }
    | undefined;
  readonly retries?: number | undefined;
  readonly models?: ModelsConfig | undefined;
  readonly providers?: Readonly<Record<string, ProviderConfig>> | undefined;
  readonly aliases?: Readonly<Record<string, string>> | undefined;
  readonly approval?: ({ readonly mode?: ApprovalMode | undefined } & Partial<Rules>) | undefined;
  readonly loops?:
    | {
        readonly minInterval?: number | undefined;
        readonly paceFloor?: number | undefined;
        readonly paceCeiling?: number | undefined;
        readonly maxTicks?: number | undefined;
      }
    | undefined;
  readonly limits?: Config["limits"] | undefined;
  readonly theme?: ThemeName | undefined;
  readonly motion?: Motion | undefined;
  readonly title?: boolean | undefined;
  readonly titles?: TitlesName | undefined;
  readonly notify?: NotifyName | undefined;
  readonly keys?: KeySettings | undefined;
  readonly contextFiles?: readonly string[] | undefined;
}

/** The layer's values on top; lists of rules grow, for a rule of a lower layer is not taken back by silence. */
export function applyLayer(config: Config, layer: ConfigLayer): Config {
  const { approval, loops } = layer;
  const model = layer.model ?? config.model;
  const fallback = layer.fallback ?? config.fallback;
  return {
    ...(model === undefined ? {} : { model }),
    ...(fallback === undefined ? {} : { fallback }),
    compaction: compactionOf(config.compaction, layer.compaction),
    retries: layer.retries ?? config.retries,
    models: { ...config.models, ...layer.models },
    providers: { ...config.providers, ...layer.providers },
    aliases: { ...config.aliases, ...layer.aliases },
    approval: {
      mode: approval?.mode ?? config.approval.mode,
      allow: [...config.approval.allow, ...(approval?.allow ?? [])],
      deny: [...config.approval.deny, ...(approval?.deny ?? [])],
    },
    loops: loopsOf(config.loops, loops),
    limits: { ...config.limits, ...layer.limits },
    theme: layer.theme ?? config.theme,
    motion: layer.motion ?? config.motion,
    title: layer.title ?? config.title,
    titles: layer.titles ?? config.titles,
    notify: layer.notify ?? config.notify,
    keys: { ...config.keys, ...layer.keys },
    contextFiles: layer.contextFiles ?? config.contextFiles,
  };
}

/** A ceiling that is set below the floor is one with it. */
function loopsOf(config: Config["loops"], layer: ConfigLayer["loops"]): Config["loops"] {
  const floorMs = layer?.paceFloor ?? config.floorMs;
  return {
    minIntervalMs: layer?.minInterval ?? config.minIntervalMs,
    floorMs,
    ceilingMs: Math.max(floorMs, layer?.paceCeiling ?? config.ceilingMs),
    maxTicks: layer?.maxTicks ?? config.maxTicks,
  };
}

function compactionOf(config: Config["compaction"], layer: ConfigLayer["compaction"]): Config["compaction"] {
  const model = layer?.model ?? config.model;
  return {
    auto: layer?.auto ?? config.auto,
    at: layer?.at ?? config.at,
    ...(model !== undefined && { model }),
  };
}
