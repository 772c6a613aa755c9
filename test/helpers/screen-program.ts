// The built program in a real pseudo-terminal, in a home and a folder of its own.
import { fileURLToPath } from "node:url";
import { afterEach } from "vitest";
import { openTerminal, type Terminal } from "./pty.ts";
import { cleanEnvironment, type Workplace } from "./stele.ts";

const BIN = fileURLToPath(new URL("../../bin/stele", import.meta.url));
const open = new Set<Terminal>();

afterEach(async () => {
  await Promise.all([...open].map((terminal) => terminal.dispose()));
  open.clear();
});

export interface Size {
  readonly cols: number;
  readonly rows: number;
  /** On top of a clean environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly keepsErased?: boolean;
}

/** Killed after the test if it still runs. */
export function openStele(
  place: Workplace,
  args: readonly string[] = [],
  { env = {}, ...size }: Size = { cols: 80, rows: 24 },
): Terminal {
  const terminal = openTerminal({
    command: process.execPath,
    args: [BIN, ...args],
    cwd: place.folder,
    env: { ...cleanEnvironment(place.home), ...env },
    ...size,
  });
  open.add(terminal);
  return terminal;
}

/** The composer is empty and what the screen shows is saved: ready for the next line. */
export async function ready(terminal: Terminal): Promise<void> {
  await terminal.waitFor((each) => each.screen().some((line) => /^\s*saved\b/.test(line)) && isComposerEmpty(each));
}

function isComposerEmpty(terminal: Terminal): boolean {
  return terminal.screen().some((line) => /^[❯>] (Ask|$)/u.test(line.trimStart()) || /^[❯>]$/u.test(line.trim()));
}

export async function type(terminal: Terminal, text: string): Promise<void> {
  await ready(terminal);
  terminal.write(`${text}\r`);
}

/** All that was ever printed, as one text. */
export function everything(terminal: Terminal): string {
  return terminal.scrollback().join("\n");
}
