// What a command is: one declaration, from which the slash form, the subcommand, help, completion and
// docs/commands.md all derive. `run` returns data and never touches a screen; front ends act on it.

import type { LoopKeeper } from "../agent/loop/loop-keeper.ts";
import type { ModelsConfig } from "../agent/models/catalogue.ts";
import type { NameProblem } from "../agent/models/open-named.ts";
import type { ModelRegistry } from "../agent/models/registry.ts";
import type { PullRequests } from "../agent/pull-requests.ts";
import type { Runner } from "../agent/runner.ts";
import type { SpendingLimits } from "../agent/spending-limits.ts";
import type { Job } from "../agent/spool/background-jobs.ts";
import type { FileGate } from "../agent/tools/files.ts";
import type { ProfileLedger } from "../config/profiles.ts";
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { OpenTurn, Recovered, RecoveryStep, Undelivered, World } from "../ledger/recovery.ts";
import type { NewSession } from "../ledger/sessions.ts";
import type { AdmissionId, ApprovalMode, Loop, MessageId, Session } from "../ledger/types.ts";
import type { LoopLimits } from "./loop-grammar.ts";

export interface ArgSpec {
  readonly name: string;
  readonly help: string;
  readonly required?: boolean;
  /** Takes all words that are left, joined by blanks. */
  readonly rest?: boolean;
  /** Of them, what was quoted as one stays in quotes. */
  readonly keepsPhrases?: true;
  /** Takes all words that are left, each by itself. */
  readonly many?: boolean;
}
export interface FlagSpec {
  /** Without dashes. */
  readonly name: string;
  /** A letter for it, behind one dash. */
  readonly short?: string;
  readonly help: string;
  /** Absent: a switch. */
  readonly value?: "text" | "number";
  /** On the screen it may stand alone: then there is a list to choose the value from. */
  readonly isChosen?: true;
}

/** Parsed words of one call. */
export interface CommandArgs {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, string | number | true>>;
}

/** One setting and where its value came from. */
export interface ShownSetting {
  readonly key: string;
  readonly value: string;
  readonly from: string;
  /** Why the model that it names cannot be used. */
  readonly problem?: string;
}

/** What commands may use without a conversation. What a person can do goes through the ledger, the runner and the settings. */
export interface FreeContext {
  readonly db: AsyncSessionDB;
  /** Absent: no conversation is open. */
  readonly runner?: Runner;
  /** The loop of the conversation that is open. Absent: none is. */
  readonly loop?: LoopKeeper;
  /** The runner of this session's conversation: the open one, or one that is opened for it. */
  readonly runnerFor: (session: Session) => Promise<Runner>;
  readonly models: ModelRegistry;
  readonly files: FileGate;
  /** Commands that went on in the background, of every conversation. */
  readonly jobs: () => Promise<readonly Job[]>;
  /** What recovery asks of the outside. */
  readonly world: World;
  /** Long work of a command: stopped by the person, and how far it is. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (line: string) => void;
  /** Stdout, where it is no terminal: takes text as it stands. */
  readonly pipe?: (text: string) => Promise<void>;
  readonly settings: Settings;
  readonly surface: "screen" | "argv";
  readonly now: () => number;
  /** Sessions of the list that was shown last: `/resume 3` means the third of it. */
  readonly lastList: { sessions: readonly Session[] };
  /** Runs the recovery checklist again. */
  readonly recover: () => Promise<Recovered & { readonly steps: readonly RecoveryStep[] }>;
  /** A session of this folder with the default model, to be created. */
  readonly newSession: (more: { title?: string; openedByNew?: boolean }) => Promise<NewSession>;
  /** Writes a new file inside the session's folder; refuses to replace one. */
  readonly createFile: (
    name: string,
    text: string,
  ) => Promise<{ ok: true; path: string } | { ok: false; problem: string }>;
  /** A small text file of the session's folder; undefined when it is not there or cannot be read. */
  readonly readFile: (name: string) => Promise<string | undefined>;
  readonly hasFolder: (path: string) => Promise<boolean>;
  /** Of the branches that sessions work on. Absent: none are looked for. */
  readonly pullRequests?: PullRequests;
  /** Every ledger of this home. Absent: there is this one. */
  readonly profiles?: () => readonly ProfileLedger[];
}

export interface CommandContext extends FreeContext {
  readonly runner: Runner;
}

