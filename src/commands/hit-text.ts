// A hit of a search in words: what was found on one line, and some lines around it.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import { searchableText } from "../ledger/codec.ts";
import type { SearchHit } from "../ledger/search-messages.ts";
import type { SnippetPart } from "../ledger/snippet.ts";
import type { Message, MessageId } from "../ledger/types.ts";
import { partedWords } from "../ledger/word-gaps.ts";

/** On one line; what was found stands between the marks. */
export function snippetText(snippet: readonly SnippetPart[], [begin, end] = ["“", "”"] as readonly string[]): string {
  return snippet
    .map(({ text, isHit }) => {
      const line = text.replace(/\s+/g, " ");
      return isHit ? `${begin}${line}${end}` : line;
    })
    .join("")
    .trim();
}

const SIGNS: Readonly<Record<Message["role"], string>> = {
  user: "› ",
  assistant: "● ",
  tool: "⎿ ",
  summary: "(summary) ",
  note: "(note) ",
};
const BEFORE = 3;
const LINES = 40;
const MOST = 4_000;

/** What was said before it, in short, and the message from shortly before what was found. */
export async function linesAround(
  db: Pick<AsyncSessionDB, "path">,
  { session, message, snippet }: Pick<SearchHit, "session" | "message" | "snippet">,
): Promise<readonly string[]> {
  const { messages } = await db.path(session.id, { from: message, limit: 2 });
  const hit = messages.at(-1);
  if (!hit) return ["It is not there any more."];
  const [before] = messages.length > 1 ? messages : [];
  const found = snippet.find(({ isHit }) => isHit)?.text.toLowerCase();
  const lines = textLines(hit);
  const at =
    found === undefined
      ? 0
      : Math.max(
          0,
          lines.findIndex((line) => partedWords(line).toLowerCase().includes(found)),
        );
  const from = Math.max(0, at - BEFORE);
  const shown = lines.slice(from, from + LINES);
  return [
    ...(before ? [firstLine(before), ""] : []),
    ...(from > 0 ? ["…"] : []),
    ...(from === 0 ? [`${SIGNS[hit.role]}${shown[0] ?? ""}`, ...shown.slice(1)] : shown),
    ...(lines.length > from + LINES ? ["…"] : []),
  ].map((line) => line.slice(0, MOST));
}

/** The same where only the message is known. */
export async function linesAt(db: Pick<AsyncSessionDB, "path">, session: SearchHit["session"], message: MessageId) {
  return linesAround(db, { session, message, snippet: [] });
}

function firstLine(message: Message): string {
  const [first = "", ...more] = textLines(message).filter((line) => line.trim() !== "");
  return `${SIGNS[message.role]}${first.slice(0, 200)}${more.length > 0 ? " …" : ""}`;
}

function textLines({ parts }: Message): readonly string[] {
  return searchableText(parts).split("\n");
}
