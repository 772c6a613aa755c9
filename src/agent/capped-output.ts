// A model sees at most 50 KB of a tool's output: its head and its tail. The whole goes to a blob.
import type { ToolOutcome } from "../ledger/types.ts";
import type { ToolResult } from "./tools/tool.ts";

const SHOWN_BYTES = 50 * 1024;

interface CappedOutput {
  readonly shown: string;
  /** There when `shown` is not all of it. */
  readonly whole?: Uint8Array;
}

function cappedOutput(output: string): CappedOutput {
  if (output.length <= SHOWN_BYTES / 4) return { shown: output };
  const whole = Buffer.from(output, "utf8");
  if (whole.length <= SHOWN_BYTES) return { shown: output };
  const half = SHOWN_BYTES / 2;
  const head = wholeLines(whole.subarray(0, half).toString("utf8"), "end");
  const tail = wholeLines(whole.subarray(whole.length - half).toString("utf8"), "start");
  const left = whole.length - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return { shown: `${head}\n[… ${left} bytes left out …]\n${tail}`, whole };
}

/** A tool's result as the ledger keeps it: the outcome that the model reads, and all of the output when that is less. */
export function storedOutcome({ kind, output = "", exitCode }: ToolResult): {
  readonly outcome: ToolOutcome;
  readonly wholeOutput?: Uint8Array;
} {
  const { shown, whole } = cappedOutput(output);
  return {
    outcome: {
      kind,
      ...(shown !== "" && { output: shown }),
      ...(exitCode !== undefined && { exitCode }),
      ...(whole && { truncated: true }),
    },
    ...(whole && { wholeOutput: whole }),
  };
}

/** Cut at a line end where one is near, so that no half line or half character is shown. */
function wholeLines(text: string, side: "start" | "end"): string {
  if (side === "end") {
    const at = text.lastIndexOf("\n");
    return at > text.length - 2000 && at > 0 ? text.slice(0, at) : text.replace(/\uFFFD+$/, "");
  }
  const at = text.indexOf("\n");
  return at >= 0 && at < 2000 ? text.slice(at + 1) : text.replace(/^\uFFFD+/, "");
}
