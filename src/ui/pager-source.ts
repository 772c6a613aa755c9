// What a pager can show: a text of units, a line of an output or a message of a conversation, each laid out only when
// it is looked at. A unit that has to be read first is asked for with `load`; nothing costs more for a longer text.
import type { Line } from "./styled-line.ts";
import type { Look } from "./tool-lines.ts";

export interface PagerSource {
  /** One line, clean. */
  readonly title: string;
  readonly noun: "line" | "message";
  readonly units: number;
  /** What stood where a row was wrapped: words are parted by a space there, cells by nothing. */
  readonly glue: "" | " ";
  /** Where a search looks first: down from here, or up to what came before. */
  readonly searches: "down" | "up";
  /** Undefined: not read yet. A unit may have no row. */
  rows(unit: number, look: Look): readonly Line[] | undefined;
  /** False: no row of it can match. Undefined: not read yet. */
  mayMatch(unit: number, pattern: RegExp): boolean | undefined;
  /** Rejects with the ledger's error. */
  load(unit: number): Promise<void>;
}

/** A unit that has to be loaded before there is an answer. */
export interface Needs {
  readonly needs: number;
}

export function isNeeds(value: object): value is Needs {
  return "needs" in value;
}
