// shell_stop: ends a command in the background, all its processes, and gives what it had still to say.
import * as z from "zod";
import { stopSpool } from "../spool/stop-spool.ts";
import { defineTool } from "./define-tool.ts";
import { jobOf, tellNews } from "./shell-output.ts";

const input = z.strictObject({
  call: z.string().min(1).describe("The job's id, as the result of shell named it."),
});

export const shellStopTool = defineTool({
  name: "shell_stop",
  description:
    "End a command in the background with all its processes: asked first, killed after 5 s. Gives the output that was " +
    "not read yet.",
  effect: "idempotent",
  input,
  summarize: ({ call }) => call,
  subject: () => "",
  async run({ call }, context) {
    const found = await jobOf(call, context);
    if (!found.found) return found.result;
    if (found.isOver) return tellNews(found.job.folder, context.effectKey, ["[it had ended already]"]);
    const { survivors } = await stopSpool(found.job.folder);
    const notes = survivors > 0 ? [`[${survivors} of its processes could not be ended]`] : ["[stopped]"];
    return tellNews(found.job.folder, context.effectKey, notes);
  },
});
