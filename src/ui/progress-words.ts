// Progress of a turn on stderr, for text mode: a line when a call starts, and one with the reason when it came to
// nothing. Remembers the calls that ended badly until their results come.
import type { SessionEvent } from "../agent/events.ts";
import { fallbackWords } from "../agent/fallback-words.ts";
import { sentences, withoutStop } from "../agent/sentences.ts";
import type { Message, ToolCall, ToolOutcome } from "../ledger/types.ts";
import { compactedWords, compactingWords } from "./compaction-words.ts";
import { contextChangeWords, contextGapWords } from "./context-words.ts";
import { waitWords } from "./retry-words.ts";

export class ProgressWords {
  readonly #ended = new Map<string, ToolCall>();

  /** Not sanitised. */
  lines(event: SessionEvent): readonly string[] {
    switch (event.type) {
      case "lease-awaited": {
        const { holder } = event;
        const who = holder ? `${holder.program}, pid ${holder.pid},` : "another program";
        return [`waiting: ${who} holds this conversation`];
      }
      case "context-files": {
        const words = contextChangeWords(event) ?? contextGapWords(event);
        return words === undefined ? [] : [words];
      }
      case "compaction-started":
        return [compactingWords(event)];
      case "compaction-left":
        return [event.why];
      case "retry-wait":
        return [`${withoutStop(event.error.message)}: ${waitWords(event)}`];
      case "fallback":
        return fallbackWords(event);
      case "call-changed":
        return this.#callLines(event.call);
      case "message-added":
        return event.message.role === "summary" ? [compactedWords(event.message)] : this.#resultLines(event.message);
      case "turn-settled":
        return event.error && event.error.code !== "compaction_skipped"
          ? [sentences(`${event.outcome}: ${event.error.message}`, event.error.hint)]
          : [];
      case "ledger-problem":
        return [sentences(`NOT SAVED: ${event.error.message}`, event.error.hint)];
      default:
        return [];
    }
  }

  #callLines(call: ToolCall): readonly string[] {
    if (call.state === "running") return [`· ${callWords(call)}`];
    if (isBad(call.state)) this.#ended.set(call.call, call);
    return [];
  }

  #resultLines({ parts }: Message): readonly string[] {
    return parts.flatMap((part) => {
      const call = part.kind === "tool-result" ? this.#ended.get(part.call) : undefined;
      if (!call || part.kind !== "tool-result") return [];
      this.#ended.delete(part.call);
      const reason = reasonOf(part.outcome);
      return [`${call.state === "denied" ? "denied" : "failed"} ${callWords(call)}${reason && `: ${reason}`}`];
    });
  }
}

/** `skipped`: it never began, for it could not have worked. */
function isBad(state: ToolCall["state"]): boolean {
  return state === "denied" || state === "failed" || state === "skipped";
}

function callWords({ tool, input }: ToolCall): string {
  return `${tool} ${JSON.stringify(input)}`;
}

/** Characters of a reason. */
const mostReason = 300;

function reasonOf({ exitCode, output = "" }: ToolOutcome): string {
  if (exitCode !== undefined) return `exit ${exitCode}`;
  const first = output.split("\n").find((line) => line.trim() !== "") ?? "";
  return first.length > mostReason ? `${first.slice(0, mostReason)}…` : first;
}
