import { expect, test } from "vitest";
import { parseDuration } from "../../../src/config/durations.ts";

test.each([
  ["30s", 30_000],
  ["1h30m", 5_400_000],
  ["1.5h", 5_400_000],
  ["2 d", 172_800_000],
  [" 1H 5S ", 3_605_000],
  ["0s", 0],
])("%j is %d ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each(["", "30", "s", "1x", "-5s", "1m1h", "5s5s", "1..5s", ".5s", "1e3s", "1h30", "999999999999999d"])(
  "%j is no duration",
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);
