// What both ways of searching are asked, and how they answer.
import { dirname } from "node:path";

export interface GrepQuery {
  readonly pattern: string;
  /** Absolute; a file or a folder. */
  readonly start: string;
  readonly isFile: boolean;
  /** About the path relative to `start`. */
  readonly wants: (relativePath: string) => boolean;
  /** One more than are shown, so that "there are more" is known. */
  readonly limit: number;
}
export interface GrepMatch {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}
export type GrepAnswer =
  | { readonly kind: "found"; readonly matches: readonly GrepMatch[] }
  | { readonly kind: "failed"; readonly problem: string }
  | { readonly kind: "no-ripgrep" };

/** The folder paths are relative to. */
export function baseOf({ start, isFile }: GrepQuery): string {
  return isFile ? dirname(start) : start;
}
