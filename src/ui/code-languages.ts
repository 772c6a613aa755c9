// What the colours of code know about languages: comments, strings, keywords, and a few patterns. Each is made when
// the first block in it comes. A table, not grammars: it has to be right about where strings and comments end.
import { type Sketch, sketches } from "./code-sketches.ts";
import type { Role } from "./theme.ts";

export interface Enclosed {
  readonly open: string;
  readonly close: string;
  readonly role: Role;
  /** Goes on in the next line; without it the end of the line ends it. */
  readonly isLong?: boolean;
  /** A backslash takes the next character with it. */
  readonly hasEscapes?: boolean;
  /** Opens again within itself. */
  readonly nests?: boolean;
  /** Code within it: from this to the brace that closes it. */
  readonly hole?: "${";
}

export interface Language {
  readonly enclosed: readonly Enclosed[];
  readonly lineComments: readonly string[];
  readonly keywords: ReadonlySet<string>;
  readonly constants: ReadonlySet<string>;
  /** Sources without groups, tried before anything else. */
  readonly patterns: readonly (readonly [source: string, role: Role])[];
  readonly isCaseless: boolean;
  /** `<<WORD` opens lines of text up to one that is the word. */
  readonly hasHeredocs: boolean;
}

const known = new Map<string, Language>();

/** By the word behind a fence, or nothing. */
export function languageOf(info: string): Language | undefined {
  const word = /^[.{]*([\w+#-]+)/.exec(info)?.[1]?.toLowerCase() ?? "";
  const name = Object.hasOwn(aliases, word) ? aliases[word] : word;
  if (name === undefined || !Object.hasOwn(sketches, name)) return undefined;
  const made = known.get(name) ?? complete(sketches[name]?.() ?? {});
  known.set(name, made);
  return made;
}

function complete(sketch: Sketch): Language {
  const words = (list: string | undefined) => new Set((list ?? "").split(" ").filter((word) => word !== ""));
  return {
    enclosed: sketch.enclosed ?? [],
    lineComments: sketch.lineComments ?? [],
    keywords: words(sketch.keywords),
    constants: words(sketch.constants),
    patterns: sketch.patterns ?? [],
    isCaseless: sketch.isCaseless === true,
    hasHeredocs: sketch.hasHeredocs === true,
  };
}

const aliases: Readonly<Record<string, string>> = {
  ...named(
    "javascript",
    "js jsx mjs cjs ts tsx mts cts typescript javascriptreact typescriptreact node vue svelte dart groovy gradle",
  ),
  ...named("java", "kotlin kt kts scala"),
  ...named("c", "h cpp c++ cc cxx hpp objc objective-c csharp c# cs cuda glsl hlsl zig proto protobuf solidity"),
  ...named("go", "golang"),
  ...named("rust", "rs"),
  ...named("python", "py py3 python3 pyi starlark"),
  ...named("ruby", "rb elixir ex exs crystal"),
  ...named("shell", "sh bash zsh fish ksh"),
  ...named("sql", "sqlite postgres postgresql mysql plsql"),
  ...named("json", "jsonc json5 jsonl ndjson"),
  ...named("yaml", "yml"),
  ...named("toml", "ini cfg conf properties env dotenv editorconfig"),
  ...named("html", "xml svg xhtml htm rss"),
  ...named("css", "scss sass less"),
  ...named("make", "makefile dockerfile docker"),
  ...named("diff", "patch"),
  ...named("markdown", "md mdx"),
};

function named(name: string, words: string): Readonly<Record<string, string>> {
  return Object.fromEntries(words.split(" ").map((word) => [word, name]));
}
