import { describe, expect, it } from "vitest";
import { LatestOnly } from "../../../src/ui/latest-only.ts";

function open() {
  const asked: { readonly key: string; readonly answer: () => Promise<void> }[] = [];
  const told: string[] = [];
  const latest = new LatestOnly<string, string>(
    (key) =>
      new Promise((resolve) => {
        const answer = async () => {
          resolve(`value of ${key}`);
          await new Promise(setImmediate);
        };
        asked.push({ key, answer });
      }),
    (key, value) => told.push(`${key}: ${value}`),
  );
  return { latest, asked, told, keys: () => asked.map(({ key }) => key) };
}

describe("LatestOnly", () => {
  it("asks one question at a time, and of those that came meanwhile only the newest", async () => {
    const { latest, asked, told, keys } = open();
    for (const key of "abcdefgh") latest.want(key);
    expect(keys()).toEqual(["a"]);
    await asked[0]?.answer();
    expect(keys()).toEqual(["a", "h"]);
    expect(latest.isAsking).toBe(true);
    await asked[1]?.answer();
    expect(told).toEqual(["a: value of a", "h: value of h"]);
    expect(latest.isAsking).toBe(false);
    latest.want("i");
    expect(keys()).toEqual(["a", "h", "i"]);
  });

  it("never asks for what is not wanted any more, and tells nothing after it was closed", async () => {
    const { latest, asked, told, keys } = open();
    latest.want("a");
    latest.want("b");
    latest.forget();
    await asked[0]?.answer();
    expect(keys()).toEqual(["a"]);
    latest.want("c");
    latest.want("d");
    latest.close();
    await asked[1]?.answer();
    expect(keys()).toEqual(["a", "c"]);
    expect(told).toEqual(["a: value of a"]);
  });
});
