// `stele --help` and `stele COMMAND --help`.
import type { Command } from "./command.ts";
import { explain, listLines } from "./help-text.ts";
import { registry } from "./registry.ts";

const STARTS: readonly (readonly [call: string, does: string])[] = [
  ["stele [prompt…]", "open here; with a prompt, send it"],
  ["stele run <prompt…>", "one turn without a screen; what is piped in is appended"],
  ["stele -c", "go on with the last conversation of this terminal or folder"],
  ["stele -r [session]", "choose or open a conversation"],
];

export function helpPage(options: readonly string[]): readonly string[] {
  const starts = STARTS.map(([call, does]) => `  ${call.padEnd(20)} ${does}`);
  const commands = listLines(registry, "argv").map((line) => `  ${line}`);
  return ["Starting", ...starts, "", "Commands", ...commands, "", "Options", ...options];
}

export function commandHelp(command: Command): readonly string[] {
  return explain(`stele ${command.name}`, command);
}
