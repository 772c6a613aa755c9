import { describe, expect, it } from "vitest";
import { contextSize, estimateMessage, tokensOf } from "../../../src/agent/tokens.ts";
import type { Message, Part, Usage } from "../../../src/ledger/types.ts";
import { message } from "../ui/view-samples.ts";

const text = (characters: number): readonly Part[] => [{ kind: "text", text: "x".repeat(characters) }];
const user = (id: number, characters: number) => message(id, "user", { parts: text(characters) });
const counted = (id: number, inputTokens: number, outputTokens = 10, more: Partial<Usage> = {}) =>
  message(id, "assistant", { parts: text(40), usage: { inputTokens, outputTokens, ...more } });
const tokens = (...messages: readonly Message[]) => {
  const size = contextSize(messages);
  return size && tokensOf(size);
};

describe("the size of a context", () => {
  it("is not known before an answer was counted", () => {
    expect(tokens()).toBeUndefined();
    expect(tokens(user(1, 4_000))).toBeUndefined();
    expect(tokens(user(1, 4_000), message(2, "assistant", { parts: text(40) }))).toBeUndefined();
  });

  it("is what the provider counted, with what came after it estimated by its bytes", () => {
    expect(tokens(user(1, 4_000), counted(2, 5_000, 100))).toBe(5_100);
    expect(tokens(user(1, 4_000), counted(2, 5_000, 100), user(3, 4_000))).toBe(5_100 + 1_004);
    expect(tokens(counted(2, 5_000, 100, { reasoningTokens: 60 }))).toBe(5_040);
    const wide = message(3, "user", { parts: [{ kind: "text", text: "漢".repeat(400) }] });
    expect(estimateMessage(wide)).toBe(304);
  });

  it("is corrected by what earlier estimates turned out to be", () => {
    const twice = [counted(2, 5_000), user(3, 4_000), counted(4, 5_010 + 2_008)];
    expect(tokens(...twice, user(5, 4_000))).toBe(7_018 + 10 + Math.round(1_004 * 1.5));
    const again = [...twice, user(5, 4_000), counted(6, 7_028 + 2_008)];
    expect(tokens(...again, user(7, 4_000))).toBe(9_036 + 10 + Math.round(1_004 * 1.75));
  });

  it("is corrected within bounds, and by nothing that is too small to tell", () => {
    const odd = [counted(2, 5_000), user(3, 4_000), counted(4, 900_000)];
    expect(tokens(...odd, user(5, 4_000))).toBe(900_010 + 1_004 * 2.5);
    const small = [counted(2, 5_000), user(3, 4), counted(4, 6_000)];
    expect(tokens(...small, user(5, 4_000))).toBe(6_010 + 1_004);
  });

  it("begins anew with a summary, and leaves out what no model is told", () => {
    const summary = message(3, "summary", { parts: [{ kind: "text", text: "s" }] });
    expect(tokens(counted(2, 5_000), summary)).toBeUndefined();
    expect(tokens(counted(2, 5_000), summary, counted(4, 700))).toBe(710);
    const note = message(3, "note", { parts: [{ kind: "note", text: "n".repeat(400) }] });
    expect(tokens(counted(2, 5_000), note)).toBe(5_010);
  });
});
