// search_sessions: looks for words in what was said in earlier conversations. The one that asks is left out: its model has
// it before its eyes.
import * as z from "zod";
import type { SearchHit } from "../../ledger/search-messages.ts";
import { defineTool } from "./define-tool.ts";
import type { ToolContext, ToolResult } from "./tool.ts";

const MOST = 50;
const USUAL = 10;

const input = z.strictObject({
  query: z
    .string()
    .min(1)
    .max(2000)
    .describe(
      'Words that all have to be there; "in quotes" as a phrase, wor* as the beginning of a word, OR and NOT between words.',
    ),
  limit: z.int().min(1).max(MOST).optional().describe(`At most so many hits; ${USUAL} without it.`),
});

export const searchSessionsTool = defineTool({
  name: "search_sessions",
  description:
    "Search the text of the person's other conversations with you: prompts, answers and tool results, the best hits first. " +
    "Answers session, date, title, who said it and the words around, with >>> <<< around what was found. " +
    "What was true then may not be true now.",
  effect: "none",
  input,
  summarize: ({ query }) => query,
  subject: () => "",
  run: search,
});

async function search({ query, limit = USUAL }: z.infer<typeof input>, context: ToolContext): Promise<ToolResult> {
  if (!context.search) return { kind: "failed", output: "conversations cannot be searched here" };
  const hits = await context.search(query, limit);
  if (context.signal.aborted) return { kind: "cancelled" };
  const words = "[nothing was found: try fewer or other words, or the beginning of one, wor*]";
  return { kind: "ok", output: hits.map(hitLine).join("\n") || words };
}

function hitLine({ session, role, at, snippet }: SearchHit): string {
  const text = snippet.map((part) => (part.isHit ? `>>>${part.text}<<<` : part.text)).join("");
  const day = new Date(at).toISOString().slice(0, 10);
  return `${session.id} ${day} “${session.title ?? "untitled"}” ${role}: ${text.replace(/\s+/g, " ").trim()}`;
}
