import { expect, test } from "vitest";
import { killNow } from "../../helpers/kill.ts";

test.each(["", " ", "\n", "0", "1", "-1", "12 13", "pid", 0, 1, -1, Number.NaN, 2.5])(
  "%j is no process that a test may end",
  (pid) => {
    expect(() => killNow(pid)).toThrow("is no process of a test");
    expect(() => killNow(pid, { group: true })).toThrow("is no process of a test");
  },
);
