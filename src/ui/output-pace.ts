// Keeps pace with a terminal that takes its time: whoever draws asks first, and what is not drawn is not queued. Node
// writes to a terminal block the whole program while it takes nothing (a stopped or a slow one), and with it turns and
// leases: here they do not, where that harms nobody else who has the terminal open.
import { accessSync, constants, readlinkSync } from "node:fs";
import { type Block, note } from "./block.ts";

/** What is asked of an output; one that says nothing takes everything at once. */
export interface PacedOutput {
  readonly writableNeedDrain?: boolean;
  once?(name: "drain", listener: () => void): unknown;
}

export class OutputPace {
  readonly #output: PacedOutput;
  #isWaiting = false;

  constructor(output: PacedOutput) {
    this.#output = output;
  }

  /** True: write nothing now; `onTaken` is called once when it can take more. */
  isBehind(onTaken: () => void): boolean {
    if (this.#output.writableNeedDrain !== true) return false;
    if (this.#isWaiting || !this.#output.once) return true;
    this.#isWaiting = true;
    this.#output.once("drain", () => {
      this.#isWaiting = false;
      onTaken();
    });
    return true;
  }
}

/** Blocks that wait for a terminal: the newest ones. All of them are in the ledger, and the pager shows it. */
export const maxWaiting = { lines: 4_000, kept: 2_000 };

/** How many of the oldest have to go. */
export function tooMany(blocks: readonly Block[]): number {
  if (blocks.length < maxWaiting.kept && linesOf(blocks) <= maxWaiting.lines) return 0;
  if (linesOf(blocks) <= maxWaiting.lines) return 0;
  let lines = 0;
  const first = blocks.findLastIndex((block) => {
    lines += linesIn(block);
    return lines > maxWaiting.kept;
  });
  // The newest one is kept, however long it is.
  return Math.min(first + 1, blocks.length - 1);
}

export function linesOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + linesIn(block), 0);
}

function linesIn(block: Block): number {
  return block.kind === "answer" || block.kind === "lines" ? block.lines.length : 1;
}

export function leftOut(lines: number): readonly Block[] {
  if (lines === 0) return [];
  return [note(`${lines} lines left out: the terminal did not take them. They are in the conversation.`, "warning")];
}

// ---- the terminal itself ----

interface Handle {
  setBlocking?(isBlocking: boolean): unknown;
}
type TerminalStream = NodeJS.WriteStream & { readonly fd: number; readonly _handle?: Handle };

/**
 * Call it again after the terminal was lent: a program that is started on it sets this back. Hazard: only a description
 * of our own may be changed, which Node has where it could open the terminal by its name; else the shell's would be.
 */
export function neverBlock(): void {
  const { stdout, stderr } = process;
  for (const stream of [stdout, stderr] as readonly TerminalStream[])
    if (stream.isTTY && isOurs(stream.fd)) stream._handle?.setBlocking?.(false);
}

function isOurs(fd: number): boolean {
  try {
    accessSync(readlinkSync(`/proc/self/fd/${fd}`), constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false; // no /proc, or the terminal of somebody else
  }
}

/** All that was written up to now was taken, or cannot be. */
export function taken(stdout: Pick<NodeJS.WriteStream, "write">): Promise<void> {
  return new Promise((resolve) => {
    stdout.write("", () => resolve());
  });
}
