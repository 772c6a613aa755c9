// Colours by depth and background. The sixteen named ones are the person's own palette and right wherever the background
// is not known; fixed ones are taken only where it is, for their contrast is a promise then: 4.5 or more on any
// background that passes for dark or light.

export type ColorDepth = "none" | "named" | "indexed" | "exact";
export type Background = "dark" | "light";
export type Hue = "accent" | "green" | "red" | "yellow" | "magenta";

/** A colour of the 256: what it is on xterm, and its number. */
export interface Fixed {
  readonly hex: string;
  readonly index: number;
}

const fixed: Readonly<Record<Background, Readonly<Record<Hue, Fixed>>>> = {
  dark: {
    accent: { hex: "#5fd7d7", index: 80 },
    green: { hex: "#87d787", index: 114 },
    red: { hex: "#ff8787", index: 210 },
    yellow: { hex: "#d7d787", index: 186 },
    magenta: { hex: "#d7afff", index: 183 },
  },
  light: {
    accent: { hex: "#005faf", index: 25 },
    green: { hex: "#005f00", index: 22 },
    red: { hex: "#af0000", index: 124 },
    yellow: { hex: "#5f5f00", index: 58 },
    magenta: { hex: "#870087", index: 90 },
  },
};

/** Yellow on white is not read, and cyan hardly: there other names stand for them. */
const named: Readonly<Record<Background, Readonly<Record<Hue, string>>>> = {
  dark: { accent: "cyan", green: "green", red: "red", yellow: "yellow", magenta: "magenta" },
  light: { accent: "blue", green: "green", red: "red", yellow: "magenta", magenta: "magenta" },
};

export function fixedColor(hue: Hue, background: Background): Fixed {
  return fixed[background][hue];
}

/** A name, `ansi256(25)` or `#005faf`. */
export function colorOf(hue: Hue, depth: ColorDepth, background: Background | undefined): string {
  if (background === undefined || depth === "named") return named[background ?? "dark"][hue];
  const { hex, index } = fixed[background][hue];
  return depth === "exact" ? hex : `ansi256(${index})`;
}

type Env = Readonly<Record<string, string | undefined>>;

/** As https://no-color.org says, and none for a terminal that cannot. */
export function colorDepth(env: Env): ColorDepth {
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: term = "" } = env;
  if (forced !== undefined) return forcedDepth(forced, env);
  if ((none ?? "") !== "" || term === "dumb") return "none";
  return shownDepth(env);
}

function forcedDepth(forced: string, env: Env): ColorDepth {
  switch (forced) {
    case "0":
    case "false":
      return "none";
    case "1":
      return "named";
    case "2":
      return "indexed";
    case "3":
      return "exact";
    default: {
      const shown = shownDepth(env);
      return shown === "none" ? "named" : shown;
    }
  }
}

function shownDepth(env: Env): ColorDepth {
  const { TERM: term = "", COLORTERM: colors = "", TERM_PROGRAM: program = "" } = env;
  // It takes no more, and hands on what the terminal around it said of itself.
  if (/^screen/.test(term) && env["TMUX"] === undefined) return term.includes("256color") ? "indexed" : "named";
  if (/^(?:truecolor|24bit)$/i.test(colors) || /-(?:direct|truecolor)$/.test(term)) return "exact";
  if (env["WT_SESSION"] !== undefined || /^(?:iTerm\.app|WezTerm|ghostty|vscode)$/.test(program)) return "exact";
  if (/^xterm-(?:kitty|ghostty)$/.test(term)) return "exact";
  return /256(?:color)?$/.test(term) || program === "Apple_Terminal" ? "indexed" : "named";
}
