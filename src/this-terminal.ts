// The terminal that this program runs in, by a name that no other one ever has: a pane or window that says so, else the
// device with the shell that leads it, because devices are used again. And remembering what was used in it.
import { readFileSync, readlinkSync } from "node:fs";
import type { Runner } from "./agent/runner.ts";
import type { AsyncSessionDB } from "./ledger/async-session-db.ts";
import { bootId, probePid } from "./ledger/identity.ts";
import type { ConversationId } from "./ledger/types.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Innermost first: a multiplexer inside of a terminal program inherits what that one says. */
const SAID: readonly (readonly string[])[] = [
  ["TMUX", "TMUX_PANE"],
  ["STY", "WINDOW"],
  ["ZELLIJ_SESSION_NAME", "ZELLIJ_PANE_ID"],
  ["WEZTERM_UNIX_SOCKET", "WEZTERM_PANE"],
  ["KITTY_PID", "KITTY_WINDOW_ID"],
  ["ITERM_SESSION_ID"],
  ["TERM_SESSION_ID"],
  ["WT_SESSION"],
];

/** Undefined where there is none, or none that can be told from another. */
export function thisTerminal(env: Environment, isTerminal: boolean): string | undefined {
  if (!isTerminal) return undefined;
  for (const names of SAID) {
    const values = names.map((name) => env[name] ?? "");
    if (values.every((value) => value !== "")) return `${names[0]}:${values.join(":")}`;
  }
  return deviceName();
}

/** Its shell leads the kernel's session: pid and start of that one, in this boot, are no other window's. */
function deviceName(): string | undefined {
  try {
    const device = readlinkSync("/proc/self/fd/0");
    const stat = readFileSync("/proc/self/stat", "latin1");
    const leader = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3]);
    const probe = probePid(leader);
    const boot = bootId();
    if (probe.kind !== "there" || probe.start === undefined || boot === undefined) return undefined;
    return `tty:${device}:${boot}:${leader}:${probe.start}`;
  } catch {
    return undefined; // no /proc here, and no name of the terminal program's own
  }
}

/**
 * Remembers what is open in this terminal, from the first prompt or from when it is opened on purpose: a start that says
 * nothing changes nothing. Returns how to stop.
 */
export function followTerminal(
  { db, runner }: { db: AsyncSessionDB; runner: Runner },
  { terminal, isResumed }: { terminal: string | undefined; isResumed: boolean },
): () => void {
  if (terminal === undefined) return () => {};
  let known: ConversationId | undefined;
  const remember = (): void => {
    const { conversation } = runner.session;
    if (conversation === known) return;
    known = conversation;
    void db.rememberTerminal(terminal, conversation).catch(() => {
      // A ledger that cannot be written is told by what matters more; the next prompt tries again.
      known = undefined;
    });
  };
  if (isResumed) remember();
  return runner.listen(({ type }) => {
    if (type === "session" || type === "prompt-admitted") remember();
  });
}
