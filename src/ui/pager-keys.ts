// What each key of the pager does, as its own `?` shows it: one line each, the most needed first, where a window is low.
import { fitLine, type Line, span } from "./styled-line.ts";
import type { Look } from "./tool-lines.ts";

const rows: readonly (readonly [keys: string, what: string])[] = [
  ["q  esc", "close"],
  ["/", "search"],
  ["n  N", "what was searched for again, the other way"],
  ["t", "the conversation, or its newest output"],
  ["o", "list of outputs"],
  ["tab  shift+tab", "the next older, the next newer output"],
  ["space  b", "a page on, a page back"],
  ["d  u", "half a page on, half a page back"],
  ["up  down", "a row"],
  ["g  G", "the start, the end"],
];

const column = 16;

export function pagerKeyLines({ width, theme }: Look, height: number): readonly Line[] {
  return rows
    .slice(0, height)
    .map(([keys, what]) =>
      fitLine([span(keys.padEnd(width < 40 ? 0 : column), "accent"), span(`  ${what}`)], width, theme.glyphs.ellipsis),
    );
}
