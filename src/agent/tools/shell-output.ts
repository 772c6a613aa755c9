// shell_output: what a command in the background has written since it was last read, and whether it still runs.
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import * as z from "zod";
import { findJob, hasEnded, type Job, listJobs, removeToldJobs, takeNews } from "../spool/background-jobs.ts";
import type { SpoolState } from "../spool/spool.ts";
import { withNotes } from "../spool/spool-result.ts";
import { defineTool } from "./define-tool.ts";
import type { ToolContext, ToolResult } from "./tool.ts";

const input = z.strictObject({
  call: z.string().min(1).describe("The job's id, as the result of shell named it."),
});

export const shellOutputTool = defineTool({
  name: "shell_output",
  description:
    "Read what a command in the background has written since it was last read, and whether it still runs or how it " +
    "ended. Returns at once; do not call it in a tight loop.",
  effect: "none",
  input,
  summarize: ({ call }) => call,
  subject: () => "",
  async run({ call }, context) {
    const job = await jobOf(call, context);
    return job.found ? tellNews(job.job.folder, context.effectKey) : job.result;
  },
});

/** New output and how it stands, as a result. */
export async function tellNews(folder: string, key: string, notes: readonly string[] = []): Promise<ToolResult> {
  const { text, state } = await takeNews(folder, key);
  return { kind: "ok", ...withNotes(text, [...notes, `[${standingOf(state)}]`]) };
}

function standingOf(state: SpoolState): string {
  switch (state.kind) {
    case "running":
      return state.supervisor === "dead" ? "still running; how it ends will not be known" : "still running";
    case "starting":
      return "still starting";
    case "finished": {
      const { signal, exitCode } = state.exit;
      return signal ? `ended by ${signal}` : `ended with exit code ${exitCode}`;
    }
    case "never-started":
      return `it was not started${state.problem === undefined ? "" : `: ${state.problem}`}`;
    default:
      return "ended; how is not known: its supervisor was killed";
  }
}

type FoundJob =
  | { readonly found: true; readonly job: Job; readonly isOver: boolean }
  | { readonly found: false; readonly result: ToolResult };

/** An id that is not known is a result with those that are. */
export async function jobOf(id: string, context: ToolContext): Promise<FoundJob> {
  const root = context.spoolRoot ?? (context.spool ? dirname(context.spool.folder) : tmpdir());
  await removeToldJobs(root, context.effectKey);
  const job = await findJob(root, { id, key: context.effectKey });
  if (job) return { found: true, job, isOver: hasEnded(job.state) };
  const known = await listJobs(root);
  const jobs = known.length === 0 ? "there are none" : `there are: ${known.map((each) => each.id).join(", ")}`;
  const output = `there is no command in the background with the id ${JSON.stringify(id)}; ${jobs}`;
  return { found: false, result: { kind: "failed", output } };
}
