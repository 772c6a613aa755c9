import { describe, expect, it } from "vitest";
import type { ConversationId, SessionId, UnsentBeginning } from "../../../src/ledger/types.ts";
import { leftUnsent } from "../../../src/ui/left-unsent.ts";

const text = (session: string, beginning: string): UnsentBeginning => ({
  session: session as SessionId,
  conversation: session as ConversationId,
  beginning,
  at: 0,
});
const said = (all: readonly UnsentBeginning[]) => leftUnsent(all, 180_000).map((block) => JSON.stringify(block));

describe("what was left unsent", () => {
  it("is named on one line with the command that brings it back, the newest two, and a count of the others", () => {
    const all = [text("s1", "three\n\nparagraphs\t".repeat(20)), text("s2", "short"), text("s3", "a"), text("s4", "b")];
    const lines = said(all);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/unsent text of 3 min.*“three paragraphs .*…” · \/resume s1 brings it back/);
    expect(lines[1]).toContain("“short” · /resume s2");
    expect(lines[2]).toContain("2 more unsent texts: /resume");
    expect(said(all.slice(0, 2))).toHaveLength(2);
    expect(said([])).toEqual([]);
  });
});
