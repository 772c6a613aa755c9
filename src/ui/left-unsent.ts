// What windows that are gone left unsent in other conversations: the newest, a line each with the command that brings
// it back, and how many more there are. Pure.
import { beginningOf } from "../commands/session-rows.ts";
import type { UnsentBeginning } from "../ledger/types.ts";
import { type Block, note } from "./block.ts";
import { agoWords } from "./recovery-lines.ts";

const maxNamed = 2;

/** Newest first, as they come. */
export function leftUnsent(all: readonly UnsentBeginning[], now: number): readonly Block[] {
  const named = all.slice(0, maxNamed).map(({ session, beginning, at }) => {
    const words = beginningOf(beginning);
    return note(`unsent text of ${agoWords(now - at)}: “${words}” · /resume ${session} brings it back`);
  });
  const more = all.length - named.length;
  return more === 0
    ? named
    : [...named, note(`${more} more unsent ${more === 1 ? "text" : "texts"}: /resume lists them`)];
}
