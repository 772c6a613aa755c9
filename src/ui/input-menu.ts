// Which list stands under the composer: paths behind an `@`, commands behind a slash, names behind a command; and its
// state, which goes with the text. What it costs is paid once for every change of the text or of what is offered.
import type { FoundPaths } from "../agent/path-index.ts";
import {
  initialMenu,
  type MenuAction,
  type MenuCommand,
  type MenuItem,
  type MenuState,
  menuItems,
  menuReducer,
  typedArgument,
} from "./command-menu.tsx";
import { type Buffer, lineText } from "./composer-buffer.ts";
import type { ComposerState } from "./composer-state.ts";
import { matchRank, rankBy } from "./fuzzy.ts";
import { pathText, pathToken } from "./path-menu.ts";
import { shellMode, shellWord } from "./shell-mode.ts";

/** A name that may be given to a command. */
export interface NameChoice {
  /** What is put in. */
  readonly value: string;
  /** Untrusted, as the summary. */
  readonly label: string;
  readonly summary: string;
  /** More words it is found by. */
  readonly search?: string;
}

/** What is known of the outside; both answer at once, from memory. */
export interface Completion {
  paths(query: string, limit: number): FoundPaths;
  /** Undefined: nothing is offered for such an argument. */
  names(argument: string): OfferedNames | undefined;
}

export interface OfferedNames {
  readonly names: readonly NameChoice[];
  readonly isReading: boolean;
  /** Means something as it stands, though it is none of the names. */
  readonly isWhole?: (typed: string) => boolean;
}

export interface Offer {
  readonly items: readonly MenuItem[];
  readonly note?: string;
  /** Enter chooses only what the person selected: what is typed may well be meant as it stands. */
  readonly mustSelect: boolean;
}

interface Offered extends Offer {
  readonly about: Omit<Extract<MenuAction, { type: "text" }>, "type">;
}

/** More than anybody scrolls through; who wants another one types on. */
const shown = 100;

export class InputMenu {
  state: MenuState = initialMenu;
  #commands: readonly MenuCommand[] = [];
  #completion: Completion | undefined;
  #known: { readonly composer: ComposerState; readonly offer: Offered | undefined } | undefined;

  set commands(commands: readonly MenuCommand[]) {
    this.#commands = commands;
    this.forget();
  }
  set completion(completion: Completion) {
    this.#completion = completion;
    this.forget();
  }

  /** Undefined: there is nothing to offer, or it was closed. */
  offer(composer: ComposerState): Offer | undefined {
    if (this.#known?.composer.buffer !== composer.buffer || this.#known.composer.last !== composer.last) {
      const offer = composer.last === "set" ? undefined : this.#offer(composer.buffer);
      this.#known = { composer, offer };
      this.#act({ type: "text", ...(offer?.about ?? { text: "" }) });
    }
    return this.state.closed ? undefined : this.#known.offer;
  }

  move(direction: "up" | "down", count: number): void {
    this.#act({ type: direction, count });
  }
  close(): void {
    this.#act({ type: "close" });
  }

  /** Something else may be offered for the same text. */
  forget(): void {
    this.#known = undefined;
  }

  #act(action: MenuAction): void {
    this.state = menuReducer(this.state, action);
  }

  #offer(buffer: Buffer): Offered | undefined {
    const paths = this.#paths(buffer);
    if (paths) return paths;
    const { above, line, below } = buffer;
    if (above !== undefined || below !== undefined || line[0] !== "/") return undefined;
    const text = lineText(line);
    const names = this.#names(text, buffer);
    if (names) return names;
    const items = menuItems(text, this.#commands);
    return items.length === 0
      ? undefined
      : { items, note: commandNote(text, items), mustSelect: false, about: { text } };
  }

  #paths(buffer: Buffer): Offered | undefined {
    const completion = this.#completion;
    const token = completion && pathToken(buffer);
    if (!token) return undefined;
    const { paths, isReading, isCut } = completion.paths(token.query, shown);
    const isShell = shellMode(buffer) !== undefined;
    const items = paths.map((path): MenuItem => {
      const text = isShell ? shellWord(path) : pathText(path);
      const follows = path.endsWith("/") || token.isFollowed ? "" : " ";
      return {
        id: path,
        label: path,
        summary: "",
        keepsEnd: true,
        choice: { type: "complete", from: token.from, text: text + follows },
        isWhole: text === token.text,
      };
    });
    const note = pathNote({ isReading, isCut, isEmpty: items.length === 0 });
    const place = `@${token.from}`;
    const about = { text: token.text, place };
    // In a command an `@` often means something else: nothing is put in that was not chosen.
    if (isShell) return { items, ...(note && { note }), mustSelect: true, about: { ...about, selected: -1 } };
    return { items, ...(note && { note }), mustSelect: false, about };
  }

  #names(text: string, buffer: Buffer): Offered | undefined {
    const typed = typedArgument(text, this.#commands);
    if (typed?.command.argument === undefined || buffer.column !== buffer.line.length) return undefined;
    const known = this.#completion?.names(typed.command.argument);
    if (!known) return undefined;
    const { argument } = typed;
    const fitting = rankBy(known.names, (name) => nameRank(argument, name)).slice(0, shown);
    if (fitting.some(({ value }) => value === argument.trim())) return undefined;
    const from = buffer.line.length - cellsOf(argument, buffer);
    const items = fitting.map(
      ({ value, label, summary }): MenuItem => ({
        id: value,
        label,
        summary,
        choice: { type: "complete", from, text: value },
        isWhole: false,
      }),
    );
    if (items.length === 0 && !known.isReading) return undefined;
    const isMeant = items.length === 1 && argument.trim() !== "" && !known.isReading;
    if (isMeant && !known.isWhole?.(argument.trim()))
      return { items, note: "enter takes it", mustSelect: false, about: { text } };
    const note = items.length > 0 ? "down picks one · enter runs it" : "looking…";
    return { items, note, mustSelect: true, about: { text, selected: -1 } };
  }
}

/** How a command is reached and run, for who sees the list for the first time; at most 38 columns in a list. */
function commandNote(text: string, items: readonly MenuItem[]): string {
  if (items.length > 1) return `up, down · enter takes one · ${items.length} in all`;
  const isTaken = /\s/.test(text) || items[0]?.isWhole === true;
  if (!isTaken) return "enter takes it";
  return items[0]?.label.includes("[") ? "enter runs it; what is in [ ] may follow" : "enter runs it";
}

function pathNote({ isReading, isCut, isEmpty }: { isReading: boolean; isCut: boolean; isEmpty: boolean }) {
  if (isEmpty) return isReading ? "looking for files…" : "no file or folder fits";
  return isCut ? "there are more files here than are listed" : undefined;
}

function nameRank(query: string, { value, label, search = value }: NameChoice): number | undefined {
  const ranks = [value, label, search].flatMap((text) => matchRank(query.trim(), text) ?? []);
  return ranks.length === 0 ? undefined : Math.min(...ranks);
}

/** How many cells at the line's end hold this text. */
function cellsOf(text: string, { line }: Buffer): number {
  let left = text.length;
  let count = 0;
  while (left > 0 && count < line.length) {
    count += 1;
    left -= lineText(line.slice(line.length - count, line.length - count + 1)).length;
  }
  return count;
}
