// How a command's end is told: the same words and numbers whether somebody waited for it or found it after a crash.
import type { ToolResult } from "../tools/tool.ts";
import { hasLeftovers, type SpoolState } from "./spool.ts";
import { readOutput } from "./spool-output.ts";

/** Of a command that is over. `lost` has no truthful result of its own: its end is not known, and the text says so. */
export async function spoolResult(folder: string, state: SpoolState): Promise<ToolResult> {
  const { text } = await readOutput(folder);
  switch (state.kind) {
    case "finished": {
      const { exitCode } = state.exit;
      const output = withNotes(text, await notesOf(state));
      return { kind: exitCode === 0 ? "ok" : "failed", ...output, exitCode };
    }
    case "never-started":
      return state.problem === undefined
        ? { kind: "cancelled", output: "[it was not started]" }
        : { kind: "failed", output: `the command could not be started: ${state.problem}` };
    default:
      return { kind: "unknown", ...withNotes(text, ["[how it ended is not known: its supervisor was killed]"]) };
  }
}

export function withNotes(output: string, notes: readonly string[]): { readonly output?: string } {
  const text = [output.trimEnd(), ...notes].filter((part) => part !== "").join("\n");
  return text === "" ? {} : { output: text };
}

async function notesOf({ exit, identity }: Extract<SpoolState, { readonly kind: "finished" }>): Promise<string[]> {
  const notes = exit.signal ? [`[ended by ${exit.signal}]`] : [];
  if (exit.problem !== undefined) notes.push(`[the end of its output may be missing: ${exit.problem}]`);
  if (identity && (await hasLeftovers(identity)))
    notes.push(`[it left processes running in the background: process group ${identity.group}]`);
  return notes;
}
