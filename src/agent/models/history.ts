// Makes a conversation that any provider may have answered fit for the one that is asked next: ids of calls in
// its alphabet and unique in the whole, no reasoning but its own, no empty blocks, no broken characters, and
// where it insists, roles that alternate from a person's words on. Each id depends only on what stands before
// it, so that the beginning of a conversation stays the same and can be cached. Pure: nothing stored is changed.
import type { Json, Part } from "../../ledger/types.ts";
import type { ModelMessage } from "./model.ts";

export interface HistoryRules {
  /** Reasoning of another provider is left out. */
  readonly provider: string;
  /** An id of at most this length out of letters, digits, `_` and `-`. */
  readonly maxId: number;
  /** Mistral: exactly nine letters and digits. */
  readonly nine?: boolean;
  /** Roles alternate and begin and end with a person's; texts hold more than blanks; inputs are objects. */
  readonly isStrict: boolean;
  /** Whether opaque reasoning is whole enough to be replayed. */
  readonly canReplay: (data: string) => boolean;
}

export function fitHistory(messages: readonly ModelMessage[], rules: HistoryRules): ModelMessage[] {
  const ids = new CallIds(rules);
  const fitted: ModelMessage[] = [];
  for (const { role, parts } of messages) {
    const kept = withoutLooseReasoning(parts.flatMap((part) => fitPart(part, ids, rules)));
    if (kept.length === 0) continue;
    const before = fitted.at(-1);
    if (rules.isStrict && before?.role === role)
      fitted[fitted.length - 1] = { role, parts: [...before.parts, ...kept] };
    else fitted.push({ role, parts: kept });
  }
  return rules.isStrict ? framed(fitted) : fitted;
}

function fitPart(part: Part, ids: CallIds, rules: HistoryRules): Part[] {
  switch (part.kind) {
    case "text": {
      const text = part.text.toWellFormed();
      const { opaque: _, ...bare } = part;
      if (text === "" || (rules.isStrict && text.trim() === "")) return [];
      return [{ ...(part.opaque?.provider === rules.provider ? part : bare), text }];
    }
    case "reasoning": {
      const isOwn = part.opaque?.provider === rules.provider && rules.canReplay(part.opaque.data);
      // A signature is of the very text: changed in one character it is refused.
      return isOwn && part.text.isWellFormed() ? [part] : [];
    }
    case "tool-call": {
      const input = wellFormed(part.input);
      const { opaque: _, ...bare } = part;
      const own = part.opaque?.provider === rules.provider ? part : bare;
      return [{ ...own, call: ids.ofCall(part.call), input: rules.isStrict ? asObject(input) : input }];
    }
    case "tool-result": {
      const call = ids.ofResult(part.call);
      if (call === undefined) return rules.isStrict ? [] : [part];
      const { output } = part.outcome;
      const outcome = output === undefined ? part.outcome : { ...part.outcome, output: output.toWellFormed() };
      return [{ ...part, call, outcome }];
    }
    default:
      return [part];
  }
}

/** Reasoning leads to something: at the end of a message, what it led to was left out, and it is refused. */
function withoutLooseReasoning(parts: readonly Part[]): readonly Part[] {
  return parts.slice(0, parts.findLastIndex((part) => part.kind !== "reasoning") + 1);
}

function framed(messages: readonly ModelMessage[]): ModelMessage[] {
  const said = (text: string): ModelMessage => ({ role: "user", parts: [{ kind: "text", text }] });
  const first = messages[0]?.role === "user" ? [] : [said("(The beginning of this conversation is left out.)")];
  // An answer at the end would be taken for the beginning of the next one.
  const last = messages.at(-1)?.role === "assistant" ? [said("Continue.")] : [];
  return [...first, ...messages, ...last];
}

function asObject(input: Json): Json {
  return typeof input === "object" && input !== null && !Array.isArray(input) ? input : { input };
}

function wellFormed(value: Json): Json {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return (value as readonly Json[]).map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key.toWellFormed(), wellFormed(one as Json)]));
}

/** The ids as the provider takes them. A result belongs to the newest call of its id. */
class CallIds {
  readonly #rules: HistoryRules;
  readonly #taken = new Set<string>();
  readonly #newest = new Map<string, string>();

  constructor(rules: HistoryRules) {
    this.#rules = rules;
  }

  ofCall(asked: string): string {
    for (let n = 1; ; n += 1) {
      const id = this.#rules.nine ? nine(asked, n) : this.#plain(asked, n);
      if (this.#taken.has(id)) continue;
      this.#taken.add(id);
      this.#newest.set(asked, id);
      return id;
    }
  }

  ofResult(asked: string): string | undefined {
    return this.#newest.get(asked);
  }

  #plain(asked: string, n: number): string {
    const tail = n === 1 ? "" : `_${n}`;
    const base = asked.replace(/[^A-Za-z0-9_-]/g, "_") || "call";
    return base.slice(0, this.#rules.maxId - tail.length) + tail;
  }
}

function nine(asked: string, n: number): string {
  if (n === 1 && /^[A-Za-z0-9]{9}$/.test(asked)) return asked;
  return hash(`${n} ${asked}`).toString(36).padStart(9, "0").slice(-9);
}

/** FNV-1a over UTF-16 units, 53 bits of two halves: only has to differ, not to be secret. */
function hash(text: string): number {
  let low = 0x811c9dc5;
  let high = 0x01000193;
  for (let at = 0; at < text.length; at += 1) {
    low = Math.imul(low ^ text.charCodeAt(at), 0x01000193) >>> 0;
    high = Math.imul(high ^ text.charCodeAt(at), 0x85ebca6b) >>> 0;
  }
  return (high & 0x1fffff) * 0x100000000 + low;
}
