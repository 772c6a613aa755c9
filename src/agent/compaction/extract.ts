// A summary without a model, for the embedded guide: what was asked, what was answered, what was run, in the first
// words of each. Bounded, whatever it is made of; the newest turns come first to their room. Pure.
import type { Message } from "../../ledger/types.ts";
import { ends } from "./transcript-text.ts";

/** Characters. */
const ROOM = 6_000;
const LINE = 160;
const EARLIER = 3_000;

/** Each line once: what an earlier summary of this kind said goes on in this one. */
export function extractSummary(folded: readonly Message[]): string {
  const lines = folded.flatMap(linesOf);
  let room = ROOM;
  const from = lines.findLastIndex((line) => {
    room -= line.length + 1;
    return room < 0;
  });
  const kept = lines.slice(from + 1);
  const left = from + 1;
  return [HEADING, ...(left === 0 ? [] : [`(${left} earlier lines are left out.)`]), ...kept].join("\n");
}

const HEADING = "What was said and done so far, in its first words (no model summed it up):";

function linesOf({ role, parts }: Message): readonly string[] {
  return parts.flatMap((part): readonly string[] => {
    if (part.kind === "summary") return earlier(part.text);
    if (part.kind === "text" && role === "user") return [line("asked", part.text)];
    if (part.kind === "text" && role === "assistant") return [line("answered", part.text)];
    if (part.kind === "tool-call") return [line(`called ${part.tool}`, JSON.stringify(part.input))];
    if (part.kind === "shell" && part.told) return [line("the person ran", part.command)];
    return [];
  });
}

/** Of a model's: a longer piece, as one line. */
function earlier(summary: string): readonly string[] {
  if (!summary.startsWith(HEADING)) return [line("earlier", summary, EARLIER)];
  return summary.split("\n").filter((each) => each.startsWith("- "));
}

function line(what: string, text: string, limit = LINE): string {
  const words = text.replace(/\s+/g, " ").trim();
  return `- ${what}: ${ends(words, limit)}`;
}
