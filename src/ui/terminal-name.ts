// The terminal that stdout is, by name: the channel of an answer that was shown there, and the window of its draft.
import { readlinkSync } from "node:fs";

export function terminalName(): string {
  try {
    return readlinkSync("/proc/self/fd/1");
  } catch {
    return "tty"; // no /proc here
  }
}
