import { describe, expect, it } from "vitest";
import type { Draft, DraftHolder } from "../../../src/ledger/types.ts";
import { composerReducer, createComposer, unsentText } from "../../../src/ui/composer-state.ts";
import { unsentDraft } from "../../../src/ui/unsent-draft.ts";
import { halfAnswer, message } from "./view-samples.ts";

const draft = (window: string, text: string, at: number, holder: DraftHolder = "dead"): Draft => ({
  ...{ kind: "composer", window, text, at },
  holder,
});
const none = { messages: [], waiting: [] };

describe("the text that comes back", () => {
  it("is the one of this window, else the newest, and never an answer", () => {
    const drafts = [draft("b", "newest", 9), draft("a", "mine", 5), { ...halfAnswer, at: 99 }];
    expect(unsentDraft({ drafts, ...none }, "a")?.text).toBe("mine");
    expect(unsentDraft({ drafts, ...none }, "c")?.text).toBe("newest");
    expect(unsentDraft({ drafts: [halfAnswer], ...none }, "c")).toBeUndefined();
  });

  it("is none of a window that is there, and one of which nobody knows only where there is no other", () => {
    const alive = draft("b", "theirs", 9, "alive");
    const unproven = draft("a", "from elsewhere", 8, "unproven");
    expect(unsentDraft({ drafts: [alive], ...none }, "b")).toBeUndefined();
    expect(unsentDraft({ drafts: [alive, unproven], ...none }, "a")?.text).toBe("from elsewhere");
    const left = [draft("b", "left", 2), draft("a", "older", 1)];
    expect(unsentDraft({ drafts: [alive, unproven, ...left], ...none }, "c")?.text).toBe("left");
    expect(unsentDraft({ drafts: [...left, draft("d", "own", 0, "self")], ...none }, "a")?.text).toBe("own");
  });

  it("is not one that was sent before the crash, but is the same words written again later", () => {
    const drafts = [draft("a", "go on", 5)];
    const user = message(1, "user", { parts: [{ kind: "text", text: "go on" }], at: 6 });
    expect(unsentDraft({ drafts, messages: [user], waiting: [] }, "a")).toBeUndefined();
    expect(unsentDraft({ drafts, messages: [{ ...user, at: 4 }], waiting: [] }, "a")?.text).toBe("go on");
    const waiting = [{ payload: { prompt: user.parts }, queuedAt: 7 } as never];
    expect(unsentDraft({ drafts, messages: [], waiting }, "a")).toBeUndefined();
  });
});

describe("unsent text", () => {
  const state = createComposer({ width: 40, history: ["earlier"], text: "mine" });

  it("is what was written, not the earlier prompt that is being looked at", () => {
    const recalled = composerReducer(state, { type: "up" });
    expect(unsentText(recalled)).toBe("mine");
    expect(unsentText(composerReducer(recalled, { type: "insert", text: "!" }))).toBe("earlier!");
  });

  it("holds the exact bytes of a paste", () => {
    const paste = "a\tb\x1b[31m\n".repeat(30);
    expect(unsentText(composerReducer(state, { type: "paste", text: paste }))).toBe(`mine${paste}`);
    const restored = composerReducer(createComposer({ width: 40 }), { type: "set", text: `mine${paste}` });
    expect(unsentText(restored)).toBe(`mine${paste}`);
  });
});
