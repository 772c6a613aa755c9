// The pager in the built program: over the inline screen and away again, with the scrollback as it was, while a turn
// goes on behind it, and on every way out.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { answer } from "../helpers/answer.ts";
import { killNow } from "../helpers/kill.ts";
import { openTerminal, type Terminal } from "../helpers/pty.ts";
import { expectFits, expectInOrder, expectRestored } from "../helpers/screen.ts";
import { everything, openStele, ready, type } from "../helpers/screen-program.ts";
import { cleanEnvironment, type Workplace, workplace } from "../helpers/stele.ts";

const BIN = fileURLToPath(new URL("../../bin/stele", import.meta.url));
const SIZES = [
  { cols: 80, rows: 24 },
  { cols: 40, rows: 15 },
];
const ctrlO = "\x0f";
const patience = { timeout: 30_000, interval: 20 };

describe("the pager", () => {
  it.each(SIZES)("at $cols × $rows: opens the capped output, scrolls, searches, and leaves no trace", async (size) => {
    const place = withRule("shell(seq)");
    const stele = openStele(place, [], size);
    await type(stele, "run seq 1000 1299 then say all counted");
    await stele.waitFor(/Done: 2 steps/);
    // The title is the last thing that comes.
    await stele.waitFor(/saved · run seq/);
    await ready(stele);
    expect(everything(stele)).toContain("+293 lines (ctrl+o opens)");
    const before = look(stele);

    stele.write(ctrlO);
    await stele.waitFor(new RegExp(`1-${size.rows - 1} of 300 lines`));
    expect(stele.modes()).toMatchObject({ alternateScreen: true, cursorHidden: true });
    expect(stele.screen().slice(0, size.rows - 1)).toEqual(counted(1000, size.rows - 1));
    stele.write(" ");
    await stele.waitFor((each) => each.screen()[0] === `${1000 + size.rows - 2}`);
    stele.write("G");
    await stele.waitFor(/100%/);
    expect(stele.screen()[size.rows - 2]).toBe("1299");
    stele.write("/1077\r");
    await stele.waitFor(/^1077$/m);
    stele.write("/nowhere\r");
    await stele.waitFor("not found: nowhere");
    expectFits(stele.screen(), size);
    stele.write("q");
    await ready(stele);
    expect(look(stele)).toEqual(before);

    await type(stele, "/quit");
    expect((await stele.exit).exitCode).toBe(0);
    expectRestored(stele);
  });

  it("goes to other outputs by a list and by tab, and to the whole conversation", async () => {
    const place = withRule("shell(seq)");
    writeFileSync(path.join(place.folder, "notes.txt"), "first note\nsecond note\n");
    const stele = openStele(place);
    await type(stele, "read notes.txt then run seq 1000 1299");
    await stele.waitFor(/Done: 2 steps/);
    await ready(stele);

    stele.write(ctrlO);
    await stele.waitFor(/1-23 of 300 lines/);
    stele.write("\t");
    await stele.waitFor("second note");
    stele.write("o");
    await stele.waitFor("outputs of this conversation, newest first (2)");
    stele.write("seq\r");
    await stele.waitFor(/1-23 of 300 lines/);
    stele.write("t");
    await stele.waitFor(/Done: 2 steps\.[\s\S]* messages · 100%/);
    stele.write("g");
    await stele.waitFor(/› read notes\.txt then run seq 1000 1299/);
    expect(stele.screen().join("\n")).toContain("second note");
    stele.write("\x1b");
    await ready(stele);
    expect(everything(stele).match(/Done: 2 steps/g)).toHaveLength(1);
  });

  it("prints what a turn finished behind it when it is closed, in order and once, also at a new size", async () => {
    const place = withRule("shell(seq)", "shell(sleep)");
    const stele = openStele(place);
    await type(stele, "run seq 1000 1299");
    await stele.waitFor(/Done: 1 step/);
    await type(stele, "run sleep 1 then run seq 2000 2002 then say the end of it");
    await stele.waitFor(/sleep 1\s+running/);
    stele.write(ctrlO);
    await stele.waitFor(/of 300 lines/);
    stele.resize(60, 18);
    await stele.waitFor(/1-17 of 300 lines/);
    await expect.poll(async () => (await sessions(place))[0], patience).toMatchObject({ state: "idle", turns: 2 });
    expect(stele.modes().alternateScreen).toBe(true);
    expect(stele.screen().join("\n")).not.toContain("2001");

    stele.write("q");
    await ready(stele);
    const lines = stele.scrollback();
    expectInOrder(lines, [
      "1000",
      "+293 lines",
      "Done: 1 step.",
      "› run sleep 1",
      "shell sleep 1",
      "shell seq",
      "2000",
      "2002",
      "the end of it",
    ]);
    for (const once of ["Done: 1 step.", "› run sleep 1", "2001", "● the end of it"]) {
      expect(
        lines.filter((line) => line.includes(once)),
        once,
      ).toHaveLength(1);
    }
  });

  it("says that an approval waits, and no key of its own answers it", async () => {
    const place = withRule("shell(sleep)");
    const stele = openStele(place);
    await type(stele, "run sleep 1 then run touch made");
    await stele.waitFor(/sleep 1\s+running/);
    stele.write(ctrlO);
    await stele.waitFor((each) => each.modes().alternateScreen);
    await stele.waitFor("an approval waits, q shows it");
    stele.write("nyaN");
    stele.write("q");
    await stele.waitFor(/Allow shell/);
    await answer(stele, "y");
    await stele.waitFor(/Done: 2 steps/);
  });

  it("gives the terminal back when the program is ended behind it", async () => {
    const place = withRule("shell(seq)");
    const stele = openStele(place);
    await type(stele, "run seq 1000 1299");
    await stele.waitFor(/Done: 1 step/);
    await ready(stele);
    stele.write(ctrlO);
    await stele.waitFor(/of 300 lines/);
    stele.kill("SIGTERM");
    await stele.exit;
    expectRestored(stele);
    expectInOrder(stele.scrollback(), ["+293 lines", "Done: 1 step.", "resume with: stele -r"]);
  });

  it("is gone at the next start after the program was killed in it, and the lines before it are there", async () => {
    const place = withRule("shell(seq)");
    const stele = openTwice(place);
    onTestFinished(() => stele.dispose());
    await type(stele, "run seq 1000 1299");
    await stele.waitFor(/Done: 1 step/);
    await ready(stele);
    stele.write(ctrlO);
    await stele.waitFor(/of 300 lines/);
    killNow(readFileSync(path.join(place.folder, "pid"), "utf8"));
    await stele.waitFor((each) => !each.modes().alternateScreen);
    await ready(stele);
    const lines = stele.scrollback();
    expectInOrder(lines, [
      "No model is connected",
      "+293 lines",
      "Done: 1 step.",
      "stele 0.",
      "+293 lines",
      "Done: 1 step.",
    ]);
    await type(stele, "/quit");
    expect((await stele.exit).exitCode).toBe(0);
    expectRestored(stele);
  });

  it("counts no answer as told that was written behind it", async () => {
    const place = withRule("shell(sleep)");
    const stele = openStele(place);
    await type(stele, "run sleep 1 then say told later");
    await stele.waitFor(/sleep 1\s+running/);
    stele.write(ctrlO);
    await expect.poll(async () => (await sessions(place))[0], patience).toMatchObject({ state: "idle", turns: 1 });
    expect(stele.modes().alternateScreen).toBe(true);
    stele.kill("SIGKILL");
    await stele.exit;
    const recovered = JSON.parse((await place.stele(["recover", "--json"])).out) as { undelivered: unknown[] };
    expect(recovered.undelivered).toHaveLength(1);
  });

  it("says so when there is nothing to open yet", async () => {
    const stele = openStele(workplace());
    await ready(stele);
    stele.write(ctrlO);
    await stele.waitFor("nothing to open yet");
    expect(stele.modes().alternateScreen).toBe(false);
  });
});

interface Looked {
  readonly lines: readonly string[];
  readonly cursor: { readonly x: number; readonly y: number };
}

function look(terminal: Terminal): Looked {
  return { lines: terminal.scrollback(), cursor: terminal.cursor() };
}

function counted(from: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => String(from + index));
}

/** Where these commands need no approval. */
function withRule(...allow: readonly string[]): Workplace {
  const place = workplace();
  mkdirSync(place.home, { recursive: true });
  writeFileSync(path.join(place.home, "config.json"), JSON.stringify({ approval: { allow } }));
  return place;
}

/** Starts the program again when its first run has ended; the first one's pid is in the file `pid`. */
function openTwice({ home, folder }: Workplace): Terminal {
  const program = `"${process.execPath}" "${BIN}"`;
  const first = `sh -c 'echo $$ > pid; exec ${program}'`;
  return openTerminal({
    command: "sh",
    args: ["-c", `${first}; ${program} -c`],
    cwd: folder,
    env: cleanEnvironment(home),
  });
}

async function sessions(place: Workplace): Promise<readonly Record<string, unknown>[]> {
  return (await place.stele(["sessions", "--json"])).events;
}