/** The person's configuration, as far as commands read or change it. */
export interface Settings {
  list(): readonly ShownSetting[];
  readonly configFile: string;
  /** What is known of models, by `provider/model`. */
  models(): ModelsConfig;
  /** What is wrong with the models that it names for later. */
  nameProblems(): readonly NameProblem[];
  loops(): LoopLimits;
  limits(): SpendingLimits;
  rules(): { readonly allow: readonly string[]; readonly deny: readonly string[] };
  addRule(kind: "allow" | "deny", rule: string): Promise<{ ok: true } | { ok: false; problem: string }>;
  removeRule(rule: string): Promise<{ ok: true } | { ok: false; problem: string }>;
  /** `auto` may come by flag or config only. */
  readonly mayBeAuto: boolean;
}

export interface PickItem {
  /** The command that choosing it runs, e.g. `/resume 20261129-…`. */
  readonly command: string;
  readonly label: string;
  readonly detail: string;
  /** The detail in columns, the most telling first. */
  readonly facts?: readonly string[];
  /** What may follow the label, muted. With it the detail stands in a column beside, and not at the right edge. */
  readonly hint?: string;
  /** More text that a filter looks at. */
  readonly search?: string;
  /** Left and right go through these; the one that is set is what choosing the item runs. */
  readonly turns?: readonly PickTurn[];
}

export interface PickKey {
  /** Of the key table's form, such as `alt+up`. */
  readonly chord: string;
  /** In a word or two; absent: it goes without saying. */
  readonly does?: string;
  readonly command: (item: PickItem) => string;
}

export interface PickTurn {
  readonly label: string;
  readonly command: string;
  /** Where it begins. */
  readonly isSet?: boolean;
}

export interface PickList {
  readonly title: string;
  readonly items: readonly PickItem[];
  /** What to do where there is none. */
  readonly empty: string;
  /** About the list as a whole: that there are more. */
  readonly note?: string;
  /** The command of the item to begin at. */
  readonly selected?: string;
  /** What left and right change. */
  readonly turned?: string;
  /** More items for what was typed, beyond the first ones. */
  readonly find?: (words: string) => Promise<readonly PickItem[]>;
  /** It opens without items: they are what `find` finds. */
  readonly isBlank?: true;
  /** What `find` adds is none that the list would have without it. */
  readonly isWhole?: true;
  /** Those after the last ones that were given, when one gets there; none: that was all. */
  readonly more?: () => Promise<readonly PickItem[]>;
  /** The items of the beginning again, once something about them is known that nobody waits for; undefined: nothing is. */
  readonly later?: () => Promise<readonly PickItem[] | undefined>;
  /** A look at what an item stands for. */
  readonly preview?: (item: PickItem) => Promise<PickLook>;
  /** What enter does, in a word or two; absent: it chooses. */
  readonly enter?: string;
  /** The command that is chosen is written into the composer, not run. */
  readonly isWritten?: true;
  /** Other keys on an item. What they run is done, and the list comes again. */
  readonly keys?: readonly PickKey[];
  /** The same in print, where nothing is drawn. */
  readonly printed?: () => Promise<CommandResult>;
}

/** In a few lines: from the top on, an exchange of which the end of the answer tells most, or a unified diff. */
export type PickLook =
  | readonly string[]
  | { readonly kind: "exchange"; readonly prompt: readonly string[]; readonly answer: readonly string[] }
  | { readonly kind: "diff"; readonly diff: string };

/** One file of a preview. All words untrusted. */
export interface PreviewFile {
  /** As it is shown: relative to the session's folder when inside. */
  readonly path: string;
  readonly action: "write" | "create" | "remove";
  /** Lines that would come and go. */
  readonly added: number;
  readonly removed: number;
  /** A command changed it, as far as can be told: chosen only by a person. */
  readonly isSuspected: boolean;
  /** That it was changed is said by an import: the same. */
  readonly isImported?: boolean;
  /** Chosen when nothing else is said. */
  readonly isChosen: boolean;
  /** Why it cannot be chosen: it was changed since, or its content was not kept. */
  readonly obstacle?: string;
  /** It was changed since, and both changes fit together. */
  readonly isMerged: boolean;
  /** Unified, for looking at it. */
  readonly diff?: string;
}

/** What stands beside each other: lines of any length. */
export interface SideRow {
  readonly left: readonly string[];
  readonly right: readonly string[];
}

