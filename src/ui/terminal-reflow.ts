// What a terminal does to rows that are wider than its window when that is made narrower: rows of the frame have to be
// counted as they stand there now. Nothing asks it of a terminal; its name in the environment has to do.
// Hazard: of a window that went through two other widths before the first was heard of, nobody can tell how it wrapped
// them. That can happen at the first change only: while it goes on, there is nothing to be wrapped (live-screen.ts).

type Env = Readonly<Record<string, string | undefined>>;

/**
 * `whole`: it wraps all rows anew. `but-cursor-row` (xterm.js): all but the row of the cursor, which it moves down by a
 * row for every one that is added below it. `unknown`: counted so that no finished line is taken away; a piece of a row
 * may be left behind.
 */
export type Reflow = "whole" | "but-cursor-row" | "unknown";

const wholeMarks = ["TMUX", "KITTY_WINDOW_ID", "VTE_VERSION", "ALACRITTY_WINDOW_ID", "WEZTERM_PANE"];
const programs: Readonly<Record<string, Reflow>> = {
  "iTerm.app": "whole",
  ghostty: "whole",
  WezTerm: "whole",
  vscode: "but-cursor-row",
  Hyper: "but-cursor-row",
  Tabby: "but-cursor-row",
};

export function reflowOf(env: Env): Reflow {
  if (wholeMarks.some((name) => env[name] !== undefined)) return "whole";
  return programs[env["TERM_PROGRAM"] ?? ""] ?? "unknown";
}
