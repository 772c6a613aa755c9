import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTerminal, type Terminal, type TerminalOptions } from "../../helpers/pty.ts";
import { expectInOrder, expectRestored } from "../../helpers/screen.ts";

let folder: string;
let terminal: Terminal | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pty-"));
});
afterEach(async () => {
  await terminal?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** A program that answers every line with its words, and knows a few orders. */
const program = `
import { createInterface } from "node:readline";
process.stdout.write("\\x1b[?2004h\\x1b[?25l\\x1b[>1uready " + process.stdout.columns + "x" + process.stdout.rows + " ci=" + process.env.CI + "\\r\\n");
process.stdout.on("resize", () => console.log("now " + process.stdout.columns + "x" + process.stdout.rows));
const input = createInterface({ input: process.stdin, terminal: false });
input.on("line", (line) => {
  if (line === "many") for (let index = 1; index <= 100; index++) console.log("line " + index);
  else if (line === "restore") process.stdout.write("\\x1b[?2004l\\x1b[?25h\\x1b[<u");
  else if (line === "quit") process.exit(7);
  else console.log("\\x1b[1mgot\\x1b[0m " + line + "  ");
});
`;

function start(options: Partial<TerminalOptions> = {}): Terminal {
  const script = join(folder, "program.mjs");
  writeFileSync(script, program);
  terminal = openTerminal({ command: process.execPath, args: [script], cwd: folder, cols: 40, rows: 6, ...options });
  return terminal;
}

describe("openTerminal", () => {
  it("shows what the program draws, at its size and without CI", async () => {
    const shell = start({ env: { CI: "1" } });
    await shell.waitFor("ready 40x6 ci=undefined");
    shell.write("日本 hello\r");
    await shell.waitFor("got 日本 hello");
    expectInOrder(shell.screen(), ["ready", "日本 hello", "got 日本 hello"]);
    expect(shell.screen()).toHaveLength(6);
    expect(shell.raw()).toContain("\x1b[1mgot");
    expect(shell.rawBytes()).toBe(Buffer.byteLength(shell.raw()));
  });

  it("keeps what scrolled out of the window", async () => {
    const shell = start();
    await shell.waitFor("ready");
    shell.write("many\r");
    await shell.waitFor(/line 100$/m);
    expect(shell.screen().join("\n")).not.toContain("line 1\n");
    expect(shell.scrollback().filter((line) => line.startsWith("line "))).toHaveLength(100);
  });

  it("tells the program about a new size", async () => {
    const shell = start();
    await shell.waitFor("ready");
    shell.resize(60, 10);
    await shell.waitFor("now 60x10");
    expect(shell.screen()).toHaveLength(10);
  });

  it("gives exit code and signal", async () => {
    const shell = start();
    await shell.waitFor("ready");
    shell.write("quit\r");
    expect(await shell.exit).toEqual({ exitCode: 7, signal: 0 });
    const killed = start();
    await killed.waitFor("ready");
    killed.kill("SIGKILL");
    expect((await killed.exit).signal).toBe(9);
  });

  it("knows which modes are on, and when all are off again", async () => {
    const shell = start();
    await shell.waitFor("ready");
    expect(shell.modes()).toMatchObject({ bracketedPaste: true, cursorHidden: true, kittyKeyboard: 1 });
    expect(() => expectRestored(shell)).toThrow();
    shell.write("restore\rquit\r");
    await shell.exit;
    expectRestored(shell);
  });

  it("fails with the screen when something is not seen in time", async () => {
    const shell = start();
    await shell.waitFor("ready");
    await expect(shell.waitFor("never", 50)).rejects.toThrow(/not seen within 50 ms: "never"[^]*\| ready 40x6/);
  });

  it("fails at once when the program ends without it", async () => {
    const shell = start();
    await shell.waitFor("ready");
    const waiting = shell.waitFor("never", 60_000);
    shell.write("quit\r");
    await expect(waiting).rejects.toThrow(/ended with exit code 7/);
  });
});