/** `json` is what `--json` prints: one object, or one a line. All text may be untrusted: front ends sanitise. */
export type CommandResult =
  | {
      readonly kind: "lines";
      readonly lines: readonly string[];
      readonly json?: object | readonly object[];
      /** A check found the ledger unwell: exit code 4. */
      readonly failure?: "ledger";
    }
  | {
      readonly kind: "rows";
      readonly columns: readonly string[];
      readonly rows: readonly (readonly string[])[];
      readonly empty: string;
      readonly json: object | readonly object[];
    }
  /** Two things beside each other, or one after the other where there is no room for that. */
  | {
      readonly kind: "sides";
      readonly intro: readonly string[];
      readonly heads: readonly [string, string];
      readonly rows: readonly SideRow[];
      readonly outro: readonly string[];
      readonly json: object;
    }
  | {
      readonly kind: "open-session";
      readonly session: Session;
      readonly resumed: boolean;
      readonly lines: readonly string[];
      /** The last exchanges in short, for a front end that does not print the window itself. */
      readonly recap?: readonly string[];
      /** Begin at this message; in lines where there is no place to scroll to it. */
      readonly at?: { readonly message: MessageId; readonly lines: readonly string[] };
    }
  | ({ readonly kind: "pick" } & PickList)
  | { readonly kind: "submit"; readonly text: string }
  /** A turn was set going by the runner: without a screen, wait for `runner.idle()`. */
  | { readonly kind: "turn"; readonly runner: Runner; readonly lines: readonly string[]; readonly json?: object }
  /** The transcript changed under the screen; text returns to the composer. */
  | {
      readonly kind: "prefill";
      readonly text: string;
      readonly lines: readonly string[];
      readonly json?: object;
      /** Where it can be edited as it stands: the text of a waiting prompt, which what is sent replaces. */
      readonly edits?: { readonly admission: AdmissionId; readonly text: string };
    }
  | { readonly kind: "confirm"; readonly question: string; readonly command: string }
  /** Files that would change: nothing has yet. Without a screen it is printed, and `--yes` is asked for. */
  | {
      readonly kind: "preview";
      readonly title: string;
      readonly files: readonly PreviewFile[];
      readonly apply: (chosen: readonly PreviewFile[]) => Promise<CommandResult>;
      readonly json: object;
    }
  | {
      readonly kind: "recovery";
      readonly steps: readonly RecoveryStep[];
      readonly open: readonly OpenTurn[];
      readonly undelivered: readonly Undelivered[];
      readonly json: object;
    }
  /** A loop was started where there is no screen: stay until it ends. */
  | { readonly kind: "loop"; readonly loop: Loop; readonly lines: readonly string[] }
  | { readonly kind: "mode"; readonly mode: ApprovalMode; readonly lines: readonly string[] }
  | { readonly kind: "stop" }
  | { readonly kind: "quit" }
  /** Wrong words: exit code 2. `code` is the ledger's, when it was the ledger that refused them. */
  | { readonly kind: "usage"; readonly message: string; readonly hint?: string; readonly code?: string }
  /** An expected refusal; `busy` is exit code 3, `person` 5, `failed` 1. */
  | { readonly kind: "refused"; readonly why: string; readonly code: "busy" | "conflict" | "person" | "failed" };

interface Declaration {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** As it is typed on the screen; a test runs it. */
  readonly example: string;
  readonly args?: readonly ArgSpec[];
  readonly flags?: readonly FlagSpec[];
  /** Own commands under it, `/queue drop 7`: taken when the first word is one of their names. */
  readonly verbs?: readonly Command[];
  /** Names kept for verbs of a later version: refused as such, never taken for an argument. */
  readonly later?: readonly string[];
  /** `any`: also while a turn runs. */
  readonly during: "idle" | "any";
  /** It may take long: a screen shows how far it is, and can end it. */
  readonly isLong?: boolean;
  /** A loop may repeat it: it changes nothing that a person would want to see first. */
  readonly isRepeatable?: boolean;
  /** It waits for the search index where much is missing in it. */
  readonly needsIndex?: true;
  /** Its one argument is all that was typed behind its name, as it stands: quotes and dashes are part of it. */
  readonly isRaw?: boolean;
  /** Of a raw one: what stands among its words as a flag. As a program's arguments no other may. */
  readonly rawFlags?: readonly string[];
  /** Not a subcommand: it makes no sense without a screen. */
  readonly screenOnly?: boolean;
}

export interface SessionCommand extends Declaration {
  readonly needsNoSession?: false;
  run(args: CommandArgs, context: CommandContext): Promise<CommandResult>;
}
export interface FreeCommand extends Declaration {
  /** As a subcommand it needs no conversation to be named. */
  readonly needsNoSession: true;
  run(args: CommandArgs, context: FreeContext): Promise<CommandResult>;
}
export type Command = SessionCommand | FreeCommand;

/** Only for the type: a declaration that is checked where it is written. */
export function defineCommand<C extends Command>(command: C): C {
  return command;
}
