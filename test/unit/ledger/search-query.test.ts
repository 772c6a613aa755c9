import { createRequire } from "node:module";
import type BetterSqlite3 from "better-sqlite3";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { FTS_TOKENIZER } from "../../../src/ledger/schema.ts";
import { matchExpression } from "../../../src/ledger/search-query.ts";

const Database = createRequire(import.meta.url)("better-sqlite3") as typeof BetterSqlite3;
const db = new Database(":memory:");
db.exec(`create virtual table texts using fts5 (text, tokenize = '${FTS_TOKENIZER}')`);
db.prepare("insert into texts (text) values (?)").run("a worker reads src/ui/app.tsx and says don't");
const find = db.prepare<[string], unknown>("select rowid from texts where texts match ?");
afterAll(() => db.close());

describe("a query", () => {
  it.each([
    ["parser bug", '"parser" "bug"'],
    ['"parser bug" fix', '"parser bug" "fix"'],
    ['say "open', '"say" "open"'],
    ['""', undefined],
    ["wor*", '"wor"*'],
    ["wor***", '"wor"*'],
    ["*wor", '"wor"'],
    ["wo*rd", '"wo"* "rd"'],
    ["*", undefined],
    ["app.tsx", '"app.tsx"'],
    ["read-back", '"read-back"'],
    ["snake_case", '"snake_case"'],
    ["src/ui", '"src" "ui"'],
    ["a AND b", '"a" AND "b"'],
    ["a OR b NOT c", '"a" OR "b" NOT "c"'],
    ["AND a", '"a"'],
    ["a OR", '"a"'],
    ["a AND OR NOT b", '"a" AND "b"'],
    ["AND", undefined],
    ["and or not", '"and" "or" "not"'],
    ["NEAR(a b, 5)", '"NEAR" "a" "b" "5"'],
    ["text:a ^b + {c}", '"text" "a" "b" "c"'],
    ["don't", '"don" "t"'],
    ["50% & more", '"50" "more"'],
    ["   ", undefined],
    ["--- ... !!!", undefined],
    ["a\0b", '"a" "b"'],
    ["zebra🦓", '"zebra" "🦓"'],
    ["🦓", '"🦓"'],
    ["🦓🦓x*", '"🦓" "🦓" "x"*'],
    ['"zebra🦓herd"', '"zebra 🦓 herd"'],
    ["👩‍👩‍👧 🇩🇪👍🏽", '"👩‍👩‍👧" "🇩🇪" "👍🏽"'],
    ["世界 naïve", '"世界" "naïve"'],
  ])("%j is asked for as %j", (typed, asked) => {
    expect(matchExpression(typed)).toBe(asked);
  });

  it("is cut after 2,048 characters", () => {
    expect(matchExpression(`${" ".repeat(2044)}deep water`)).toBe('"deep"');
  });

  it("takes the last word as a beginning only while somebody types it", () => {
    expect(matchExpression("a wor", { isTyping: true })).toBe('"a" "wor"*');
    expect(matchExpression("a wor ", { isTyping: true })).toBe('"a" "wor"');
    expect(matchExpression('a "wor"', { isTyping: true })).toBe('"a" "wor"');
  });

  it.each(["work*", "src/ui", "don't", '"worker reads"', "reads AND worker", "app.ts*", "worker NOT nothing"])(
    "%s finds what it means",
    (typed) => {
      expect(find.all(matchExpression(typed) ?? "")).toHaveLength(1);
    },
  );

  it("never has a syntax of its own, whatever was typed", () => {
    const pieces = fc.constantFrom(
      '"',
      "*",
      "AND",
      "OR",
      "NOT",
      "NEAR",
      "(",
      ")",
      " ",
      "a",
      "b-c",
      "^",
      ":",
      "'",
      "\0",
      "é",
      "世",
      "🦓",
      "❤️",
      "🇩",
    );
    const anything = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
      fc.array(pieces, { maxLength: 40 }).map((each) => each.join("")),
      fc.array(pieces, { maxLength: 40 }).map((each) => each.join(" ")),
    );
    fc.assert(
      fc.property(anything, fc.boolean(), (typed, isTyping) => {
        const asked = matchExpression(typed, { isTyping });
        if (asked !== undefined) find.all(asked);
      }),
      { numRuns: 2_000 },
    );
  });
});
