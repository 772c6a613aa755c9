import { describe, expect, it } from "vitest";
import type { Message } from "../../../src/ledger/types.ts";
import { windowBlocks, windowParts } from "../../../src/ui/block.ts";
import { lineText } from "../../../src/ui/styled-line.ts";
import { createTheme } from "../../../src/ui/theme.ts";
import { blockLines } from "../../../src/ui/transcript.ts";
import { windowRoom, windowTail } from "../../../src/ui/window-tail.ts";
import { message, plainTheme } from "./view-samples.ts";

const says = (id: number, text: string): Message =>
  message(id, id % 2 === 1 ? "user" : "assistant", { parts: [{ kind: "text", text }] });
const numbered = (count: number, name: string): string =>
  Array.from({ length: count }, (_, index) => `${name} ${index + 1}`).join("\n");

function roomOf(columns: number, rows: number) {
  return windowRoom({ size: { columns, rows }, theme: plainTheme });
}

function rowsOf(messages: readonly Message[], { columns = 80, rows = 24, earlier = 0 } = {}): readonly string[] {
  const room = roomOf(columns, rows);
  const blocks = windowTail(windowParts(messages, []), room, earlier);
  return blocks.flatMap((block) => blockLines(block, room.look)).map(lineText);
}

describe("the end of a conversation that is opened again", () => {
  const short = [says(1, "one"), says(2, "two"), says(3, "three"), says(4, "four")];

  it("is all of it where that is not long", () => {
    const all = windowBlocks(short, []).flatMap((block) => blockLines(block, roomOf(80, 24).look));
    expect(rowsOf(short)).toEqual(all.map(lineText));
  });

  it("says how many messages came before", () => {
    expect(rowsOf(short, { earlier: 1 })[0]).toBe("  1 earlier message · ctrl+o, t shows all");
  });

  it.each([
    [24, 200],
    [100, 400],
  ])("of long answers is a few windows of %d rows, and what is cut is counted", (rows, kept) => {
    const long = [says(1, "first"), says(2, numbered(3_000, "old")), says(3, "then"), says(4, numbered(3_000, "new"))];
    const shown = rowsOf(long, { rows, earlier: 7 });
    expect(shown).toHaveLength(kept + 1);
    expect(shown[0]).toBe(`  ${3_000 - kept} earlier lines and 10 messages · ctrl+o, t shows all`);
    expect(shown[1]).toBe(`  new ${3_001 - kept}`);
    expect(shown.at(-1)).toBe("  new 3000");
  });

  it("goes back over as many messages as fit, and cuts the one that does not", () => {
    const shown = rowsOf([says(1, "first"), says(2, numbered(500, "old")), says(3, "then"), says(4, "new")]);
    expect(shown).toHaveLength(201);
    expect(shown[0]).toBe("  303 earlier lines and 1 message · ctrl+o, t shows all");
    expect(shown.slice(-4)).toEqual(["  old 500", "", "› then", "● new"]);
  });

  it("looks as it did: code that is cut is still code", () => {
    const source = `\`\`\`ts\n${numbered(500, "const **x** =")}\n\`\`\``;
    const whole = windowBlocks([says(2, source)], []).flatMap((block) => blockLines(block, roomOf(80, 24).look));
    expect(rowsOf([says(2, source)]).slice(1)).toEqual(whole.slice(-200).map(lineText));
  });

  it.each([
    ["one line without end", "word ".repeat(100_000)],
    ["one word without end", "x".repeat(500_000)],
    ["wide characters", "日本語".repeat(100_000)],
    ["pairs of units", "😀".repeat(100_000)],
    ["a long table", `| a | b |\n|---|---|\n${"| one | two |\n".repeat(5_000)}`],
  ])("is not longer for %s", (_, text) => {
    const shown = rowsOf([says(1, "ask"), says(2, text)]);
    expect(shown.length).toBeGreaterThan(100);
    expect(shown.length).toBeLessThan(450);
    expect(shown[0]).toMatch(/^ {2}\d+ earlier lines? and 1 message · ctrl\+o, t shows all$/);
    expect(shown.join("\n")).not.toMatch(/^\p{Cs}/mu);
  });

  it("reads no message that is not shown", () => {
    const unread = says(2, "");
    Object.defineProperty(unread, "parts", {
      get: () => {
        reads += 1;
        return [{ kind: "text", text: "old" }];
      },
    });
    let reads = 0;
    const { parts, open } = windowParts([unread, says(4, numbered(300, "new"))], []);
    const paired = reads;
    windowTail({ parts, open }, roomOf(80, 24));
    expect(reads).toBe(paired);
    windowTail({ parts: parts.slice(0, 1), open }, roomOf(80, 24));
    expect(reads).toBeGreaterThan(paired);
  });

  it("names no key where none opens it", () => {
    const theme = { ...createTheme({ color: false, unicode: true }), pageKey: "" };
    const room = windowRoom({ size: { columns: 80, rows: 24 }, theme });
    expect(windowTail(windowParts(short, []), room, 2)[0]).toMatchObject({ text: "2 earlier messages" });
  });
});
