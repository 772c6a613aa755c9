// /retry: the last prompt again; the old answer stays as a sibling.
import { defineCommand } from "./command.ts";
import { refused } from "./results.ts";

export const retryCommand = defineCommand({
  name: "retry",
  summary: "ask the last prompt again; the old answer is kept beside the new one",
  example: "/retry",
  during: "any",
  async run(_, context) {
    const { runner } = context;
    const result = await runner.retry();
    if (result.kind !== "retried") return refused(result, context);
    const { id, session, summary, kind } = result.admission;
    const what = kind === "shell" ? "Running" : "Asking";
    return { kind: "turn", runner, lines: [`${what} again: ${summary}`], json: { admission: id, session } };
  },
});
