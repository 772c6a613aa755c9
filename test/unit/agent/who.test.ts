import { describe, expect, it } from "vitest";
import { doneWords, skipWords } from "../../../src/agent/compaction/skip-words.ts";
import { whoIs } from "../../../src/agent/who.ts";

const own = { pid: process.pid, program: "stele 1", host: "here" };
const other = { ...own, pid: process.pid + 1 };

describe("who did it", () => {
  it.each([
    ["this window", own, "this window"],
    ["another one", other, `stele 1, pid ${other.pid},`],
    ["nobody known", undefined, "another program"],
  ] as const)("is said of %s", (_, by, words) => {
    expect(whoIs(by)).toBe(words);
    const skip = { why: "locked", since: 0, ...(by && { holder: by }) } as const;
    expect(skipWords(skip, 3_000)).toBe(`${words} has been compacting this conversation for 3 s.`);
    if (by) expect(doneWords(by)).toBe(`${words} has just compacted this conversation.`);
  });
});
