// The languages that code is coloured in, each by its comments, its strings, its words and a few patterns. Close ones
// share an entry: a keyword too many does no harm, a string that is not seen to end does.
import type { Enclosed, Language } from "./code-languages.ts";

export interface Sketch {
  readonly enclosed?: readonly Enclosed[];
  readonly lineComments?: readonly string[];
  readonly keywords?: string;
  readonly constants?: string;
  readonly patterns?: Language["patterns"];
  readonly isCaseless?: true;
  readonly hasHeredocs?: true;
}

function quoted(sign: string, more: Partial<Enclosed> = {}): Enclosed {
  return { open: sign, close: sign, role: "code-string", hasEscapes: true, ...more };
}

function comment(open: string, close: string, more: Partial<Enclosed> = {}): Enclosed {
  return { open, close, role: "code-comment", isLong: true, ...more };
}

const long = { isLong: true } as const;
const raw = { isLong: true, hasEscapes: false } as const;
const cComment = comment("/*", "*/");
const plainQuotes = [quoted('"'), quoted("'")];
const cLike = { lineComments: ["//"], constants: "true false null nullptr NULL this self nil" } as const;
/** A character, so that a quote in it opens nothing, and a lifetime is no string. */
const character = ["'(?:\\\\.[^']{0,8}|[^'\\\\])'", "code-string"] as const;
const decorator = ["@[A-Za-z_][\\w.]*", "code-name"] as const;
const hashComment = ["(?<![^\\s;(])#.*", "code-comment"] as const;
const key = ['"(?:[^"\\\\]|\\\\.)*"(?=\\s*:)', "code-name"] as const;

