// Questions about a screen as lines, however it was drawn: by the pty's emulator or by ink-testing-library.
import { stripVTControlCharacters } from "node:util";
import { expect } from "vitest";
import { cellWidth } from "../../src/ui/text-width.ts";
import type { Terminal } from "./pty.ts";

/** The lines of an Ink frame without colours, trimmed on the right. */
export function frameLines(frame: string | undefined): readonly string[] {
  return stripVTControlCharacters(frame ?? "")
    .split("\n")
    .map((line) => line.trimEnd());
}

export function expectFits(lines: readonly string[], size: { cols: number; rows?: number }): void {
  for (const line of lines) expect(cellWidth(line), `too wide: ${JSON.stringify(line)}`).toBeLessThanOrEqual(size.cols);
  if (size.rows !== undefined) expect(lines.length, `too high:\n${lines.join("\n")}`).toBeLessThanOrEqual(size.rows);
}

/** `wanted` are in the text in this order, each on its own line or on the same one. */
export function expectInOrder(lines: readonly string[], wanted: readonly string[]): void {
  const text = lines.join("\n");
  let at = 0;
  for (const each of wanted) {
    const found = text.indexOf(each, at);
    expect(found, `${JSON.stringify(each)} is missing or out of order in:\n${text}`).toBeGreaterThanOrEqual(0);
    at = found + each.length;
  }
}

/** Nothing is left switched on that would spoil the shell behind the program. */
export function expectRestored(terminal: Terminal): void {
  expect(terminal.modes()).toEqual({
    bracketedPaste: false,
    cursorHidden: false,
    focusReports: false,
    mouse: false,
    alternateScreen: false,
    synchronizedOutput: false,
    kittyKeyboard: 0,
  });
}
