// What a tool is: a name, a schema the model sees, an effect class, and a run that never throws for what
// the model or the world did wrong: that is a result the model can read.
import type { SearchHit } from "../../ledger/search-messages.ts";
import type { Effect, Json, ProcessIdentity, ToolOutcome } from "../../ledger/types.ts";
import type { FileContent, FileGate } from "./files.ts";

export interface ToolContext {
  /** The session's folder: relative paths start here, edits stay inside. Absolute. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly files: FileGate;
  /** Same value whenever this call is run again; shell commands get it as STELE_EFFECT_KEY. */
  readonly effectKey: string;
  /** Live output, raw and untrusted; the caller throttles and sanitises. */
  readonly onOutput: (chunk: string) => void;
  /** Told before a file is written, which waits for it: intent before effect. A rejection stops the write. */
  readonly beforeChange?: (change: PlannedChange) => Promise<void>;
  /** For a tool that starts a process: the folder of this call, in the ledger before the tool runs. */
  readonly spool?: CallSpool;
  /** Words in other conversations than the one that asks, the best hits first. */
  readonly search?: (words: string, limit: number) => Promise<readonly SearchHit[]>;
  /** Folder of all spools of this ledger. Absolute. */
  readonly spoolRoot?: string;
}

export interface CallSpool {
  /** Absolute; the tool makes it. */
  readonly folder: string;
  /** The process that will run the command is stored before the command may start. A rejection stops it. */
  readonly onSupervisor: (identity: ProcessIdentity) => Promise<void>;
}

/** A file edit about to happen, with all that undo and reading back need. */
export interface PlannedChange {
  /** Real and absolute. */
  readonly path: string;
  /** Absent: the file does not exist. */
  readonly before?: FileContent;
  readonly after: FileContent;
}

/** `unknown`: it began, and how it ended cannot be said. `output` is whole; the caller caps what the model sees and keeps the rest in a blob. */
export type ToolResult = Pick<ToolOutcome, "output" | "exitCode"> & {
  readonly kind: "ok" | "failed" | "cancelled" | "unknown";
};

export type Parsed<Input> =
  | { readonly ok: true; readonly input: Input }
  /** Names the field, what was found and what is allowed. */
  | { readonly ok: false; readonly problem: string };

export interface Tool<Input = unknown> {
  readonly name: string;
  readonly description: string;
  readonly schema: Json;
  readonly effect: Effect;
  /** It starts processes that may outlive this program: each call gets a folder of its own (`ToolContext.spool`). */
  readonly spools?: true;
  parse(input: Json): Parsed<Input>;
  /** One line for the screen and the approval, without the tool's name: a command, a path. Not sanitised. */
  summarize(input: Input): string;
  /** What rules are matched against: the shell command, a path; "" when rules name only the tool. */
  subject(input: Input): string;
  /** The same call about another subject: there where a person may change what runs. */
  withSubject?(input: Input, subject: string): Input;
  /** Why it cannot run as things are now: nobody is asked about that. `run` looks again. */
  obstacle?(input: Input, context: Pick<ToolContext, "cwd" | "files">): Promise<string | undefined>;
  /** A diff or similar shown in the approval, when there is one. */
  preview?(input: Input, context: Pick<ToolContext, "cwd" | "files">): Promise<string | undefined>;
  run(input: Input, context: ToolContext): Promise<ToolResult>;
}
