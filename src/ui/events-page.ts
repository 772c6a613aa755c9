// docs/events.md: what `stele run --json` prints, from one table that has every event of the printer.
// `node scripts/generate-docs.mjs` writes it; a test compares.
import type { SessionEvent } from "../agent/events.ts";

type Printed = Exclude<
  SessionEvent["type"],
  | "prompt-steered"
  | "conversation-gone"
  | "lease-acquired"
  | "lease-given-up"
  | "rule-kept"
  | "held-elsewhere"
  | "stop-asked"
  | "queue-changed"
  | "prompts-kept"
  | "session-changed"
  | "call-output"
  | "head-moved"
>;

interface Described {
  readonly when: string;
  readonly fields: Readonly<Record<string, string>>;
}

const error = "`code`, `message`, `hint`";

const events: Readonly<Record<Printed, Described>> = {
  session: {
    when: "First: which conversation the turn belongs to.",
    fields: {
      session: "its id",
      conversation: "id of the first session of it",
      generation: "how often it was compressed",
      model: "`provider/model`",
      resumed: "whether it was there before",
    },
  },
  "prompt-admitted": {
    when: "The prompt is in the ledger: it is safe from here on.",
    fields: { admission: "number of the turn", request: "the name it was asked under", state: "`queued` or later" },
  },
  "lease-awaited": {
    when: "Another program holds the conversation; said again every 15 s.",
    fields: { holder: "`pid`, `program`, `since`" },
  },
  "context-files": {
    when: "The next turn begins with a new system prompt, and the project has, or had, files for it.",
    fields: {
      files: "each with `name`, `bytes`, `isCut`",
      left: "those that are not told, each with `name`, `why`",
      changed: "names of the new ones, where the conversation had another system prompt before",
    },
  },
  "loop-changed": {
    when: "The conversation's loop was started, ticks, or ended (`stele loop --foreground`).",
    fields: {
      loop: "`id`, `state`, `why`, `prompt`, what was asked (`everyMs`, `times`, `until`, `budgetUsd`), `ticks`, `spentUsd`, `delayMs`, `nextDueAt`",
    },
  },
  "turn-started": { when: "The turn runs.", fields: { admission: "its number" } },
  "turn-blocked": {
    when: "An interrupted turn has to be decided about first (`stele recover`).",
    fields: { admission: "the interrupted turn", state: "where it stands" },
  },
  "retry-wait": {
    when: "The model's answer failed in a way that repeating may mend. The deltas since the last message are void.",
    fields: {
      admission: "number of the turn",
      retry: "1 for the first",
      of: "how many there are at most",
      waitMs: "until the same request is made again",
      at: "when that is",
      error,
    },
  },
  fallback: {
    when: "The turn's model does not answer; another does, for the rest of the turn.",
    fields: {
      admission: "number of the turn",
      from: "`provider/model`",
      to: "`provider/model`",
      lostEffort: "optional; the effort that was set, and which the other model does not have",
      error,
    },
  },
  "compaction-started": {
    when: "What came before is being summed up for the model.",
    fields: {
      admission: "number of the turn",
      reason: "`asked`, `full`: the window nearly is, or `overflow`: so the provider says",
      tokens: "of the next request as it would be, estimated",
    },
  },
  "compaction-stage": {
    when: "A request for a part of the summary goes out; longer conversations take several.",
    fields: { admission: "number of the turn", stage: "1 for the first", of: "how many there are" },
  },
  compacted: {
    when: "The conversation goes on in a new session, whose first message, the summary, came right before.",
    fields: { admission: "number of the turn", session: "id of that session", generation: "its number" },
  },
  "compaction-left": {
    when: "It is not compacted, and nothing was changed.",
    fields: { admission: "number of the turn", why: "in words" },
  },
  "text-delta": { when: "A piece of an answer, not stored yet.", fields: { text: "the piece" } },
  "reasoning-delta": { when: "A piece of the model's reasoning, not stored yet.", fields: { text: "the piece" } },
  "message-added": {
    when: "A message is stored.",
    fields: { message: "`id`, `parent`, `role`, `parts`, `at`" },
  },
  "call-changed": {
    when: "A tool call is stored in another state.",
    fields: { call: "`id`, `message`, `call`, `tool`, `effect`, `state`" },
  },
  "turn-settled": {
    when: "Last: the turn is over, and how.",
    fields: {
      admission: "number of the turn",
      outcome: "`completed`, `interrupted`, `failed` or `rejected`",
      message: "id of the last message",
      usage: "tokens of the whole turn",
      error,
    },
  },
  "ledger-problem": { when: "Something could not be stored; the run ends with exit code 4.", fields: { error } },
};

export function eventsPage(): string {
  const head = [
    "# Events",
    "",
    "Generated from the table in `src/ui/events-page.ts` by `node scripts/generate-docs.mjs`.",
    "`stele run --json` prints one object a line, each after its commit; only deltas and `retry-wait` have none.",
    "What is absent is absent, never null. Times are ms since the epoch.",
    "",
  ];
  const sections = Object.entries(events).flatMap(([type, { when, fields }]) => [
    `## ${type}`,
    "",
    when,
    "",
    ...Object.entries(fields).map(([name, what]) => `- \`${name}\`: ${what}`),
    "",
  ]);
  return [...head, ...sections].join("\n");
}
