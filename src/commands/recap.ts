// The last exchanges of a session in a few short lines (C 6.4).
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { Message, Session } from "../ledger/types.ts";
import { counted } from "./results.ts";

const EXCHANGES = 10;
const PROMPT_CHARACTERS = 300;
const ANSWER_CHARACTERS = 200;
/** Of one read; a session whose turns are longer shows fewer exchanges. */
const WINDOW = 400;

export async function recapOf(db: AsyncSessionDB, session: Session): Promise<readonly string[]> {
  const { messages, earlier } = await db.path(session.id, { limit: WINDOW });
  const spoken = messages.filter((message) => textOf(message) !== "");
  const firstShown = spoken.filter(({ role }) => role === "user").at(-EXCHANGES);
  const from = firstShown ? spoken.indexOf(firstShown) : 0;
  const before = earlier + (firstShown ? messages.indexOf(firstShown) : 0);
  const shown = lastAnswers(spoken.slice(from)).map(recapLine);
  return before > 0 ? [counted(before, "earlier message"), ...shown] : shown;
}

/** Of several answers to one prompt only the last: what came between is work, not what was said. */
function lastAnswers(messages: readonly Message[]): readonly Message[] {
  return messages.filter(({ role }, at) => role === "user" || messages[at + 1]?.role !== "assistant");
}

function recapLine(message: Message): string {
  return message.role === "user"
    ? `› ${clip(textOf(message), PROMPT_CHARACTERS)}`
    : `● ${clip(textOf(message), ANSWER_CHARACTERS)}`;
}

function textOf({ role, parts }: Message): string {
  if (role !== "user" && role !== "assistant") return "";
  const texts = parts.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  return texts.join(" ").replace(/\s+/g, " ").trim();
}

function clip(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}
