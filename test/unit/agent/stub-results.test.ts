// Which old results a model is not sent any more: the rule, and that it moves in steps.
import { describe, expect, it } from "vitest";
import { stubOldResults } from "../../../src/agent/stub-results.ts";
import { estimateMessage } from "../../../src/agent/tokens.ts";
import type { Message, Part } from "../../../src/ledger/types.ts";
import { message } from "../ui/view-samples.ts";

const window = 100_000;
const big = (n: number): Message => result(n, `${"x".repeat(39_000)} end ${n}`);
const small = (n: number): Message => result(n, "y".repeat(3_000));

function result(n: number, output: string): Message {
  const part: Part = { kind: "tool-result", call: `c${n}`, outcome: { kind: "ok", output } };
  return { ...message(n, "tool", {}), parts: [part] };
}

function outputs(path: readonly Message[]): readonly string[] {
  return path.flatMap(({ parts }) =>
    parts.map((part) => (part.kind === "tool-result" ? (part.outcome.output ?? "") : "")),
  );
}

const stubs = (path: readonly Message[]) =>
  outputs(stubOldResults(path, window)).flatMap((output, at) => (output.includes("left out here") ? [at] : []));

describe("old big results", () => {
  it("are sent whole up to three fifths of the window, and always where that is not known", () => {
    const path = Array.from({ length: 6 }, (_, n) => big(n));
    expect(stubOldResults(path, window)).toBe(path);
    expect(stubOldResults([...path, ...path], undefined)).toHaveLength(12);
    expect(outputs(stubOldResults([...path, ...path], undefined)).join("")).not.toContain("left out");
  });

  it("keep their ends and say what is missing; small ones and new ones stay as they are", () => {
    const path = [small(0), ...Array.from({ length: 7 }, (_, n) => big(n + 1))];
    const sent = stubOldResults(path, window);
    expect(stubs(path)).toEqual([1, 2, 3, 4]);
    expect(outputs(sent)[1]).toMatch(/^x{300}\n\[about \d+ bytes of this output are left out here[^]*\n[^]* end 1$/);
    expect(sent[0]).toEqual(path[0]);
    expect(sent.at(-1)).toEqual(path.at(-1));
  });

  it("do not change between two steps, whatever is added, and more of them go with the next", () => {
    const seen: string[] = [];
    for (let count = 1; count <= 12; count += 1) {
      const path = Array.from({ length: count }, (_, n) => big(n));
      const total = path.reduce((sum, each) => sum + estimateMessage(each), 0);
      const step = Math.max(0, Math.ceil((total / window - 0.6) / 0.2));
      const now = `${step}: ${stubs(path).join(",")}`;
      if (seen.at(-1) !== now) seen.push(now);
    }
    expect(seen).toEqual(["0: ", "1: 0,1,2,3", "2: 0,1,2,3,4,5", "3: 0,1,2,3,4,5,6,7"]);
  });

  it("leave the stored message as it is", () => {
    const path = Array.from({ length: 8 }, (_, n) => big(n));
    const before = outputs(path);
    stubOldResults(path, window);
    expect(outputs(path)).toEqual(before);
  });
});
