// Pasting into the built program: one piece with its exact bytes, whether the terminal marks pastes, marks them not,
// or loses the mark of the end; nothing of it is ever a key.
import { createHash } from "node:crypto";
import path from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { fullNumber } from "../helpers/full-numbers.ts";
import { openStele, ready } from "../helpers/screen-program.ts";
import { type Workplace, workplace } from "../helpers/stele.ts";

const START = "\x1b[200~";
const END = "\x1b[201~";
const MB = 1_000_000;
/** Of what takes a second or two where nothing else runs. */
const patience = 40_000;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Lines of all kinds, with keys and sequences among them, at least so many bytes. */
function longText(bytes: number, lineEnd: string): string {
  const lines = [
    "please keep this",
    "\x1b[31mred\x1b[0m \x03\x1b[A",
    "日本語 👩‍💻 e\u0301",
    "\"quotes' \\ `and` \t tabs",
    "x".repeat(300),
  ];
  const unit = lines.map((line) => line + lineEnd).join("");
  return unit.repeat(Math.ceil(bytes / Buffer.byteLength(unit)));
}

/** Of all pieces in the composer: where nothing marks a paste, a terminal that stands still cuts it into two. */
function pastedLines(screen: readonly string[]): number {
  const [, pieces = ""] = /^❯ ((?:\[\d+ lines\])+)$/m.exec(screen.join("\n")) ?? [];
  return [...pieces.matchAll(/\d+/g)].reduce((sum, [lines]) => sum + Number(lines), 0);
}

/** Every prompt that was sent. */
function prompts(place: Workplace): readonly string[] {
  const db = new Database(path.join(place.home, "state.db"), { readonly: true });
  try {
    return db.prepare<[], string>("select text from messages where role = 'user' order by id").pluck().all();
  } finally {
    db.close();
  }
}

describe("a paste of megabytes", () => {
  it.each([
    { megabytes: 10, name: "with marks", before: START, after: END, lineEnd: "\r\n" },
    { megabytes: fullNumber(10, 2), name: "without marks", before: "", after: "", lineEnd: "\n" },
    { megabytes: fullNumber(10, 2), name: "with a lost end mark", before: START, after: "", lineEnd: "\n" },
  ])(
    "$megabytes MB $name is sent by the enter key alone, with all its bytes",
    async ({ megabytes, before, after, lineEnd }) => {
      const place = workplace();
      const stele = openStele(place);
      await ready(stele);
      const text = longText(megabytes * MB, lineEnd);
      stele.write(before + text + after);
      await stele.waitFor(megabytes === 10 ? /pasting… [4-9]\.\d MB/ : /pasting… [12]\.\d MB/, patience);
      await stele.waitFor((each) => pastedLines(each.screen()) >= text.split("\n").length - 1, patience);
      expect(prompts(place)).toEqual([]);
      stele.write("\r");
      await stele.waitFor("(ctrl+o opens)", patience);
      expect(prompts(place).map(sha256)).toEqual([sha256(text)]);
    },
    120_000,
  );
});

describe("a paste", () => {
  it("without marks is one piece too, and its line ends send nothing", async () => {
    const place = workplace();
    const stele = openStele(place);
    await ready(stele);
    stele.write("say one\rsay two\rsay three\rsay four\r");
    await stele.waitFor(/^❯ \[4 lines\]$/m);
    stele.write("\x7f");
    await stele.waitFor((each) => !each.screen().join("\n").includes("[4 lines]"));
    stele.write("\x1f");
    await stele.waitFor(/^❯ \[4 lines\]$/m);
    stele.write("\r");
    await stele.waitFor("● one");
    expect(prompts(place)).toEqual(["say one\nsay two\nsay three\nsay four\n"]);
  });

  it.each(["never", "late"])("whose end mark comes %s ends by itself, and keys are keys again", async (when) => {
    const place = workplace();
    const stele = openStele(place);
    await ready(stele);
    stele.write(`${START}say kept\x03\r\n2\r\n3\r\n`);
    await stele.waitFor(/^❯ \[3 lines\]$/m);
    if (when === "late") stele.write(`say never\r${END}`);
    stele.write("then\x1b[D!");
    await stele.waitFor(/^❯ \[3 lines\](say never\n {2})?the!n$/m);
    expect(prompts(place)).toEqual([]);
    stele.write("\r");
    await stele.waitFor(/● /);
    expect(prompts(place)).toEqual([`say kept\x03\r\n2\r\n3\r\n${when === "late" ? "say never\n" : ""}the!n`]);
  });

  it("keeps its bytes in the editor, in the history and in the draft of a window that was killed", async () => {
    const place = workplace();
    const bytes = "please\r\nkeep\r\nall\r\nof it\x1b[0m\r\n";
    const env = { VISUAL: `printf 'and this' >>` };
    const first = openStele(place, [], { cols: 80, rows: 24, env });
    await ready(first);
    first.write(START + bytes + END);
    await first.waitFor(/^❯ \[4 lines\]$/m);
    first.write("\x07");
    await first.waitFor("and this");
    first.write("\r");
    await first.waitFor("I am the guide");
    await ready(first);
    first.write("\x1b[A");
    await first.waitFor("and this");
    first.write(" again\x1a");
    await first.waitFor((each) => !each.modes().bracketedPaste);
    first.kill("SIGKILL");
    await first.exit;
    const next = openStele(place, ["-c"]);
    await next.waitFor(/and this again/);
    next.write("\r");
    await next.waitFor((each) => each.scrollback().join("\n").split("I am the guide").length > 2);
    expect(prompts(place)).toEqual([`${bytes}and this`, `${bytes}and this again`]);
  });
});
