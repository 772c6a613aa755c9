// When the composer writes a command for the shell, and how that is said: `!` tells the model, `!!` does not. Pure.
import { shellQuote } from "../agent/shell-quote.ts";
import { readTyped } from "../agent/typed-command.ts";
import { type Buffer, type Line as CellLine, lineText } from "./composer-buffer.ts";
import { type Line, lineWidth, span } from "./styled-line.ts";
import type { Look } from "./tool-lines.ts";

export interface ShellMode {
  readonly told: boolean;
}

/** The marks have to be seen: a paste that is folded to a placeholder makes no command. Costs a step a line. */
export function shellMode(buffer: Buffer): ShellMode | undefined {
  const typed = readTyped(visibleStart(firstLine(buffer)));
  return typed && { told: typed.told };
}

function firstLine(buffer: Buffer): CellLine {
  let line = buffer.line;
  for (let each = buffer.above; each !== undefined; each = each.rest) line = each.line;
  return line;
}

function visibleStart(line: CellLine): string {
  const cells = line.slice(0, 2);
  const paste = cells.findIndex((cell) => typeof cell === "object");
  return lineText(paste === -1 ? cells : cells.slice(0, paste));
}

/** In place of the pointer; as wide as it. */
export const shellPrompt = "$ ";

/** For marks without a command. */
export const emptyShell = "type a command behind it: !ls runs ls and tells the model, !!ls does not tell it";

/** The longest that fits is said whole: half of a "not told" says the opposite. */
const words = {
  told: ["runs in the shell, the model is told", "shell; the model is told", "shell, told", "told"],
  untold: ["runs in the shell, the model is not told", "shell; the model is not told", "shell, not told", "not told"],
};

/** The rule under such a text, as long as any other rule. */
export function shellRule({ told }: ShellMode, rule: Line, { theme }: Look): Line {
  const dash = theme.glyphs.rule;
  const width = lineWidth(rule);
  const start = ` ${dash}${dash} `;
  const said = (told ? words.told : words.untold).find((each) => start.length + each.length <= width);
  const text = said === undefined ? dash.repeat(width) : `${start}${said} ${dash.repeat(width)}`.slice(0, width);
  return [span(text, "warning")];
}

/** A path as one word of a command. */
export function shellWord(path: string): string {
  return shellQuote(path.startsWith("-") ? `./${path}` : path);
}
