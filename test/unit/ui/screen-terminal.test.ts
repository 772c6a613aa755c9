import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type IPty, spawn } from "node-pty";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answer } from "../../helpers/answer.ts";
import { killNow } from "../../helpers/kill.ts";
import { type ModelServer, startModelServer } from "../../helpers/model-server.ts";
import { openTerminal, type Terminal } from "../../helpers/pty.ts";
import { expectInOrder, expectRestored } from "../../helpers/screen.ts";
import { cleanEnvironment } from "../../helpers/stele.ts";

const root = join(import.meta.dirname, "../../..");
/** The built program, which can be made to fail. */
const program = ["--require", join(root, "test/fixtures/ui/faults.cjs"), join(root, "bin/stele")];
let place: string;
const opened: Terminal[] = [];
let server: ModelServer | undefined;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "stele-place-"));
  mkdirSync(join(place, "work"));
});
afterEach(async () => {
  for (const terminal of opened.splice(0)) await terminal.dispose();
  endOrphan();
  await server?.close();
  server = undefined;
  rmSync(place, { recursive: true, force: true });
});

function open(args: readonly string[] = [], size: { cols?: number; rows?: number } = {}): Terminal {
  const terminal = openTerminal({
    command: process.execPath,
    args: [...program, ...args],
    cwd: join(place, "work"),
    env: cleanEnvironment(join(place, "home")),
    ...size,
  });
  opened.push(terminal);
  return terminal;
}

/** A command that outlives a program that is killed, and says which process it is. */
const lasting = "run echo $$ > pid; exec sleep 60";
const isLasting = /exec sleep 60\s+running/;

const pidFile = (): string => join(place, "work", "pid");
const hasStarted = (): boolean => existsSync(pidFile()) && readFileSync(pidFile(), "utf8").endsWith("\n");

function endOrphan(): void {
  if (!hasStarted()) return;
  try {
    killNow(readFileSync(pidFile(), "utf8"));
  } catch {
    // The program ended it, as it should where it could.
  }
}

const isReady = /❯ Ask anything[\s\S]*saved · /;

function storedDrafts(): readonly { readonly text: string }[] {
  const ledger = new Database(join(place, "home", "state.db"), { readonly: true });
  try {
    return ledger.prepare("select text from drafts").all() as { text: string }[];
  } finally {
    ledger.close();
  }
}

/** Something waits until it is released. */
function held(): { readonly until: Promise<void>; readonly release: () => void } {
  let release = (): void => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { until, release };
}

function configure(config: object): void {
  mkdirSync(join(place, "home"), { recursive: true });
  writeFileSync(join(place, "home", "config.json"), JSON.stringify({ titles: "off", ...config }));
}

/** `destroy` closes the terminal (the kernel's SIGHUP) and sends one more, as a shell does. */
interface HangUp extends IPty {
  destroy(): void;
}

