// What in a text may name an image file: a paste that is nothing but paths, as terminals write what is dropped on them
// (quoted, escaped, as file: addresses), and an `@path`. Looks at names only, on no disk. Pure.
import { fileURLToPath } from "node:url";

export interface NamedPath {
  /** As it stands in the text. */
  readonly text: string;
  readonly path: string;
}

const IMAGE_NAME = /\.(?:png|jpe?g|gif|webp)$/i;
/** Whoever drops more means a folder. */
const most = { paths: 20, characters: 8_192 };

/** Every word of it names an image; empty: it is another text. */
export function pastedPaths(text: string): readonly NamedPath[] {
  if (text.length > most.characters || !/\.(?:png|jpe?g|gif|webp)['"]?\s*$/i.test(text)) return [];
  const words = wordsOf(text.trim());
  // A name with blanks in it, as some terminals paste it.
  const bare = { text: text.trim(), path: text.trim() };
  const named = words.every(({ path }) => IMAGE_NAME.test(path)) ? words : isBare(bare.path) ? [bare] : [];
  return named.length > most.paths ? [] : named.map((each) => ({ ...each, path: plainPath(each.path) }));
}

/** `@shot.png`, `@"my shot.png"`; also in brackets. */
export function mentionedPaths(text: string): readonly NamedPath[] {
  return [...text.matchAll(/(?<=^|[\s(])@(?:"((?:[^"\\\n]|\\.)*)"|([^\s"]+))/g)].flatMap(([all, quoted, bare = ""]) => {
    const path = quoted === undefined ? bare.replace(/[.,;:!?)]+$/, "") : quoted.replace(/\\(.)/g, "$1");
    const shown = quoted === undefined ? `@${path}` : all;
    return IMAGE_NAME.test(path) ? [{ text: shown, path }] : [];
  });
}

function wordsOf(text: string): readonly NamedPath[] {
  const word = /(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+/gs;
  return (text.match(word) ?? []).map((each) => ({ text: each, path: unquoted(each) }));
}

function unquoted(word: string): string {
  return word.replace(/'[^']*'|"(?:[^"\\]|\\.)*"|\\./gs, (part) => {
    if (part.startsWith("'")) return part.slice(1, -1);
    return part.startsWith("\\") ? part.slice(1) : part.slice(1, -1).replace(/\\(["\\$`])/g, "$1");
  });
}

function isBare(path: string): boolean {
  return /^(?:\/|~\/|\.{1,2}\/|[A-Za-z]:\\|file:\/\/)[^\n\r]*$/.test(path) && IMAGE_NAME.test(path);
}

function plainPath(path: string): string {
  if (!path.startsWith("file://")) return path;
  try {
    return fileURLToPath(path);
  } catch {
    return path; // another host's, or no address at all: then there is no such file
  }
}
