import { expect, it, test } from "vitest";
import { sentences, withoutStop } from "../../../src/agent/sentences.ts";

test.each([
  ["local answered 429: You exceeded your current quota", "local answered 429: You exceeded your current quota."],
  ["slow down.", "slow down."],
  ["slow down. ", "slow down."],
  ["no connection to http://h/v1 (ECONNREFUSED)", "no connection to http://h/v1 (ECONNREFUSED)."],
  ["not now. (asked 3 times)", "not now. (asked 3 times)."],
  ['it says "no."', 'it says "no."'],
  ["(It is late.)", "(It is late.)"],
  ["already so…", "already so…"],
  ["really?", "really?"],
  ["額度已用完。", "額度已用完。"],
])("%j and what we say of it are two sentences", (words, first) => {
  const hint = "Set THE_KEY to another key.";
  expect(sentences(words, hint)).toBe(`${first} ${hint}`);
  expect(sentences(words)).toBe(first);
  expect(sentences(undefined, words, "", hint)).toBe(`${first} ${hint}`);
});

it("is nothing where nothing was said", () => {
  expect(sentences(undefined, "  ")).toBe("");
});

test.each([
  ["slow down.", "slow down"],
  ["slow down", "slow down"],
  ["and then...", "and then..."],
])("%j goes on as %j behind a colon", (words, bare) => {
  expect(withoutStop(words)).toBe(bare);
});
