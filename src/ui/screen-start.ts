// What the screen needs from the program, so that the first frame is painted before the ledger is open:
// it mounts, then boots, and shows each step of the boot as it is made.

import type { ImageShelf } from "../agent/images/image-shelf.ts";
import type { ModelsConfig } from "../agent/models/catalogue.ts";
import type { Runner } from "../agent/runner.ts";
import type { ApprovalAsk, ApprovalReply } from "../agent/turn-context.ts";
import type { CommandContext } from "../commands/command.ts";
import type { Config, KeySettings } from "../config/config.ts";
import type { OpenTurn, RecoveryStep, Undelivered } from "../ledger/recovery.ts";
import type { Admission, Draft, Message, ToolCall, UnsentBeginning } from "../ledger/types.ts";
import type { LineFront } from "./line-front.ts";

/** What the program may ask of the screen while it runs. */
export interface ScreenHost {
  onStep(step: RecoveryStep): void;
  /** Resolves with the person's answer; with `no` when the signal is aborted first. */
  ask(question: ApprovalAsk, signal: AbortSignal): Promise<ApprovalReply>;
  /** Nobody is writing, and nothing is asked or looked at. */
  isFree(): boolean;
}

export interface Booted {
  readonly runner: Runner;
  readonly context: CommandContext;
  /** Of prompts that are being written. */
  readonly images: Pick<ImageShelf, "attach" | "prompt" | "stored">;
  readonly open: readonly OpenTurn[];
  readonly waiting: readonly Admission[];
  /** Answers that nobody has seen, of every conversation, oldest first. */
  readonly undelivered: readonly Undelivered[];
  /** Of the conversation that is opened. */
  readonly drafts: readonly Draft[];
  /** What windows that are gone left unsent, of every conversation, newest first. */
  readonly unsent?: readonly UnsentBeginning[];
  /** The newest part of the conversation that is opened, and how many messages lie before it. */
  readonly window: {
    readonly messages: readonly Message[];
    readonly earlier: number;
    readonly calls: readonly ToolCall[];
  };
  /** What is wrong and stops nobody now: a model that the config names and that cannot be used. */
  readonly warnings?: readonly string[];
  /** Lines to say once: what a project file may not set, which model answers and why. */
  readonly notices: readonly string[];
  /** A project file that wants more than it may: asked once. */
  readonly trust?: { readonly question: string; readonly answer: (trusted: boolean) => Promise<readonly string[]> };
  /** Of the config: windows and prices. */
  readonly models: ModelsConfig;
  /** Of the config: how the screen behaves. */
  readonly display: Pick<Config, "theme" | "motion" | "title" | "notify">;
  /** A command to run first: the list of sessions after a bare -r. */
  readonly openPicker?: string;
  /** Entered prompts of earlier sessions, newest last. */
  readonly history: readonly string[];
  /** Keys that the person chose. */
  readonly keys: KeySettings;
}

export interface ScreenStart {
  readonly version: string;
  /** As it is to be typed into a shell, with the flags that name the ledger. */
  readonly called: string;
  /** Shortened with ~. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where nothing can be drawn, or somebody listens. */
  readonly lines?: LineFront;
  readonly prompt?: string;
  /** Rejects with a SteleError when the ledger cannot be opened: shown, then the exit code of its kind. */
  readonly boot: (host: ScreenHost) => Promise<Booted>;
  /** Ends everything that boot began; the screen is restored already. */
  readonly shutdown: () => Promise<void>;
}
