// What is said of the instructions of the project: when a conversation's next turn begins with other ones than its last,
// and without a screen also where a first turn does not get all of them. Pure.
import type { SessionEvent } from "../agent/events.ts";

type ContextEvent = Extract<SessionEvent, { readonly type: "context-files" }>;

/** Raw; undefined for a conversation that begins: a start says what it is told. */
export function contextChangeWords(event: ContextEvent): string | undefined {
  const { changed, files } = event;
  if (!changed) return undefined;
  const missing = notTold(event).map((words) => ` ${words}`);
  if (changed.length > 0) return `${changed.join(", ")} changed: the model is told anew.${missing.join("")}`;
  const rest = files.length === 0 ? "no context file any more" : `only ${files.map(({ name }) => name).join(", ")} now`;
  return `A context file is gone: the model is told ${rest}.${missing.join("")}`;
}

/** Where no start said it: raw; undefined where all of it is told. */
export function contextGapWords(event: ContextEvent): string | undefined {
  const missing = notTold(event);
  return missing.length === 0 ? undefined : missing.join(" ");
}

function notTold({ files, left }: ContextEvent): readonly string[] {
  const cut = files.filter(({ isCut }) => isCut);
  return [
    ...cut.map(
      ({ name, bytes }) => `${name} is cut: all such files together may have 64 KB, it has ${kilobytes(bytes)}.`,
    ),
    ...left.map(({ name, why }) => `${name} is left out: ${why}.`),
  ];
}

function kilobytes(bytes: number): number {
  return Math.ceil(bytes / 1024);
}
