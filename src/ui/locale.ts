// What the environment says about the terminal: whether it shows UTF-8, and on which background.

import type { ThemeName } from "../config/config.ts";
import { type Background, colorDepth } from "./palette.ts";
import { createTheme, showsLinks, type Theme } from "./theme.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface ThemeWishes {
  /** ASCII, whatever the terminal can; the first other character costs time before the first frame. */
  readonly plain?: boolean;
  /** Of the config. */
  readonly name?: ThemeName | undefined;
  /** By the terminal's own word. */
  readonly background?: Background | undefined;
}

/** A person's word about the background comes first, then the terminal's, then the environment's. */
export function themeFor(env: Env, { plain, name = "auto", background }: ThemeWishes = {}): Theme {
  const unicode = plain !== true && showsUnicode(env);
  const known = name === "light" || name === "dark" ? name : (background ?? backgroundOf(env));
  const depth = name === "none" ? "none" : colorDepth(env);
  return createTheme({ depth, background: known, unicode, links: showsLinks(env) });
}

function showsUnicode(env: Env, platform: NodeJS.Platform = process.platform): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"];
  if (locale) return /utf-?8/i.test(locale);
  return platform === "darwin" || env["WT_SESSION"] !== undefined;
}

/** `COLORFGBG` is `foreground;background`: 7 and 15 are light, `default` says nothing. */
function backgroundOf(env: Env): Background | undefined {
  const background = env["COLORFGBG"]?.split(";").at(-1) ?? "";
  if (!/^\d{1,2}$/.test(background)) return undefined;
  return background === "7" || background === "15" ? "light" : "dark";
}
