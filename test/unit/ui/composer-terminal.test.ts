import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTerminal, type Terminal } from "../../helpers/pty.ts";
import { expectRestored } from "../../helpers/screen.ts";

let folder: string;
let terminal: Terminal;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "composer-"));
  await build({
    entryPoints: [join(import.meta.dirname, "../../fixtures/ui/composer-program.tsx")],
    outfile: join(folder, "program.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
    jsx: "automatic",
    // Ink names its optional debugger, which is not installed; any module stands for it.
    alias: { "react-devtools-core": "node:util" },
    define: { "process.env.NODE_ENV": '"production"' },
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(async () => {
  terminal = openTerminal({
    command: process.execPath,
    args: [join(folder, "program.mjs")],
    cwd: folder,
    cols: 24,
    rows: 12,
  });
  await terminal.waitFor(
    (each) => each.screen().includes("footer") && each.modes().bracketedPaste && !each.modes().cursorHidden,
  );
});
afterEach(() => terminal.dispose());

const cursorIsAt = (x: number, row: string) => (each: Terminal) =>
  !each.modes().cursorHidden && each.cursor().x === x && each.screen()[each.cursor().y] === row;

describe("the composer in a terminal", () => {
  it("takes text and enter that came in one read", async () => {
    terminal.write("hello\r");
    await terminal.waitFor('sent "hello"');
    await terminal.waitFor(cursorIsAt(2, "> Ask anything"));
  });

  it("places the terminal's cursor, at wide characters and at a row's end too", async () => {
    await terminal.waitFor(cursorIsAt(2, "> Ask anything"));
    terminal.write("日本語ab");
    await terminal.waitFor(cursorIsAt(10, "> 日本語ab"));
    terminal.write("\x1b[D\x1b[D\x1b[D");
    await terminal.waitFor(cursorIsAt(6, "> 日本語ab"));
    terminal.write("\x05 and many more words");
    await terminal.waitFor(cursorIsAt(12, "  more words"));
  });

  it("keeps the cursor with the composer when lines come above it", async () => {
    terminal.write("text");
    await terminal.waitFor(cursorIsAt(6, "> text"));
    terminal.write("\x14\x14\x14");
    await terminal.waitFor("live 3");
    await terminal.waitFor(cursorIsAt(6, "> text"));
    expect(terminal.screen().filter((line) => line === "> text")).toHaveLength(1);
  });

  it("gives a long paste back byte for byte", async () => {
    const text = Array.from({ length: 42 }, (_, index) => `row ${index}\tx`).join("\n");
    terminal.write(`a \x1b[200~${text.replaceAll("\n", "\r")}\x1b[201~`);
    await terminal.waitFor("> a [42 lines]");
    terminal.write("\r");
    await terminal.waitFor((each) => each.raw().includes(`sent ${JSON.stringify(`a ${text}`)}`));
  });

  it("scrolls inside its rows", async () => {
    terminal.write("1\n2\n3\n4\n5\n6");
    await terminal.waitFor(cursorIsAt(3, "  6"));
    expect(terminal.screen().filter((line) => line !== "")).toEqual(["^ 3", "  4", "  5", "  6", "footer"]);
  });

  it.each(["\x03", "\x1b[99;5u"])("leaves the terminal as it was by ctrl+c, sent as %j", async (interrupt) => {
    terminal.write(interrupt);
    expect(await terminal.exit).toEqual({ exitCode: 0, signal: 0 });
    expectRestored(terminal);
  });
});
