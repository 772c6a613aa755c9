import fc from "fast-check";
import { expect, test } from "vitest";
import { findJsonFault } from "../../../src/config/json-fault.ts";
import { fullNumber } from "../../helpers/full-numbers.ts";

test.each([
  ["", 1, 1, "expected a value, found the end of the file"],
  ['{"a": 1', 1, 8, "expected a comma or the closing bracket, found the end of the file"],
  ['{\n  "a": x\n}', 2, 8, 'expected a value, found "x"'],
  ['{\r\n  "a" 1}', 2, 7, 'expected a colon, found "1"'],
  ['{"a": 1,\n}', 2, 1, "a comma before } is not allowed"],
  ["[1,]", 1, 4, "a comma before ] is not allowed"],
  ["{a: 1}", 1, 2, 'expected a key in double quotes or }, found "a"'],
  ["{'a': 1}", 1, 2, "text stands in double quotes"],
  ['{ // mine\n"a": 1}', 1, 3, "comments are not allowed"],
  ['{"a": "b\n"}', 1, 7, "this text does not end on its line, or has an escape that is not allowed"],
  ["{} {}", 1, 4, 'expected the end of the file, found "{"'],
  ["[1}", 1, 3, 'expected a comma or the closing bracket, found "}"'],
])("%j fails at line %d, column %d: %s", (text, line, column, problem) => {
  expect(findJsonFault(text)).toEqual({ line, column, problem });
});

test("it finds a fault exactly where JSON.parse refuses", () => {
  const nearlyJson = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom("", ",", "}", "]", "[", '"', "0", "\\", ":", " ", "e", "-", "."))
    .map(([json, at, change]) => {
      const cut = at % (json.length + 1);
      return json.slice(0, cut) + change + json.slice(cut + (at % 2));
    });
  fc.assert(
    fc.property(nearlyJson, (text) => {
      expect(findJsonFault(text) === undefined).toBe(isJson(text));
    }),
    { numRuns: fullNumber(3_000, 750) },
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // the answer that was asked for
  }
}
