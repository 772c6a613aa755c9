import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { takeNews } from "../../../../src/agent/spool/background-jobs.ts";
import { overprint, overprinted } from "../../../../src/agent/spool/overprint.ts";
import { readOutput } from "../../../../src/agent/spool/spool-output.ts";
import { createEscapeStripper } from "../../../../src/ui/escape-stripper.ts";
import { cpuTime } from "../../../helpers/cpu-time.ts";
import { fullNumber } from "../../../helpers/full-numbers.ts";

const bar = Array.from({ length: 300 }, (_, index) => `\r[${String(index + 1).padStart(3)}%] downloading`).join("");

describe("text that writes over itself", () => {
  test.each([
    ["a progress bar", bar, "[300%] downloading"],
    ["line ends of two characters", "one\r\ntwo\r\r\nthree\r", "one\ntwo\nthree"],
    ["a shorter text over a longer one", "Processing a.txt\r[OK]", "[OK]essing a.txt"],
    ["a wiped line", "downloading 100%\r                \rdone\n", "done\n"],
    ["an erased line", "downloading 100%\r\x1b[Kdone", "done"],
    ["an erased end", "abcdef\b\b\b\x1b[0K!", "abc!"],
    ["an erased whole line", "downloading\x1b[2K\rdone", "done"],
    ["a spinner", "busy |\b/\b-\b\\\b \b\ndone", "busy\ndone"],
    ["a coloured spinner", "\x1b[32m|\x1b[0m\b\x1b[32m/\x1b[0m", "/"],
    ["bold of old printers", "N\bNA\bAM\bME\bE", "NAME"],
    ["wide blocks", "█░░ 33%\r██░ 66%\r███ 99%", "███ 99%"],
    ["characters of more than one unit", "😀e\u0301x\b\b\b😁", "😁e\u0301x"],
    ["a title before a step", "\x1b]0;npm run build\x07step 1\rstep 2\n", "step 2\n"],
    ["a title longer than the text", "\x1b]0;building app\x07\rab\n", "ab\n"],
    ["a title over older text", "\x1b]0;T\x07x\rover\n", "over\n"],
    ["a link, whose text stays", "\x1b]8;;http://a.example\x1b\\link\x1b]8;;\x1b\\\rL\n", "Link\n"],
    ["a title that its line ends", "ab\x1b]0;title\rc\x1b]0;title\nd\x1b]0;title", "cb\nd\x1b]0;title"],
    ["bells", "a\x07b\x07\b!", "a!"],
    ["nothing of it", "a\x1b[31mb  \n\tc\n", "a\x1b[31mb  \n\tc\n"],
  ])("%s", (_, text, expected) => {
    expect(overprinted(text)).toBe(expected);
  });

  const seen = (text: string) =>
    stripVTControlCharacters(text)
      .split("\n")
      .map((line) => line.trimEnd());
  // A line that does not go back keeps its sequences.
  const shown = (text: string) => {
    const stripper = createEscapeStripper();
    return stripper.push(text) + stripper.end();
  };
  const anyText = fc.string({
    unit: fc.constantFrom("a", "b", "c", " ", "é", "█", "😀", "\r", "\r", "\b", "\n", "\x1b[K", "\x1b[2K", "\x1b[31m"),
    maxLength: 40,
  });

  test("is the same in pieces, wherever they part, as in one", () => {
    fc.assert(
      fc.property(anyText, fc.infiniteStream(fc.nat({ max: 5 })), (text, sizes) => {
        let told = "";
        const units = Array.from(text);
        for (const size of sizes) {
          if (units.length === 0) break;
          told = overprint(told, units.splice(0, size + 1).join(""));
        }
        expect(seen(overprinted(told))).toEqual(seen(overprinted(text)));
      }),
      { numRuns: fullNumber(1_000, 250) },
    );
  });

  // Each takes no column, whatever it holds and however it ends.
  const payload = fc.string({ unit: fc.constantFrom("a", "0;", " ", "é", "😀", "\b", "\x7f", "[2K"), maxLength: 8 });
  const controlString = fc
    .tuple(
      fc.constantFrom("\x1b]", "\x1bP", "\x1bX", "\x1b^", "\x1b_", "\x9d", "\x90", "\x98", "\x9e", "\x9f"),
      payload,
      fc.constantFrom("\x07", "\x1b\\", "\x9c", "\x18", "\x1a"),
    )
    .map((parts) => parts.join(""));
  const shortSequence = fc.constantFrom("\x1b[31m", "\x9b1m", "\x1b(B", "\x1b7", "\x1b=", "\x1b[?25l", "\x00");
  const unended = fc
    .tuple(fc.constantFrom("\x1b]", "\x9d", "\x1bP", "\x1b_"), payload, fc.constantFrom("\r", "\n", "\r\n"))
    .map(([opener, held, end]) => ({ with: opener + held + end, without: end }));
  const visible = fc.constantFrom("a", "bc", " ", "é", "█", "😀", "\r", "\b", "\n", "\x1b[K", "\x9b2K");
  const piece = fc.oneof(
    visible.map((text) => ({ with: text, without: text })),
    fc.oneof(controlString, shortSequence).map((text) => ({ with: text, without: "" })),
    unended,
  );

  test("is laid over as if the sequences were not in it, in one or in pieces", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.infiniteStream(fc.nat({ max: 5 })), (pieces, sizes) => {
        const text = pieces.map((each) => each.with).join("");
        const expected = seen(shown(overprinted(pieces.map((each) => each.without).join(""))));
        expect(seen(shown(overprinted(text)))).toEqual(expected);
        let told = "";
        const units = Array.from(text);
        for (const size of sizes) {
          if (units.length === 0) break;
          told = overprint(told, units.splice(0, size + 1).join(""));
        }
        expect(seen(shown(overprinted(told)))).toEqual(expected);
      }),
      { numRuns: fullNumber(2_000, 500) },
    );
  });

  test("has the same end whether it is laid over in runs or one by one", () => {
    const simple = fc.string({ unit: fc.constantFrom("a", "b", "c", "█", "\r"), maxLength: 40 });
    fc.assert(
      fc.property(simple, (text) => {
        // A sequence that shows nothing, so that each character is looked at.
        expect(overprinted(text)).toBe(overprinted(`\x1b[31m${text}`).replace("\x1b[31m", ""));
      }),
    );
  });

  test.each([
    ["short text over a long line", `${"x".repeat(2_000_000)}${"\rab".repeat(500_000)}`],
    ["returns alone", `${"\r".repeat(2_000_000)}x`],
    ["backspaces", `${"x".repeat(1_000_000)}${"\b".repeat(1_000_000)}`],
    ["titles without an end", "\x9d\x1b]\b".repeat(400_000)],
    ["a title of titles", `\r${"\x9d".repeat(1_000_000)}\x07`],
    ["half sequences", "\x1b[\b".repeat(500_000)],
  ])("costs what is read: %s", (_, text) => {
    const time = cpuTime(() => {
      overprinted(text);
      overprint("", text);
    });
    expect(time).toBeLessThan(5_000);
  });
});

describe("output of a command that writes over itself", () => {
  test("is told as it stands at its end, and the file keeps every byte", async () => {
    const folder = mkdtempSync(join(tmpdir(), "stele-overprint-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    await writeFile(join(folder, "output"), `begin\n${bar}\nend\n`);
    const told = "begin\n[300%] downloading\nend\n";
    expect(await readOutput(folder)).toMatchObject({ text: told, bytes: bar.length + 11 });
    expect((await takeNews(folder, "key")).text).toBe(told);
    expect(readFileSync(join(folder, "output"), "utf8")).toBe(`begin\n${bar}\nend\n`);
  });
});
