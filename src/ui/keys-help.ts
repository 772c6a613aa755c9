// The keys, once: what the screen does with a key it looks up here, and `?` and the help page show this table. Those of
// the composer are bound in composer-keys.ts; those of a list or a question say themselves what they do.
import { type Binding, type BoundAction, composerBindings } from "./composer-keys.ts";

export interface KeyHelp {
  readonly keys: string;
  readonly does: string;
}

export const screenBindings = [
  { action: "send", keys: ["enter"] },
  { action: "steer", keys: ["ctrl+s", "ctrl+enter"] },
  { action: "stop", keys: ["escape"] },
  { action: "interrupt", keys: ["ctrl+c"] },
  { action: "quit", keys: ["ctrl+d"] },
  { action: "mode", keys: ["shift+tab"] },
  { action: "complete", keys: ["tab"] },
  { action: "search", keys: ["ctrl+r"] },
  { action: "edit", keys: ["ctrl+g"] },
  { action: "page", keys: ["ctrl+o"] },
  { action: "redraw", keys: ["ctrl+l"] },
  { action: "suspend", keys: ["ctrl+z"] },
] as const satisfies readonly Binding<string>[];

export type ScreenKey = (typeof screenBindings)[number]["action"];

/** The keys in force. */
export interface KeyTable {
  readonly screen: readonly Binding<ScreenKey>[];
  readonly composer: readonly Binding<BoundAction>[];
}

export const defaultTable: KeyTable = { screen: screenBindings, composer: composerBindings };

/** Of actions that have keys. */
export function keysHelp(table: KeyTable): readonly KeyHelp[] {
  const screen = (action: ScreenKey): string => keysOf(table.screen, action).map(shortName).join(", ");
  const nth = (index: number, actions: readonly BoundAction[]): string =>
    actions
      .flatMap((action) => keysOf(table.composer, action)[index] ?? [])
      .map(shortName)
      .join(", ");
  const first = (...actions: readonly BoundAction[]): string => nth(0, actions);
  const also = (...actions: readonly BoundAction[]): string => {
    const others = nth(1, actions);
    return others === "" ? "" : ` (${others} too)`;
  };
  const rows = [
    { keys: screen("send"), does: "send; while a turn runs: queue" },
    { keys: screen("steer"), does: "steer: tell it to the turn that runs" },
    { keys: [...keysOf(table.composer, "newline").slice(0, 2), "\\ enter"].join(", "), does: "new line" },
    { keys: screen("stop"), does: "stop the turn; twice: go back to an earlier turn" },
    { keys: screen("interrupt"), does: "stop the turn, clear the text, then twice: quit" },
    { keys: screen("quit"), does: "quit, when nothing is written" },
    { keys: screen("mode"), does: "approval mode: plan, ask, edits" },
    { keys: first("up", "down"), does: "move, then what waits, then earlier prompts" },
    { keys: screen("search"), does: "search the prompts of all conversations" },
    { keys: "/", does: "commands, and what may follow them" },
    { keys: "!, !!", does: "run in the shell; the model is told, or is not" },
    { keys: "@", does: "files and folders, by any letters of their path" },
    { keys: screen("complete"), does: "complete a command, a name, a path" },
    { keys: screen("edit"), does: "write in your own editor ($VISUAL, $EDITOR)" },
    { keys: screen("page"), does: "a tool's whole output; t there: the conversation" },
    { keys: "y, a, e, n, t, d", does: "an approval: yes, always, edit, no, no and why, never" },
    { keys: "pgdn, pgup", does: "the rest of a long command or diff, before y" },
    { keys: "space, a, d", does: "in a preview of files: tick, tick all, see the diff" },
    { keys: first("home", "end"), does: "start and end of the line" },
    { keys: first("text-start", "text-end"), does: "start and end of the text" },
    { keys: first("word-left", "word-right"), does: `a word back, a word on${also("word-left", "word-right")}` },
    { keys: first("select-left", "select-right"), does: "select letters" },
    {
      keys: first("select-word-left"),
      does: ["select a word back", ...keysOf(table.composer, "select-word-right").slice(0, 1)].join("; on: "),
    },
    { keys: first("mark"), does: "every move selects from here on; esc ends it" },
    { keys: first("cut-space-word-left", "cut-to-start", "cut-to-end"), does: "cut a word, to the start, to the end" },
    { keys: first("cut-word-left", "cut-word-right"), does: "cut letters of a word back, on" },
    { keys: first("yank", "yank-older"), does: "put back what was cut, then what was cut before it" },
    { keys: first("undo", "redo"), does: "undo and redo typing" },
    { keys: screen("redraw"), does: "draw the screen again" },
    { keys: screen("suspend"), does: "suspend; fg comes back" },
    { keys: "?", does: "this list, when nothing is written" },
  ];
  return rows.filter(({ keys }) => keys !== "");
}

function keysOf<Action>(bindings: readonly Binding<Action>[], action: Action): readonly string[] {
  return bindings.find((each) => each.action === action)?.keys ?? [];
}

function shortName(name: string): string {
  return name === "escape" ? "esc" : name;
}
