// Colours and signs by role: components say what a thing is, this says how it looks.
// Without colour a theme keeps bold, dim and inverse only. Signs have a plain ASCII form, for the first frame and
// for terminals without UTF-8.
import { createContext, useContext } from "react";

export interface TextStyle {
  readonly color?: string;
  readonly bold?: boolean;
  readonly dimColor?: boolean;
  readonly inverse?: boolean;
}

export type Role =
  | "plain"
  | "accent"
  | "strong"
  | "muted"
  | "ok"
  | "warning"
  | "error"
  | "added"
  | "removed"
  | "selected"
  | "placeholder"
  /** What an approval spells out because it could not be seen. */
  | "revealed"
  | "cursor";

export interface Glyphs {
  readonly ok: string;
  readonly failed: string;
  readonly warning: string;
  readonly pointer: string;
  /** Before what a person said. */
  readonly prompt: string;
  readonly bullet: string;
  /** What goes on by itself. */
  readonly running: string;
  readonly elbow: string;
  readonly rule: string;
  readonly ellipsis: string;
}

export interface Theme {
  readonly styles: Readonly<Record<Role, TextStyle>>;
  readonly glyphs: Glyphs;
}

export interface ThemeOptions {
  readonly color?: boolean;
  readonly background?: "dark" | "light";
  readonly unicode?: boolean;
}

const asciiGlyphs: Glyphs = {
  ok: "v",
  failed: "x",
  warning: "!",
  pointer: ">",
  prompt: ">",
  bullet: "*",
  running: "o",
  elbow: "|",
  rule: "-",
  ellipsis: "~",
};

const unicodeGlyphs: Glyphs = {
  ok: "✓",
  failed: "✗",
  warning: "!",
  pointer: "❯",
  prompt: "›",
  bullet: "●",
  running: "↻",
  elbow: "⎿",
  rule: "─",
  ellipsis: "…",
};

const withoutColor: Readonly<Record<Role, TextStyle>> = {
  plain: {},
  accent: { bold: true },
  strong: { bold: true },
  muted: { dimColor: true },
  ok: {},
  warning: { bold: true },
  error: { bold: true },
  added: {},
  removed: {},
  selected: { bold: true },
  placeholder: { dimColor: true },
  revealed: { inverse: true },
  cursor: { inverse: true },
};

// The sixteen named colours only: the terminal's own palette makes them readable on its own background.
const onDark: Partial<Record<Role, TextStyle>> = {
  accent: { color: "cyan" },
  ok: { color: "green" },
  warning: { color: "yellow" },
  error: { color: "red" },
  added: { color: "green" },
  removed: { color: "red" },
  selected: { color: "cyan", bold: true },
};

const onLight: Partial<Record<Role, TextStyle>> = {
  ...onDark,
  accent: { color: "blue" },
  warning: { color: "magenta" },
  selected: { color: "blue", bold: true },
};

export function createTheme(options: ThemeOptions = {}): Theme {
  const { color = true, background = "dark", unicode = false } = options;
  const colors = !color ? {} : background === "light" ? onLight : onDark;
  return { styles: { ...withoutColor, ...colors }, glyphs: unicode ? unicodeGlyphs : asciiGlyphs };
}

/** As https://no-color.org says, and none for a terminal that cannot. */
export function wantsColor(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env["FORCE_COLOR"] !== undefined) return env["FORCE_COLOR"] !== "0" && env["FORCE_COLOR"] !== "false";
  return (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
}

export const ThemeContext = createContext<Theme>(createTheme());

export function useTheme(): Theme {
  return useContext(ThemeContext);
}
