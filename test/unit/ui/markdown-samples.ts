// What an answer looks like as text: the rows that are printed of it, without colours.
import { type AnswerLine, endAnswer, openAnswer } from "../../../src/ui/answer-stream.ts";
import { answerLines } from "../../../src/ui/markdown-rows.ts";
import { type Line, lineText, type Span } from "../../../src/ui/styled-line.ts";
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

/** As they are seen: neighbours that look the same are one, and blanks at the end are not seen. */
export function seenRows(lines: readonly AnswerLine[], width: number): readonly Line[] {
  return lines.flatMap((line) => answerLines(line, { width, theme: unicode })).map(seen);
}

function seen(row: Line): Line {
  const joined = row.reduce<readonly Span[]>((all, each) => {
    const last = all.at(-1);
    if (last?.role !== each.role || last.href !== each.href) return [...all, each];
    return [...all.slice(0, -1), { ...last, text: last.text + each.text }];
  }, []);
  return joined.map((each, at) => (at === joined.length - 1 ? { ...each, text: each.text.trimEnd() } : each));
}
