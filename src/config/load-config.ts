// The settings in force: defaults, config.json, the project's .stele.json, STELE_MODEL, flags; the later wins.
// Without a file nothing of zod is loaded; with one it is imported here, so a front end that paints before it awaits
// this paints early in both cases. A bad file is an answer, never an exception.
import path from "node:path";
import type { ApprovalMode } from "../ledger/types.ts";
import {
  applyLayer,
  type Config,
  type ConfigLayer,
  DEFAULTS,
  DEFAULTS_AS_WRITTEN,
  type KeySettings,
  type ThemeName,
} from "./config.ts";
import type { Home } from "./home.ts";
import { type Failure, readJsonFile } from "./json-file.ts";
import { findProjectFile } from "./project-file.ts";
import type { Ignored } from "./project-layer.ts";
import type { ConfigIssue } from "./schema.ts";
import { listSources, type Sources, type WrittenLayer } from "./sources.ts";
import { type ProjectIdentity, type TrustAnswer, trustOf } from "./trust.ts";

export interface ConfigRequest {
  readonly home: Pick<Home, "configFile" | "trustFile">;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: ConfigFlags;
  /** What is wrong with the keys that were chosen; of the screen, which knows the actions. Absent: not looked at. */
  readonly keyIssues?: (keys: KeySettings) => Promise<readonly ConfigIssue[]>;
}

export interface ConfigFlags {
  readonly model?: string;
  readonly approvalMode?: ApprovalMode;
  readonly theme?: ThemeName;
}

/** `unasked`: there are values in `ignored` that only a person's yes would let in. */
export type ProjectTrust =
  | { readonly state: "no-file" }
  | (ProjectIdentity & { readonly state: "not-needed" | "unasked" | TrustAnswer; readonly file: string });

export type LoadedConfig =
  | {
      readonly ok: true;
      readonly config: Config;
      readonly sources: Sources;
      /** Of the project file. */
      readonly ignored: readonly Ignored[];
      readonly trust: ProjectTrust;
    }
  | Failure;

type Layer = WrittenLayer & { readonly layer: ConfigLayer };
interface FoundProject {
  readonly ok: true;
  readonly layers: readonly Layer[];
  readonly ignored: readonly Ignored[];
  readonly trust: ProjectTrust;
}

export async function loadConfig(request: ConfigRequest): Promise<LoadedConfig> {
  const person = await readPersonLayers(request.home.configFile, request.keyIssues);
  if (!person.ok) return person;
  const mode = inForce(person.layers).approval.mode;
  const project = await readProject(request, mode);
  if (!project.ok) return project;
  const layers = [...person.layers, ...project.layers, ...environmentLayers(request.env), flagLayer(request.flags)];
  return {
    ok: true,
    config: inForce(layers),
    sources: listSources([
      { from: "default", written: DEFAULTS_AS_WRITTEN },
      ...layers.map(({ from, file, written }) => ({ from, written, ...(file === undefined ? {} : { file }) })),
    ]),
    ignored: project.ignored,
    trust: project.trust,
  };
}

function inForce(layers: readonly Layer[]): Config {
  return layers.reduce((config, { layer }) => applyLayer(config, layer), DEFAULTS);
}

async function readPersonLayers(
  file: string,
  keyIssues: ConfigRequest["keyIssues"],
): Promise<{ readonly ok: true; readonly layers: Layer[] } | Failure> {
  const read = await readJsonFile(file);
  if (!read.ok) return read;
  if (!read.isThere) return { ok: true, layers: [] };
  const [{ checkConfig }, { describeIssues }] = await Promise.all([
    import("./schema.ts"),
    import("./config-issues.ts"),
  ]);
  const checked = checkConfig(read.value);
  const issues = checked.ok ? ((await keyIssues?.(checked.layer.keys ?? {})) ?? []) : checked.issues;
  if (!checked.ok || issues.length > 0) return describeIssues(file, read.value, issues);
  return { ok: true, layers: [{ from: "config file", file, layer: checked.layer, written: read.value }] };
}

async function readProject(request: ConfigRequest, mode: ApprovalMode): Promise<FoundProject | Failure> {
  const none: FoundProject = { ok: true, layers: [], ignored: [], trust: { state: "no-file" } };
  const file = await findProjectFile(request.cwd);
  const read = file === undefined ? undefined : await readJsonFile(file);
  if (file === undefined || read === undefined) return none;
  if (!read.ok) return read;
  if (!read.isThere) return none;
  const project: ProjectIdentity = { folder: path.dirname(file), hash: read.hash };
  const { readProjectLayer } = await import("./project-layer.ts");
  const answer = await trustOf(request.home.trustFile, project);
  const taken = readProjectLayer(file, read.value, { mode, isTrusted: answer === "trusted" });
  if (!taken.ok) return taken;
  return {
    ok: true,
    layers: [{ from: "project file", file, layer: taken.layer, written: taken.written }],
    ignored: taken.ignored,
    trust: { ...project, file, state: taken.asksForTrust ? answer : "not-needed" },
  };
}

function environmentLayers(env: ConfigRequest["env"]): Layer[] {
  const model = env.STELE_MODEL?.trim() ?? "";
  return model === "" ? [] : [{ from: "environment", layer: { model }, written: { model } }];
}

function flagLayer({ model, approvalMode, theme }: ConfigFlags): Layer {
  const layer = {
    ...(model === undefined ? {} : { model }),
    ...(approvalMode === undefined ? {} : { approval: { mode: approvalMode } }),
    ...(theme === undefined ? {} : { theme }),
  };
  return { from: "flag", layer, written: layer };
}
