// The model's own list of steps. It changes nothing: the transcript is where the list lives.
import * as z from "zod";
import { defineTool } from "./define-tool.ts";

const MARKS = { pending: "[ ]", active: "[>]", done: "[x]" } as const;

export const todoTool = defineTool({
  name: "todo",
  description:
    "Write down the steps of a longer task and keep them up to date. Always give the whole list: it replaces the one before. " +
    "Mark one step active while you work on it, and done as soon as it is. Not needed for a task of one or two steps.",
  effect: "none",
  input: z.strictObject({
    items: z
      .array(
        z.strictObject({
          text: z.string().min(1).max(500).describe("The step, in a few words."),
          state: z.enum(["pending", "active", "done"]),
        }),
      )
      .max(100)
      .describe("All steps, in order."),
  }),
  summarize: ({ items }) => `${items.filter(({ state }) => state === "done").length} of ${items.length} done`,
  subject: () => "",
  run: async ({ items }) => ({
    kind: "ok",
    output: items.map(({ text, state }) => `${MARKS[state]} ${text}`).join("\n") || "[the list is empty]",
  }),
});
