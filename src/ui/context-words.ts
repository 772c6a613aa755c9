// What is said when a conversation's next turn begins with other instructions of the project than its last. Pure.
import type { SessionEvent } from "../agent/events.ts";

/** Raw; undefined for a conversation that begins: a start says what it is told. */
export function contextChangeWords(
  event: Extract<SessionEvent, { readonly type: "context-files" }>,
): string | undefined {
  const { changed, files, left } = event;
  if (!changed) return undefined;
  const missing = left.map(({ name, why }) => ` ${name} is left out: ${why}.`).join("");
  if (changed.length > 0) return `${changed.join(", ")} changed: the model is told anew.${missing}`;
  const rest = files.length === 0 ? "no context file any more" : `only ${files.map(({ name }) => name).join(", ")} now`;
  return `A context file is gone: the model is told ${rest}.${missing}`;
}
