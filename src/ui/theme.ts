// Colours and signs by role: components say what a thing is, this says how it looks.
// Without colour a theme keeps bold, dim and inverse only. Signs have a plain ASCII form, for the first frame and
// for terminals without UTF-8.
import { createContext, useContext } from "react";
import { type Background, type ColorDepth, colorDepth, colorOf, type Hue } from "./palette.ts";

export interface TextStyle {
  readonly color?: string;
  readonly bold?: boolean;
  readonly dimColor?: boolean;
  readonly inverse?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strikethrough?: boolean;
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
  /** The words that changed within such a line. */
  | "added-word"
  | "removed-word"
  | "heading"
  | "emphasis"
  | "strong-emphasis"
  | "struck"
  /** Code within a line of text. */
  | "code"
  | "link"
  /** Of a link, behind its text: left out where the text itself can be clicked. */
  | "address"
  /** Before a row that is quoted. */
  | "quote"
  | "bullet"
  | "code-keyword"
  | "code-string"
  | "code-number"
  | "code-comment"
  /** Keys, tags, variables. */
  | "code-name"
  | "selected"
  /** Letters that fit what was typed. */
  | "match"
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
  /** Before an item of a list, and between columns or before what is quoted. */
  readonly item: string;
  readonly bar: string;
  readonly cross: string;
}

export interface Theme {
  readonly styles: Readonly<Record<Role, TextStyle>>;
  readonly glyphs: Glyphs;
  /** What opens the pager, where a person chose another key, or, empty, none. */
  readonly pageKey?: string;
  /** The terminal is known to show the text of a link and open its address. */
  readonly links: boolean;
}

export interface ThemeOptions {
  readonly color?: boolean;
  /** Default: the sixteen named ones. */
  readonly depth?: ColorDepth;
  /** Absent: not known. */
  readonly background?: Background | undefined;
  readonly unicode?: boolean;
  readonly links?: boolean;
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
  item: "-",
  bar: "|",
  cross: "+",
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
  item: "•",
  bar: "│",
  cross: "┼",
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
  "added-word": { inverse: true },
  "removed-word": { inverse: true },
  heading: { bold: true },
  emphasis: { italic: true },
  "strong-emphasis": { bold: true, italic: true },
  struck: { strikethrough: true, dimColor: true },
  code: { bold: true },
  link: { underline: true },
  address: { dimColor: true },
  quote: { dimColor: true },
  bullet: { bold: true },
  "code-keyword": { bold: true },
  "code-string": {},
  "code-number": {},
  "code-comment": { dimColor: true },
  "code-name": {},
  selected: { bold: true },
  match: { bold: true, underline: true },
  placeholder: { dimColor: true },
  revealed: { inverse: true },
  cursor: { inverse: true },
};

type Painted = Partial<Record<Role, TextStyle>>;

function painted(depth: ColorDepth, background: Background | undefined): Painted {
  if (depth === "none") return {};
  const color = (hue: Hue): TextStyle => ({ color: colorOf(hue, depth, background) });
  const accent = color("accent");
  return {
    accent,
    ok: color("green"),
    warning: color("yellow"),
    error: color("red"),
    added: color("green"),
    removed: color("red"),
    // Inverse takes the terminal's own background as the colour of the letters: readable on any of both.
    "added-word": { ...color("green"), inverse: true },
    "removed-word": { ...color("red"), inverse: true },
    heading: { ...accent, bold: true },
    code: accent,
    link: { ...accent, underline: true },
    bullet: accent,
    "code-keyword": color("magenta"),
    "code-string": color("green"),
    "code-number": background === "light" && depth === "named" ? color("red") : color("yellow"),
    "code-name": accent,
    selected: { ...accent, bold: true },
  };
}

export function createTheme(options: ThemeOptions = {}): Theme {
  const { color = true, depth = color ? "named" : "none", background, unicode = false, links = false } = options;
  return {
    styles: { ...withoutColor, ...painted(depth, background) },
    glyphs: unicode ? unicodeGlyphs : asciiGlyphs,
    links,
  };
}

export function wantsColor(env: Readonly<Record<string, string | undefined>>): boolean {
  return colorDepth(env) !== "none";
}

/**
 * Whether a link may be written as OSC 8. Only where a terminal says who it is: others print the address as rubbish.
 * Not through tmux and screen, which may swallow it, and not where colour is off.
 */
export function showsLinks(env: Readonly<Record<string, string | undefined>>): boolean {
  if (!wantsColor(env) || env["TMUX"] !== undefined || /^(?:screen|tmux|linux|dumb)/.test(env["TERM"] ?? ""))
    return false;
  if (Number(env["VTE_VERSION"] ?? 0) >= 5000 || Number(env["KONSOLE_VERSION"] ?? 0) >= 210_400) return true;
  if (/^(?:xterm-kitty|xterm-ghostty|alacritty|foot|wezterm)/.test(env["TERM"] ?? "")) return true;
  return env["WT_SESSION"] !== undefined || /^(?:iTerm\.app|WezTerm|vscode|ghostty)$/.test(env["TERM_PROGRAM"] ?? "");
}

export const ThemeContext = createContext<Theme>(createTheme());

export function useTheme(): Theme {
  return useContext(ThemeContext);
}
