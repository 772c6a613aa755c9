// A look at one exchange: the prompt, and the end of what was last said to it.
import type { Message } from "../ledger/types.ts";
import type { PickLook } from "./command.ts";

/** Of a prompt from its beginning, of an answer from its end. */
const CHARACTERS = 4_000;

/** The answer is the newest one of these messages that came after the prompt, in its turn. */
export function exchangeLook(prompt: Message | undefined, messages: readonly Message[]): PickLook {
  const answer = messages.findLast(
    (message) => message.turn === prompt?.turn && message.role === "assistant" && textOf(message) !== "",
  );
  return {
    kind: "exchange",
    prompt: `› ${prompt ? textOf(prompt).slice(0, CHARACTERS) : ""}`.split("\n"),
    answer: answer ? `● ${textOf(answer)}`.slice(-CHARACTERS).split("\n") : ["(no answer)"],
  };
}

function textOf({ parts }: Message): string {
  return parts
    .flatMap((part) => (part.kind === "text" ? [part.text] : []))
    .join("\n")
    .trim();
}
