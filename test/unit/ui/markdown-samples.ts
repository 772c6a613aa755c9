// What an answer looks like as text: the rows that are printed of it, without colours.
import { endAnswer, openAnswer } from "../../../src/ui/answer-stream.ts";
import type { Line } from "../../../src/ui/styled-line.ts";
import { lineText } from "../../../src/ui/styled-line.ts";
import { createTheme, type Theme } from "../../../src/ui/theme.ts";
import { blockLines } from "../../../src/ui/transcript.ts";

const unicode = createTheme({ color: false, unicode: true });

export function answerRows(source: string, width = 80, theme: Theme = unicode): readonly Line[] {
  return blockLines({ kind: "answer", lines: endAnswer(openAnswer, source).lines }, { width, theme });
}

/** Without the column of the sign. */
export function drawn(source: string, width = 80, theme: Theme = unicode): readonly string[] {
  return answerRows(source, width, theme).map((row) => lineText(row).slice(2).trimEnd());
}

/** `role:text` of what is not plain. */
export function roles(line: Line): readonly string[] {
  return line.filter(({ role }) => role !== "plain").map(({ text, role }) => `${role}:${text}`);
}
