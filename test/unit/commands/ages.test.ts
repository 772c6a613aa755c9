import { expect, it } from "vitest";
import { ageOf } from "../../../src/commands/ages.ts";

const MINUTE = 60_000;

it.each([
  [0, "just now"],
  [-5 * MINUTE, "just now"],
  [MINUTE - 1, "just now"],
  [MINUTE, "1 minute ago"],
  [12.5 * MINUTE, "12 minutes ago"],
  [60 * MINUTE, "1 hour ago"],
  [47 * 60 * MINUTE, "1 day ago"],
  [20 * 24 * 60 * MINUTE, "2 weeks ago"],
  [45 * 24 * 60 * MINUTE, "1 month ago"],
  [800 * 24 * 60 * MINUTE, "2 years ago"],
])("%d ms are %s", (ms, words) => {
  expect(ageOf(1_800_000_000_000 - ms, 1_800_000_000_000)).toBe(words);
});
