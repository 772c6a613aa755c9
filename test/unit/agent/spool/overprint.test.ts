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
    ["nothing of it", "a\x1b[31mb  \n\tc\n", "a\x1b[31mb  \n\tc\n"],
  ])("%s", (_, text, expected) => {
    expect(overprinted(text)).toBe(expected);
  });

  const seen = (text: string) =>
    stripVTControlCharacters(text)
      .split("\n")
      .map((line) => line.trimEnd());
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