export const sketches: Readonly<Record<string, () => Sketch>> = {
  javascript: () => ({
    ...cLike,
    enclosed: [cComment, ...plainQuotes, quoted("`", { isLong: true, hole: "${" })],
    keywords:
      "abstract any as asserts async await boolean break case catch class const continue debugger declare default delete do else enum export extends finally for from function get if implements import in infer instanceof interface is keyof let namespace never new number object of override private protected public readonly return satisfies set static string super switch symbol throw try type typeof unknown var void while with yield",
    constants: "true false null undefined this NaN Infinity",
    patterns: [
      decorator,
      // A slash where no value can have ended is no division.
      [
        "/(?<=(?:^|[(,=:[!&|?{};]|\\breturn|=>)\\s*/)(?![*/])(?:[^\\\\/\\n[]|\\\\.|\\[(?:[^\\]\\\\]|\\\\.)*\\])+/[a-z]*",
        "code-string",
      ],
    ],
  }),
  java: () => ({
    ...cLike,
    enclosed: [cComment, quoted('"""', long), quoted('"')],
    keywords:
      "abstract assert boolean break by byte case catch char class const constructor continue data def default do double else enum extends final finally float for fun if implements import in instanceof int interface internal is lateinit lazy long match native new object open override package permits private protected public record return sealed short static super suspend switch synchronized throw throws trait transient try type typealias val var void volatile when while with yield",
    patterns: [decorator, character],
  }),
  c: () => ({
    ...cLike,
    enclosed: [cComment, quoted('"')],
    keywords:
      "abstract alignas alignof as async auto await base bool break case catch char class co_await co_return co_yield concept const consteval constexpr constinit continue decltype default delegate delete do double dynamic_cast else enum event explicit export extern final float for foreach friend get goto if in inline int interface internal is long mutable namespace new noexcept object operator out override params private protected public readonly record ref register reinterpret_cast requires return sealed set short signed sizeof static static_assert static_cast string struct switch template throw try typedef typeid typename union unsigned using var virtual void volatile wchar_t when where while yield",
    patterns: [["^\\s*#\\s*[a-z]+", "code-keyword"], character],
  }),
  go: () => ({
    ...cLike,
    enclosed: [cComment, quoted('"'), quoted("`", raw)],
    keywords:
      "any bool break byte case chan const continue default defer else error fallthrough float32 float64 for func go goto if import int int32 int64 interface map package range return rune select string struct switch type uint uint32 uint64 var",
    constants: "true false nil iota",
    patterns: [character],
  }),
  rust: () => ({
    ...cLike,
    enclosed: [comment("/*", "*/", { nests: true }), ...rustRaw(), quoted('"', long)],
    keywords:
      "as async await bool box break char const continue crate dyn else enum extern f32 f64 fn for i16 i32 i64 i8 if impl in isize let loop macro match mod move mut pub ref return static str struct super trait type u16 u32 u64 u8 union unsafe use usize where while yield",
    constants: "true false self Self None Some Ok Err",
    patterns: [
      character,
      ["#!?\\[[^\\]]*\\]", "code-name"],
      ["'[a-z_]\\w*", "code-name"],
      ["[a-z_]\\w*!(?=[(\\[{])", "code-name"],
    ],
  }),
  swift: () => ({
    ...cLike,
    enclosed: [comment("/*", "*/", { nests: true }), quoted('"""', long), quoted('"')],
    keywords:
      "actor any as associatedtype async await break case catch class continue default defer deinit do else enum extension fallthrough fileprivate final for func guard if import in indirect init inout internal is lazy let mutating nonisolated open operator override private protocol public repeat rethrows return some static struct subscript super switch throw throws try typealias var weak where while",
    patterns: [decorator],
  }),
  php: () => ({
    ...cLike,
    enclosed: [cComment, ...plainQuotes],
    keywords:
      "abstract and array as break callable case catch class clone const continue declare default do echo else elseif enum extends final finally fn for foreach function global if implements include instanceof interface match namespace new or print private protected public readonly require require_once return static switch throw trait try use var while yield",
    patterns: [
      ["\\$\\w+", "code-name"],
      ["#(?!\\[).*", "code-comment"],
      ["<\\?php|\\?>", "code-keyword"],
    ],
  }),
  python: () => ({
    enclosed: [quoted('"""', long), quoted("'''", long), ...plainQuotes],
    lineComments: ["#"],
    keywords:
      "and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try type while with yield",
    constants: "True False None self cls",
    patterns: [decorator],
  }),
  ruby: () => ({
    enclosed: [comment("=begin", "=end"), quoted('"""', long), ...plainQuotes],
    lineComments: ["#"],
    keywords:
      "alias and attr_accessor attr_reader begin break case class def defined? do else elsif end ensure extend for if in include loop module next not or private protected public raise redo require require_relative rescue retry return super then undef unless until when while yield",
    constants: "true false nil self",
    patterns: [
      ["@{1,2}\\w+", "code-name"],
      ["(?<!:):[a-z_]\\w*", "code-name"],
    ],
  }),
  shell: () => ({
    enclosed: [quoted('"', long), quoted("'", raw)],
    keywords:
      "alias break case cd continue do done echo elif else esac eval exec exit export fi for function if in local read return select set shift source test then time trap unset until while",
    constants: "true false",
    patterns: [
      ["\\\\.", "plain"],
      ["\\$(?:\\w+|\\{[^}]*\\}|[@#?$!*-])", "code-name"],
      hashComment,
      ["(?<=\\s)--?[A-Za-z][\\w-]*", "code-name"],
    ],
    hasHeredocs: true,
  }),
  sql: () => ({
    enclosed: [cComment, { open: "'", close: "'", role: "code-string", isLong: true }],
    lineComments: ["--"],
    keywords:
      "add all alter and as asc begin between bigint boolean by cascade case char check column commit constraint create cross database date default delete desc distinct drop each else end exists explain foreign from full function grant group having if in index inner insert int integer into is join key left like limit not null numeric offset on or order outer over partition pragma primary references returning right rollback row select set table text then timestamp to transaction trigger union unique update using values varchar view when where with",
    constants: "true false",
    isCaseless: true,
  }),
  json: () => ({
    enclosed: [cComment, quoted('"')],
    lineComments: ["//"],
    constants: "true false null",
    patterns: [key],
  }),
  yaml: () => ({
    enclosed: [quoted('"')],
    constants: "true false null yes no",
    patterns: [
      hashComment,
      ["^\\s*(?:- +)*(?:[\\w./$-]+|\"[^\"]*\"|'[^']*')(?=\\s*:(?:\\s|$))", "code-name"],
      ["'(?<=[:\\-\\[,{]\\s*')[^']*'", "code-string"],
    ],
  }),
  toml: () => ({
    enclosed: [quoted('"""', long), quoted("'''", raw), quoted('"'), quoted("'", { hasEscapes: false })],
    constants: "true false on off",
    patterns: [
      ["^\\s*\\[.*\\]", "code-keyword"],
      ["^\\s*[\\w.-]+(?=\\s*=)", "code-name"],
      hashComment,
      ["^\\s*;.*", "code-comment"],
    ],
  }),
  html: () => ({
    enclosed: [comment("<!--", "-->")],
    patterns: [
      ["</?[A-Za-z][\\w:.-]*|/?>", "code-keyword"],
      ["(?<![\\w:@.-])[\\w:@.-]+(?==[\"'{])", "code-name"],
      ["(?<==)\"[^\"]*\"|(?<==)'[^']*'", "code-string"],
      ["&#?\\w+;", "code-number"],
    ],
  }),
  css: () => ({
    enclosed: [cComment, ...plainQuotes],
    patterns: [
      ["(?<![:\\w])//.*", "code-comment"],
      ["@[\\w-]+|!important", "code-keyword"],
      ["#[\\da-fA-F]{3,8}\\b", "code-number"],
      ["(?<![\\w-])(?:\\$|--)?[\\w-]+(?=\\s*:)", "code-name"],
    ],
  }),
  lua: () => ({
    enclosed: [comment("--[[", "]]"), quoted("[[", { close: "]]", ...raw }), ...plainQuotes],
    lineComments: ["--"],
    keywords: "and break do else elseif end for function goto if in local not or repeat return then until while",
    constants: "true false nil self",
  }),
  make: () => ({
    enclosed: [],
    keywords:
      "FROM RUN CMD COPY ADD ENV ARG WORKDIR EXPOSE ENTRYPOINT USER VOLUME LABEL AS ifeq ifneq ifdef endif else include define",
    patterns: [
      hashComment,
      ["\\$[({][^)}]*[)}]|\\$\\w", "code-name"],
      ["^[\\w./%-]+(?=\\s*:)", "code-name"],
      ['"[^"]*"', "code-string"],
    ],
  }),
  diff: () => ({
    patterns: [
      ["^(?:@@|diff |index |---|\\+\\+\\+).*", "code-comment"],
      ["^\\+.*", "added"],
      ["^-.*", "removed"],
    ],
  }),
  markdown: () => ({
    patterns: [
      ["^#{1,6}\\s.*", "code-keyword"],
      ["^\\s*(?:[-*+]|\\d+\\.)\\s", "code-name"],
      ["^\\s*>.*", "code-comment"],
      ["`[^`]+`", "code-string"],
    ],
  }),
};

function rustRaw(): readonly Enclosed[] {
  return ["##", "#"].map((marks) => quoted(`r${marks}"`, { close: `"${marks}`, ...raw }));
}
