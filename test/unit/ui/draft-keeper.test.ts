import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ConversationId } from "../../../src/ledger/types.ts";
import { DraftKeeper } from "../../../src/ui/draft-keeper.ts";

const here = "c1" as ConversationId;
const there = "c2" as ConversationId;

describe("the draft of a window", () => {
  let text = "";
  let mayWrite = true;
  let fails = false;
  let writes: string[] = [];
  const keeper = (): DraftKeeper =>
    new DraftKeeper({
      save: (conversation, draft) => {
        const from = draft.from === undefined ? "" : ` from ${draft.from}`;
        writes.push(`${conversation} ${draft.window}${from}: ${draft.text}`);
        return fails ? Promise.reject(new Error("busy")) : Promise.resolve();
      },
      window: "tty1",
      text: () => text,
      mayWrite: () => mayWrite,
    });
  const type = (drafts: DraftKeeper, words: string): void => {
    text = words;
    drafts.changed();
  };

  beforeEach(() => {
    vi.useFakeTimers();
    text = "";
    mayWrite = true;
    fails = false;
    writes = [];
  });
  afterEach(() => void vi.useRealTimers());

  it("is written half a second after the last key, and not for each of them", async () => {
    const drafts = keeper();
    drafts.open(here, undefined);
    for (const words of ["h", "he", "hey"]) {
      type(drafts, words);
      await vi.advanceTimersByTimeAsync(200);
    }
    expect(writes).toEqual([]);
    await vi.advanceTimersByTimeAsync(500);
    expect(writes).toEqual(["c1 tty1: hey"]);
  });

  it("is written every three seconds while somebody types without a pause", async () => {
    const drafts = keeper();
    drafts.open(here, undefined);
    for (let each = 1; each <= 35; each += 1) {
      type(drafts, "x".repeat(each));
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(writes).toHaveLength(1);
  });

  it("is written more seldom the longer it is, for it is written as a whole", async () => {
    const drafts = keeper();
    drafts.open(here, undefined);
    type(drafts, "x".repeat(10_000_000));
    await vi.advanceTimersByTimeAsync(500);
    expect(writes).toHaveLength(1);
    for (let each = 1; each <= 40; each += 1) {
      type(drafts, "x".repeat(10_000_000 + each));
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(writes).toHaveLength(2);
    await drafts.flush();
    expect(writes).toHaveLength(3);
  });

  it("is removed when it is sent, and costs nothing when it never was written", async () => {
    const drafts = keeper();
    drafts.open(here, undefined);
    type(drafts, "sent at once");
    type(drafts, "");
    await drafts.flush();
    expect(writes).toEqual([]);
    type(drafts, "words");
    await drafts.flush();
    type(drafts, "");
    await drafts.flush();
    expect(writes).toEqual(["c1 tty1: words", "c1 tty1: "]);
  });

  it("writes a restored text at once in place of the one it was taken from, and then nothing until it changes", async () => {
    const drafts = keeper();
    text = "old words";
    drafts.open(here, { text, key: "tty9", holder: "dead" });
    drafts.changed();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(writes).toEqual(["c1 tty1 from tty9: old words"]);
    type(drafts, "");
    await drafts.flush();
    expect(writes.slice(1)).toEqual(["c1 tty1: "]);
  });

  it("goes along to another conversation, and leaves none behind", async () => {
    const drafts = keeper();
    drafts.open(here, undefined);
    type(drafts, "words");
    await drafts.flush();
    await drafts.leave();
    drafts.open(there, undefined);
    await drafts.flush();
    expect(writes).toEqual(["c1 tty1: words", "c1 tty1: ", "c2 tty1: words"]);
  });

  it("writes nothing while the ledger cannot be written, and catches up", async () => {
    const drafts = keeper();
    drafts.open(here, undefined);
    mayWrite = false;
    type(drafts, "words");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(writes).toEqual([]);
    expect(drafts.hasChanged).toBe(true);
    mayWrite = true;
    await drafts.flush();
    expect(writes).toEqual(["c1 tty1: words"]);
  });

  it("tries again after a write that failed, with the next change and not at once", async () => {
    const drafts = keeper();
    drafts.open(here, undefined);
    fails = true;
    type(drafts, "words");
    await drafts.flush();
    fails = false;
    writes = [];
    type(drafts, "words!");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(writes).toEqual([]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(writes).toEqual(["c1 tty1: words!"]);
  });
});