describe("the screen", () => {
  it("takes what is typed before the ledger is open, in a first frame of plain ASCII, and sends it then", async () => {
    const terminal = open();
    await terminal.waitFor("opening the ledger...");
    terminal.write("say early bird\r");
    const first = terminal.raw();
    expect(first).not.toMatch(/[^\x00-\x7f]/);
    await terminal.waitFor("● early bird");
    await terminal.waitFor(isReady);
    expectInOrder(terminal.screen(), ["stele 0.", "✓ ledger", "› say early bird", "● early bird", "❯ Ask anything"]);
  });

  it("sends what was typed before the screen was up, when the terminal made a line feed of its enter", async () => {
    const terminal = open();
    terminal.write("say very early\r");
    await terminal.waitFor("● very early");
    await terminal.waitFor(isReady);
  });

  it("asks before a command runs, shows its output, and prints everything once", async () => {
    const terminal = open(["run printf 'a-%s\\n' 1 2 3 4 5 6 7 8 9"]);
    await terminal.waitFor("Allow shell?");
    expectInOrder(terminal.screen(), ["⎿ shell printf", "waits", "Allow shell?", "y  yes, this once"]);
    await answer(terminal, "y");
    await terminal.waitFor("● Done: 1 step.");
    await terminal.waitFor(isReady);
    const lines = terminal.scrollback();
    expectInOrder(lines, ["⎿ shell printf", "exit 0", "a-1", "a-3", "… +2 lines", "a-6", "a-9", "● Done"]);
    expect(lines.filter((line) => line.includes("● Done"))).toHaveLength(1);
    expect(lines.filter((line) => line.includes("› run printf"))).toHaveLength(1);
  });

  it("stops the turn when a call is denied with escape", async () => {
    const terminal = open(["run touch made then say never"]);
    await terminal.waitFor("Allow shell?");
    await answer(terminal, "\x1b");
    await terminal.waitFor("Stopped.");
    await terminal.waitFor(isReady);
    expectInOrder(terminal.screen(), ["⎿ shell touch made", "cancelled", "Stopped."]);
  });

  it("goes out with ctrl+c twice, restores the terminal and says how to come back", async () => {
    const terminal = open(["say hello"]);
    await terminal.waitFor("● hello");
    await terminal.waitFor(isReady);
    terminal.write("half");
    await terminal.waitFor("❯ half");
    terminal.write("\x03");
    await terminal.waitFor(isReady);
    terminal.write("\x03");
    await terminal.waitFor("press ctrl+c again to quit");
    terminal.write("\x03");
    expect(await terminal.exit).toEqual({ exitCode: 0, signal: 0 });
    expectRestored(terminal);
    expect(terminal.scrollback().join("\n")).not.toContain("waits: /queue");
    const last = terminal.scrollback().findLast((line) => line !== "");
    expect(last).toMatch(/^resume with: stele -r \d{8}-\d{6}-[0-9a-f]{6}$/);
    expect(terminal.screen().join("\n")).not.toContain("Ask anything");
  });

  it("leaves no resume line behind an empty conversation", async () => {
    const terminal = open();
    await terminal.waitFor(isReady);
    terminal.write("\x04");
    expect(await terminal.exit).toEqual({ exitCode: 0, signal: 0 });
    expect(terminal.scrollback().join("\n")).not.toContain("resume with");
  });

  it.each([
    ["SIGTERM", 130],
    ["SIGHUP", 130],
    ["SIGINT", 130],
    ["SIGUSR2", 1],
    ["SIGUSR1", 1],
  ] as const)("restores the terminal after %s in a turn", async (signal, exitCode) => {
    const terminal = open(["--yes", lasting]);
    await terminal.waitFor(isLasting);
    process.kill(terminal.pid, signal);
    expect((await terminal.exit).exitCode).toBe(exitCode);
    expectRestored(terminal);
    if (exitCode === 1) expect(terminal.scrollback().join("\n")).toContain("on purpose");
  });

  it.each([
    ["two hang-ups back to back", (pty: HangUp) => [1, 2].forEach(() => process.kill(pty.pid, "SIGHUP"))],
    [
      "a hang-up, then a TERM",
      (pty: HangUp) => (["SIGHUP", "SIGTERM"] as const).forEach((each) => process.kill(pty.pid, each)),
    ],
    ["its terminal closing", (pty: HangUp) => pty.destroy()],
  ])("settles the turn and ends its command after %s", async (_name, hangUp) => {
    const pty = spawn(process.execPath, [...program, "--yes", lasting], {
      cwd: join(place, "work"),
      env: cleanEnvironment(join(place, "home")),
    }) as HangUp;
    let shown = "";
    const exited = new Promise<void>((resolve) => pty.onExit(() => resolve()));
    await new Promise<void>((resolve) => {
      pty.onData((data) => {
        shown += data;
        if (shown.includes("running 0 s") && existsSync(join(place, "work", "pid"))) resolve();
      });
    });
    const command = Number(readFileSync(join(place, "work", "pid"), "utf8"));
    hangUp(pty);
    await exited;
    expect(() => process.kill(-command, 0)).toThrow("ESRCH");
    const ledger = new Database(join(place, "home", "state.db"), { readonly: true });
    try {
      const turns = ledger.prepare("select status, outcome from admissions").all();
      expect(turns).toEqual([{ status: "terminal", outcome: "interrupted" }]);
    } finally {
      ledger.close();
    }
  });

  it("exits with 4 and its reason when the ledger cannot be opened, and names what was not sent", async () => {
    mkdirSync(join(place, "home", "state.db"), { recursive: true });
    const terminal = open(["my words"]);
    expect((await terminal.exit).exitCode).toBe(4);
    expectRestored(terminal);
    expectInOrder(terminal.scrollback(), ["not sent: my words", "state.db"]);
  });

  /** Killed while its command runs, which goes on. */
  async function killInCommand(args: readonly string[]): Promise<void> {
    const doomed = open(args);
    await doomed.waitFor((each) => isLasting.test(each.screen().join("\n")) && hasStarted());
    doomed.kill("SIGKILL");
    await doomed.exit;
  }

  it("resumes a conversation in one piece, and decides about what a kill left", async () => {
    await killInCommand(["--yes", `run echo kept then ${lasting}`]);
    endOrphan();
    const terminal = open(["-c"], { rows: 40 });
    await terminal.waitFor("❯ Decide about the open call");
    expectInOrder(terminal.scrollback(), [
      "! turns",
      "1 turn was interrupted",
      "› run echo kept",
      "exit 0",
      "✓ shell echo kept",
      "? shell echo $$",
      "unknown: killed from outside",
    ]);
    await answer(terminal, "\r");
    await terminal.waitFor("Run it again");
    expect(terminal.screen().some((line) => /^❯ (It|Run)/.test(line))).toBe(false);
    await answer(terminal, "\r\x1b[B\x1b[B\r");
    await terminal.waitFor("❯ Resume the turn");
    expectInOrder(terminal.scrollback(), ["⎿ shell echo $$", "cancelled", "It did not happen"]);
    await answer(terminal, "\r");
    await terminal.waitFor("● Step 2 of 2");
    expect(terminal.scrollback().join("\n")).not.toContain("Next: /recover");
    await terminal.waitFor(isReady);
  });

  it("waits for a command that outlived a kill, stops waiting on escape, and stops the command when told", async () => {
    await killInCommand(["--yes", lasting]);
    const terminal = open(["-c"], { rows: 40 });
    await terminal.waitFor("❯ Decide about the call that still runs");
    expect(terminal.screen().join("\n")).toMatch(/↻ shell echo.* +still running/);
    await answer(terminal, "\r");
    await terminal.waitFor("❯ Wait for it");
    await answer(terminal, "\r");
    await terminal.waitFor(/↻ 1 s shell echo[\s\S]*esc stops waiting/);
    await answer(terminal, "\x1b");
    await terminal.waitFor("❯ Decide about the call that still runs");
    await answer(terminal, "\r");
    await terminal.waitFor("❯ Wait for it");
    await answer(terminal, "\x1b[B\r");
    await terminal.waitFor("❯ Resume the turn", 20_000);
    expect(() => process.kill(Number(readFileSync(pidFile(), "utf8")), 0)).toThrow("ESRCH");
  });

  it("asks anew when a command ends while the question about it stands, and an enter too many decides nothing", async () => {
    await killInCommand(["--yes", lasting]);
    const terminal = open(["-c"], { rows: 40 });
    await terminal.waitFor("❯ Decide about the call that still runs");
    await answer(terminal, "\r");
    await terminal.waitFor("❯ Wait for it");
    endOrphan();
    await terminal.waitFor(/unknown: killed from outside[\s\S]*It did not happen/);
    expect(terminal.screen().join("\n")).not.toMatch(/still running|Wait for it|^❯ (It|Run)/m);
    await answer(terminal, "\r\x1b[B\x1b[B\r");
    await terminal.waitFor("❯ Resume the turn");
  });

  it("says that a decision is waited for after Later, and takes up again with /recover", async () => {
    await killInCommand(["--yes", lasting]);
    endOrphan();
    const terminal = open(["-c"]);
    await terminal.waitFor("❯ Decide about the open call");
    await answer(terminal, "\x1b");
    await terminal.waitFor("❯ waits for your decision · /recover");
    terminal.write("/recover\r");
    await terminal.waitFor("❯ Decide about the open call");
    await answer(terminal, "\x1b[B\r");
    await terminal.waitFor("Turn 1 is settled as interrupted");
    await terminal.waitFor(isReady);
  });

  it("shows a half answer after a kill as cut off, and keeps it when told", async () => {
    const [goOn, end] = [held(), held()];
    const faults = [
      { kind: "hold", after: 1, until: goOn.until } as const,
      { kind: "hold", until: end.until } as const,
    ];
    server = await startModelServer([{ text: ["The bug is in", " the parser,"], faults }]);
    configure({
      model: "here/m",
      providers: { here: { kind: "openai-compatible", baseURL: server.url, models: ["m"] } },
    });
    const first = open(["where is it"]);
    await first.waitFor(/The bug is in[\s\S]*running 1 s/);
    goOn.release();
    await first.waitFor("the parser,");
    await first.waitFor(() => storedDrafts().some(({ text }) => text.endsWith("the parser,")));
    first.kill("SIGKILL");
    await first.exit;
    end.release();
    const terminal = open(["-c"], { rows: 40 });
    await terminal.waitFor("❯ Resume the turn");
    expectInOrder(terminal.screen(), [
      "! A turn was interrupted",
      "half answer: cut off, not part of the conversation",
      "The bug is in the parser,",
      "Settle and keep the half answer",
    ]);
    expect(terminal.scrollback().join("\n")).not.toContain("● The bug");
    await answer(terminal, "\x1b[B\x1b[B\r");
    await terminal.waitFor("● The bug is in the parser,");
    await terminal.waitFor("interrupted: the answer ends here");
    await terminal.waitFor(isReady);
  });

  it("brings back unsent text after a hang-up, to the byte, and keeps an empty conversation for it", async () => {
    const first = open();
    await first.waitFor(isReady);
    first.write("look at\x1b[200~\ta  b\x01\n\n1\n2\n3\n\x1b[201~");
    await first.waitFor("[5 lines]");
    first.kill("SIGHUP");
    await first.exit;
    expect(first.scrollback().join("\n")).toContain("resume with: stele -r");
    expect(storedDrafts()).toMatchObject([{ text: "look at\ta  b\x01\n\n1\n2\n3\n" }]);
  });

  it("takes back a turn: the prompt returns, and what is left is shown below a separator", async () => {
    const terminal = open(["say one"]);
    await terminal.waitFor("● one");
    await terminal.waitFor(isReady);
    terminal.write("say two\r");
    await terminal.waitFor("● two");
    await terminal.waitFor(isReady);
    terminal.write("/undo\r");
    await terminal.waitFor("❯ say two");
    expectInOrder(terminal.screen(), ["● two", "── the conversation ends here now", "● one", "Took back 1 turn"]);
  });

  it("streams an answer line by line, keeps the rest when it is stopped, and says saved only then", async () => {
    const { until, release } = held();
    const text = ["# Head\n\nfirst para", "graph\n- item\n", "half a li"];
    server = await startModelServer([{ text, faults: [{ kind: "hold", until }] }]);
    configure({
      model: "here/m",
      providers: { here: { kind: "openai-compatible", baseURL: server.url, models: ["m"] } },
    });
    const terminal = open(["go"]);
    await terminal.waitFor("half a li");
    await terminal.waitFor("saving…");
    terminal.write("next words\r");
    await terminal.waitFor("› next words  (next)");
    terminal.resize(75, 18);
    await terminal.waitFor("half a li");
    terminal.write("\x1b");
    await terminal.waitFor("interrupted: the answer ends here");
    await terminal.waitFor("› next words  (waits · /queue run)");
    await terminal.waitFor(/saved · /);
    release();
    terminal.write("\x04");
    await terminal.exit;
    expectInOrder(terminal.scrollback(), ["1 prompt waits: /queue", "resume with: stele -r"]);
    const lines = terminal.scrollback();
    expectInOrder(lines, ["● Head", "first paragraph", "• item", "half a li", "interrupted"]);
    for (const each of ["● Head", "first paragraph", "• item", "half a li"])
      expect(
        lines.filter((line) => line.includes(each)),
        each,
      ).toHaveLength(1);
    expect(terminal.raw()).not.toContain("\x1b[3J");
  });

  it("shows one composer at every size on the way down and up, and never clears the scrollback", async () => {
    const terminal = open(["say steady"]);
    await terminal.waitFor("● steady");
    await terminal.waitFor(isReady);
    terminal.write("text");
    await terminal.waitFor("❯ text");
    for (const [cols, rows] of [
      [78, 24],
      [75, 20],
      [73, 6],
      [20, 6],
      [9, 5],
      [1, 2],
      [80, 24],
    ] as const) {
      terminal.resize(cols, rows);
      const shown = cols > 8 ? /❯ text/ : /t/;
      await terminal.waitFor((each) => shown.test(each.screen().join("\n")) && !each.modes().synchronizedOutput);
    }
    await terminal.waitFor((each) => each.screen().filter((line) => line.includes("❯ text")).length === 1);
    expect(terminal.raw()).not.toContain("\x1b[3J");
    expect(terminal.raw()).not.toContain("\x1b[2J");
  });
});
