import { expect, test } from "vitest";
import { exitCodeOf } from "../../src/exit-codes.ts";

test.each([
  ["admission_conflict", 2],
  ["not_found", 2],
  ["bad_input", 2],
  ["ledger_busy", 3],
  ["lease_lost", 3],
  ["ledger_disk_full", 4],
  ["ledger_newer", 4],
  ["illegal_edge", 4],
  ["model_auth", 1],
  ["constructor", 1],
])("%s ends with %d", (code, exit) => {
  expect(exitCodeOf(code)).toBe(exit);
});
