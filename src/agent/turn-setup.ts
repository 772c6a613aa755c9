// What one turn works with, made of what its conversation was opened with and of what was fixed when the turn began.
// Remembers nothing but what the scanner knows of the folder's files.
import { homedir } from "node:os";
import { dirname } from "node:path";
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { Admission, ApprovalMode, ModelRoute, TurnRef } from "../ledger/types.ts";
import { type Rules, stricterMode } from "./approvals.ts";
import { createScanner, type Scanner } from "./file-changes/scan.ts";
import { pause } from "./lease-keeper.ts";
import type { ModelFacts } from "./models/catalogue.ts";
import type { Model } from "./models/model.ts";
import { openInstead, openNamed } from "./models/open-named.ts";
import type { ModelRegistry } from "./models/registry.ts";
import { RETRY_LIMIT } from "./retry-policy.ts";
import type { Spending } from "./spending-limits.ts";
import type { FileGate } from "./tools/files.ts";
import { toolRegistry } from "./tools/registry.ts";
import type { Compacting, KeepRule, Retrying, TurnContext } from "./turn-context.ts";

export interface TurnOptions {
  readonly db: AsyncSessionDB;
  readonly models: ModelRegistry;
  readonly files: FileGate;
  readonly spoolRoot: string;
  readonly rules: () => Rules;
  readonly ask: TurnContext["ask"];
  /** "Always" or "never" was chosen: store the rule. */
  readonly onRule?: KeepRule;
  readonly retrying?: Partial<Omit<Retrying, "fallback">>;
  /** `provider/model` or an alias; answers a turn whose model does not. */
  readonly fallback?: string;
  /** When a conversation is compacted unasked, and who sums it up. */
  readonly compaction?: CompactionSettings;
  readonly spending?: Spending;
  /** What is known about models: their windows. */
  readonly modelFacts?: (route: ModelRoute) => ModelFacts;
}

export interface CompactionSettings {
  readonly auto?: boolean;
  /** Part of the window, in (0, 1). */
  readonly at?: number;
  /** `provider/model` or an alias. */
  readonly model?: string;
}

/** Part of the window that may be used before the conversation is compacted. */
const COMPACT_AT = 0.8;

export interface StartedTurn extends Pick<TurnContext, "ask" | "signal" | "now" | "emit"> {
  readonly turn: TurnRef;
  readonly admission: Admission;
  /** Of the session: who is asked where the turn says nothing else. */
  readonly route: ModelRoute;
  /** Of the window, at this moment. */
  readonly mode: () => ApprovalMode;
}

export class TurnSetup {
  readonly #options: TurnOptions;
  #scanner: { readonly cwd: string; readonly scanner: Scanner } | undefined;

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  async context({ turn, admission, route: usual, mode, ...started }: StartedTurn): Promise<TurnContext> {
    const { db, files, spoolRoot, models, rules, onRule, spending } = this.#options;
    const { cwd, approval } = admission.payload;
    const envelope = admission.envelope && (await db.envelope(admission.envelope));
    const route = await this.routeOf(admission, usual);
    const opened = models.open(route);
    return {
      ...started,
      db,
      turn,
      model: opened.ok ? opened.model : unusable(route, opened),
      system: (envelope && (await db.systemPrompt(envelope.systemPrompt))) ?? "",
      tools: await toolRegistry(),
      files,
      spoolRoot,
      scanner: this.#scannerOf(cwd),
      cwd,
      approval: { mode: () => stricterMode(mode(), approval), rules },
      keepRule: onRule ?? (() => Promise.resolve({ ok: false, problem: "no rules are kept here" })),
      retrying: this.#retrying(),
      compaction: this.#compacting(),
      ...(spending && { spending }),
    };
  }

  /** Who was asked, or is to be: a turn that goes on stays with its model. */
  async routeOf({ payload, envelope }: Admission, usual: ModelRoute): Promise<ModelRoute> {
    const begun = envelope && (await this.#options.db.envelope(envelope));
    return payload.route ?? begun?.route ?? usual;
  }

  #retrying(): Retrying {
    const { models, fallback, retrying } = this.#options;
    const usual = { limit: RETRY_LIMIT, sleep: pause, random: Math.random, ...retrying };
    return fallback === undefined ? usual : { ...usual, fallback: (from) => openInstead(models, from, fallback) };
  }

  #compacting(): Compacting {
    const { models, modelFacts, compaction: { auto = true, at = COMPACT_AT, model } = {} } = this.#options;
    const windowOf = (route: ModelRoute) => (modelFacts ? modelFacts(route).window : undefined);
    const usual = { isAutomatic: auto, at, windowOf };
    return model === undefined ? usual : { ...usual, summariser: () => openNamed(models, model) };
  }

  /** Kept from turn to turn: it remembers what is in the files, and reads only those that changed. */
  #scannerOf(cwd: string): Scanner {
    const { files, spoolRoot } = this.#options;
    if (this.#scanner?.cwd !== cwd)
      this.#scanner = { cwd, scanner: createScanner({ files, cwd, home: homedir(), apart: [dirname(spoolRoot)] }) };
    return this.#scanner.scanner;
  }
}

/** A model that cannot be opened answers like one that refuses: the turn fails with the reason. */
function unusable(route: ModelRoute, why: { problem: string; hint: string }): Model {
  return {
    route,
    async *stream() {
      yield { type: "error", error: { code: "model_auth", message: why.problem, hint: why.hint, retryable: false } };
    },
  };
}
