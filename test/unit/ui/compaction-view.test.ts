// What the screen makes of a compaction: while it runs, when it is done, and when it came to nothing.
import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../../src/agent/events.ts";
import { liveLines } from "../../../src/ui/live-lines.ts";
import { ProgressWords } from "../../../src/ui/progress-words.ts";
import { lineText } from "../../../src/ui/styled-line.ts";
import { after, delta, message, openView, plainTheme, printed, session, started, turnId } from "./view-samples.ts";

type Reason = Extract<SessionEvent, { type: "compaction-started" }>["reason"];

const begun = (reason: Reason): SessionEvent => ({
  type: "compaction-started",
  admission: turnId,
  reason,
  tokens: 123_456,
});
const stage: SessionEvent = { type: "compaction-stage", admission: turnId, stage: 2, of: 5 };
const done: SessionEvent = { type: "compacted", admission: turnId, session: { ...session, generation: 1 } };
const left: SessionEvent = { type: "compaction-left", admission: turnId, why: "Not compacted: no key" };
const summary = {
  ...message(9, "summary", {}),
  parts: [{ kind: "summary", text: "a secret of the model", folded: 42, before: 123_456, after: 18_000 }],
} as const;
const added: SessionEvent = { type: "message-added", message: summary };

const shown = (...events: readonly SessionEvent[]) =>
  liveLines(after(openView(), started, ...events), { width: 100, theme: plainTheme }).map((line) =>
    lineText(line).trim(),
  );

describe("a compaction", () => {
  it("says how much is summed up, why, and how far it is", () => {
    expect(shown(begun("asked"))).toEqual(["compacting about 123,456 tokens"]);
    expect(shown(begun("full"), stage)).toEqual([
      "compacting about 123,456 tokens, the window is nearly full · part 2 of 5",
    ]);
  });

  it("prints sizes before and after, not the text, and goes on in the new session", () => {
    const state = after(openView(), started, begun("asked"), added, done);
    expect(printed(state)).toEqual([
      expect.stringMatching(/compacted 42 messages for the model: 123,456 → 18,000 tokens/),
      "  ctrl+o shows the summary",
      "  /undo takes it back",
    ]);
    expect(state.session?.generation).toBe(1);
    expect(state.turn?.compaction).toBeUndefined();
  });

  it("promises an undo only where it is the last thing that happened", () => {
    expect(printed(after(openView(), started, begun("full"), added, done, delta("more\n\n")))).not.toContain(
      "  /undo takes it back",
    );
  });

  it("says once why it came to nothing", () => {
    const end: SessionEvent = {
      type: "turn-settled",
      admission: turnId,
      outcome: "rejected",
      error: { code: "compaction_skipped", message: "Not compacted: no key" },
    };
    expect(printed(after(openView(), started, begun("asked"), left, end))).toEqual(["  Not compacted: no key"]);
    const words = new ProgressWords();
    expect([begun("full"), left, end].flatMap((event) => words.lines(event))).toEqual([
      "compacting about 123,456 tokens, the window is nearly full",
      "Not compacted: no key",
    ]);
  });
});
