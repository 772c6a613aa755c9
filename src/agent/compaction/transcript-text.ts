// The folded part of a conversation as text for the model that sums it up. As text no rule of a provider about roles,
// calls and results applies to it, and any model can read what any other one did. Pure.

import { shownImages } from "../../ledger/image-token.ts";
import type { Message, Part, ToolOutcome } from "../../ledger/types.ts";
import { estimateText } from "../tokens.ts";

/** Characters; of longer ones the beginning and the end stay. */
const LIMITS = { text: 40_000, input: 1_500, output: 1_500 } as const;

/** One text a message that says something. */
export function transcriptTexts(messages: readonly Message[]): readonly string[] {
  return messages.map(textOf).filter((text) => text !== "");
}

function textOf({ role, parts }: Message): string {
  const lines = parts.map((part) => partText(part)).filter((line) => line.trim() !== "");
  if (lines.length === 0 || role === "note") return "";
  if (role === "summary") return `# Summary of what came before\n${lines.join("\n")}`;
  const who = { user: "# The person", assistant: "# You", tool: "# Results" }[role];
  return `${who}\n${lines.join("\n")}`;
}

function partText(part: Part): string {
  switch (part.kind) {
    case "text":
      return ends(shownImages(part.text), LIMITS.text);
    case "summary":
      return part.text;
    case "tool-call":
      return `${part.tool} ${ends(JSON.stringify(part.input), LIMITS.input)}`;
    case "tool-result":
      return outcomeText(part.outcome);
    case "file":
      return `[file ${part.name ?? part.mediaType}]`;
    case "shell":
      return part.told ? `(ran the command) ${ends(part.command, LIMITS.input)}` : "";
    case "reasoning":
    case "note":
      return "";
  }
}

function outcomeText({ kind, exitCode, output = "" }: ToolOutcome): string {
  const end = exitCode === undefined ? kind : `${kind}, exit code ${exitCode}`;
  return `(${end}) ${ends(output, LIMITS.output)}`;
}

/** At most so many characters of a text: the beginning and the end of a longer one. */
export function ends(text: string, limit: number): string {
  const whole = text.toWellFormed();
  if (whole.length <= limit) return whole;
  const half = Math.floor(limit / 2);
  const left = whole.length - 2 * half;
  return `${whole.slice(0, half)} […${left} characters…] ${whole.slice(-half)}`.toWellFormed();
}

/** Joined so that none has more tokens than `limit`; a text that is longer alone is cut into several. */
export function inChunks(texts: readonly string[], limit: number): readonly string[] {
  const chunks: string[] = [];
  let chunk = "";
  for (const text of texts.flatMap((each) => inPieces(each, limit))) {
    const joined = chunk === "" ? text : `${chunk}\n\n${text}`;
    if (chunk !== "" && estimateText(joined) > limit) {
      chunks.push(chunk);
      chunk = text;
    } else chunk = joined;
  }
  return chunk === "" ? chunks : [...chunks, chunk];
}

function inPieces(text: string, limit: number): readonly string[] {
  if (estimateText(text) <= limit) return [text];
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half).toWellFormed(), text.slice(half).toWellFormed()].flatMap((piece) =>
    inPieces(piece, limit),
  );
}
