// A word is found whatever picture touches it, and so is the picture, in the text that was stored.
import { describe, expect, it } from "vitest";
import type { SearchHit } from "../../../src/ledger/search-messages.ts";
import { partedWords } from "../../../src/ledger/word-gaps.ts";
import { newSession, openLedger, runTurn } from "../../helpers/ledger.ts";

describe("a text for the word index", () => {
  it.each([
    ["zebra🦓 world", "zebra 🦓 world"],
    ["🦓zebra", "🦓 zebra"],
    ["a🦓b", "a 🦓 b"],
    ["🦓🦓🦓", "🦓 🦓 🦓"],
    ["(🦓)", "(🦓)"],
    ["é🦓1", "é 🦓 1"],
    ["x❤️y", "x ❤️ y"],
    ["x👩‍👩‍👧y", "x 👩‍👩‍👧 y"],
    ["👍🏽👍🏽", "👍🏽 👍🏽"],
    ["🇩🇪🇫🇷", "🇩🇪 🇫🇷"],
    ["no picture 1* 世界", "no picture 1* 世界"],
  ])("%j becomes %j, and stays so", (text, parted) => {
    expect(partedWords(text)).toBe(parted);
    expect(partedWords(parted)).toBe(parted);
  });
});

const marked = ({ snippet }: SearchHit) => snippet.map(({ text, isHit }) => (isHit ? `[${text}]` : text)).join("");

it.each([
  ["zebra", "[zebra] 🦓 world"],
  ["zebra🦓", "[zebra] [🦓] world"],
  ["🦓", "zebra [🦓] world"],
  ["world ❤", "zebra 🦓 [world]"],
  ['"zebra🦓"', "[zebra 🦓] world"],
])("%s finds zebra🦓, before and after it is indexed, also in a long text", (words, found) => {
  const db = openLedger();
  const session = newSession(db);
  runTurn(db, session, "zebra🦓 world", `zebra🦓 world ${"and on ".repeat(4_000)}`);
  for (const isIndexed of [false, true]) {
    if (isIndexed) while (!db.indexStep());
    const { hits } = db.searchMessages({ words, limit: 10 });
    expect(hits.map(({ role }) => role).sort()).toEqual(["assistant", "user"]);
    expect(hits.filter(({ role }) => role === "user").map(marked)).toEqual([found]);
    expect(hits.filter(({ role }) => role === "assistant").map(marked)[0]).toContain("[");
  }
  expect(db.path(session.id, { limit: 2 }).messages[0]?.parts).toEqual([{ kind: "text", text: "zebra🦓 world" }]);
});
