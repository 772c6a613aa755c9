// What the environment says about the terminal: whether it shows UTF-8, and on which background.
import { createTheme, showsLinks, type Theme, wantsColor } from "./theme.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** `plain`: ASCII, whatever the terminal can; the first other character costs time before the first frame. */
export function themeFor(env: Env, options: { plain?: boolean } = {}): Theme {
  const unicode = options.plain !== true && showsUnicode(env);
  return createTheme({ color: wantsColor(env), background: backgroundOf(env), unicode, links: showsLinks(env) });
}

function showsUnicode(env: Env, platform: NodeJS.Platform = process.platform): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"];
  if (locale) return /utf-?8/i.test(locale);
  return platform === "darwin" || env["WT_SESSION"] !== undefined;
}

/** `COLORFGBG` is `foreground;background`: 7 and 15 are light. */
function backgroundOf(env: Env): "dark" | "light" {
  const background = env["COLORFGBG"]?.split(";").at(-1);
  return background === "7" || background === "15" ? "light" : "dark";
}

/**
 * Whether a window that is made narrower wraps also the row that the cursor is in, as most terminals do. Those that
 * are not known do not: a wrong yes would take a finished line away, a wrong no leaves a piece of a line behind.
 */
export function wrapsCursorRow(env: Env): boolean {
  const marks = ["TMUX", "KITTY_WINDOW_ID", "VTE_VERSION", "ALACRITTY_WINDOW_ID", "WEZTERM_PANE"];
  const programs = ["iTerm.app", "ghostty", "WezTerm"];
  return marks.some((name) => env[name] !== undefined) || programs.includes(env["TERM_PROGRAM"] ?? "");
}
