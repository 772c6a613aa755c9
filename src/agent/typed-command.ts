// What a person types as `!command` or `!!command`: the words, and what is admitted for them. Pure.
import type { Payload, ShellPart } from "../ledger/types.ts";

/** As long as a command of a model may take, in s; then it goes on in the background. */
const TIMEOUT_S = 600;

/** Undefined: it is no command. The marks may stand alone, then the command is empty. */
export function readTyped(text: string): { readonly command: string; readonly told: boolean } | undefined {
  const marks = /^!{1,2}/.exec(text)?.[0];
  return marks === undefined ? undefined : { command: text.slice(marks.length).trim(), told: marks === "!" };
}

/** The text as it was typed stays beside the command: it comes back by undo and in the history. */
export function typedPrompt(text: string): Payload["prompt"] | undefined {
  const typed = readTyped(text);
  if (typed === undefined || typed.command === "") return undefined;
  const shell: ShellPart = { kind: "shell", ...typed, timeout: TIMEOUT_S };
  return [{ kind: "text", text }, shell];
}
