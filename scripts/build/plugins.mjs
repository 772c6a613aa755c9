// What the bundler changes in packages so that the first frame comes early and no top-level await is left (CommonJS
// has none). Each edit names the text it replaces and fails the build when a new version no longer has it.
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Yoga's loader decodes its WebAssembly through fetch("data:…"), which loads all of undici, and asynchronously.
 * Emscripten's own hook `instantiateWasm` does the same at once, without either; the bytes are taken out of the loader.
 */
const yogaAtOnce = {
  name: "yoga-at-once",
  setup(bundler) {
    const loader = /yoga-wasm-base64-esm\.js$/;
    bundler.onLoad({ filter: /yoga-layout[\\/]dist[\\/]src[\\/]index\.js$/ }, () => ({ contents: YOGA, loader: "js" }));
    bundler.onLoad({ filter: loader, namespace: "file" }, async ({ path }) => {
      const { source } = split(await readFile(path, "utf8"));
      return { contents: source, loader: "js" };
    });
    bundler.onResolve({ filter: /^yoga-wasm-bytes$/ }, async ({ resolveDir }) => ({
      path: join(resolveDir, "../binaries/yoga-wasm-base64-esm.js"),
      namespace: "yoga-bytes",
    }));
    bundler.onLoad({ filter: loader, namespace: "yoga-bytes" }, async ({ path }) => {
      const { base64 } = split(await readFile(path, "utf8"));
      return { contents: `export default Buffer.from("${base64}", "base64");`, loader: "js" };
    });
  },
};

const YOGA = `
import load from "../binaries/yoga-wasm-base64-esm.js";
import bytes from "yoga-wasm-bytes";
import wrapAssembly from "./wrapAssembly.js";
const yoga = {
  instantiateWasm(imports, done) {
    const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), imports);
    done(instance);
    return instance.exports;
  },
};
load(yoga);
export default wrapAssembly(yoga);
export * from "./generated/YGEnums.js";
`;

function split(loader) {
  const prefix = "data:application/octet-stream;base64,";
  const found = new RegExp(`${prefix}([A-Za-z0-9+/=]+)`).exec(loader);
  if (!found?.[1])
    throw new Error("yoga-layout no longer carries its WebAssembly as a data URL: look at yogaAtOnce again");
  return { base64: found[1], source: loader.replace(found[0], prefix) };
}

/**
 * With DEV=true in the environment Ink looks for React's devtools and for its own package.json, with top-level
 * awaits: the bundle has neither.
 */
const noDevtools = {
  name: "no-devtools",
  setup(bundler) {
    onEdit(bundler, /[\\/]ink[\\/]build[\\/]reconciler\.js$/, (source) =>
      edit(source, [
        [/^if \(isDev\(\)\) \{\n[^]*?\n\}$/m, ""],
        [/isDev\(\)\s*\? await loadPackageJson\(\)\s*: /, ""],
        [/^async function loadPackageJson\(\) \{\n[^]*?\n\}$/m, ""],
      ]),
    );
  },
};

/**
 * Expressions with classes of characters and segmenters load tables when they are made, 10 to 40 ms each, and plain
 * text needs none of them: they are made when first used.
 */
const lateTables = {
  name: "late-tables",
  setup(bundler) {
    onEdit(bundler, /[\\/]string-width[\\/]index\.js$/, (source) => makeLate(plainWidth(plainSegments(source))));
    onEdit(bundler, /[\\/]ansi-tokenize[\\/]build[\\/]tokenize\.js$/, (source) => makeLate(plainSegments(source)));
    onEdit(bundler, /[\\/]slice-ansi[\\/]tokenize-ansi\.js$/, makeLate);
  },
};

/**
 * Ink makes each frame anew, cell by cell: it parses every line again and compares the styles of every two cells next to
 * each other. Here the cells of lines that were in the last frames are kept, and a row of the same cells has the same
 * text; cells of one run share their list of styles, and what leads from one list to another is made once. None of it is
 * changed by anybody once it is made.
 */
const cheapFrames = {
  name: "cheap-frames",
  setup(bundler) {
    onEdit(bundler, /[\\/]ansi-tokenize[\\/]build[\\/]styledChars\.js$/, (source) =>
      edit(source, [
        [/let codes = \[\];/, "let codes = noStyles;"],
        [/\{\s*\.\.\.token,\s*styles: \[\.\.\.codes\],\s*\}/, cellOf("token.value", "token.fullWidth", "codes")],
        [/ansiCodesToString\(char\.styles\)/, "stepOf(noStyles, char.styles)"],
        [/ansiCodesToString\(diffAnsiCodes\((chars\[i - 1\]\.styles), char\.styles\)\)/, "stepOf($1, char.styles)"],
        [/ansiCodesToString\(diffAnsiCodes\(char\.styles, \[\]\)\)/, "stepOf(char.styles, noStyles)"],
        [/(?=\/\/# sourceMappingURL)/, STEPS],
      ]),
    );
    onEdit(bundler, /[\\/]ink[\\/]build[\\/]output\.js$/, (source) =>
      edit(source, [
        [/(?=export default class Output )/, KEPT],
        [/caches = new OutputCaches\(\);/, "caches = keptCaches;"],
        [/this\.(\w+)\.set\(/g, "keepIn(this.$1, "],
        [
          /const row = \[\];\s*for \(let x = 0; x < this\.width; x\+\+\) \{\s*row\.push\([^)]*\);\s*\}/,
          "const row = new Array(this.width).fill(blankCell);",
        ],
        [
          /\.map\(line => \{(?=[^}]*styledCharsToString\()/,
          ".map((line, y) => keptText(line, y) ?? keepText(line, y, (() => {",
        ],
        [/(styledCharsToString\(\w+\)\.trimEnd\(\);\s*\})\)/, "$1)()))"],
      ]),
    );
  },
};

/** All of one shape, whoever made them. */
function cellOf(value, fullWidth, styles) {
  return `{ type: "char", value: ${value}, fullWidth: ${fullWidth}, styles: ${styles} }`;
}

/**
 * What leads from one style to another, for lists of styles that live as long as the lines they are of. It is made by way
 * of a built-in function, as V8 would otherwise compile all of it into the loop over the cells, several times a session.
 */
const STEPS = `
const noStyles = [];
const steps = new WeakMap();
function stepOf(from, to) {
  if (from === to) return "";
  let known = steps.get(from);
  if (known === undefined) steps.set(from, (known = new WeakMap()));
  let step = known.get(to);
  if (step === undefined) known.set(to, (step = "x".replace("x", () => ansiCodesToString(diffAnsiCodes(from, to)))));
  return step;
}
`;

/** A screen full or two; then it begins anew, so that a long answer leaves nothing behind. */
const KEPT = `
const keptCaches = new OutputCaches();
const keptRows = [];
const blankCell = ${cellOf('" "', "false", "[]")};
function keepIn(map, key, value) {
  if (map.size >= 256) map.clear();
  map.set(key, value);
}
function keepText(cells, y, text) {
  keptRows[y] = { cells, text };
  return text;
}
function keptText(cells, y) {
  const kept = keptRows[y];
  if (kept?.cells.length !== cells.length) return undefined;
  for (let x = 0; x < cells.length; x++) if (cells[x] !== kept.cells[x]) return undefined;
  return kept.text;
}
`;

/** Constants become functions that make them once; where they are used they are called. */
function makeLate(source) {
  const costly = /^const (\w+) = (\/.*\\p\{.*\/[a-z]+|new Intl\.Segmenter\(.*\));$/gm;
  const names = [...source.matchAll(costly)].map(([, name]) => name);
  if (!source.includes("Intl.Segmenter") || names.length === 0) throw new Error("nothing costly found: see lateTables");
  const marked = source.replace(costly, "let $1_made;\nconst $1_late = () => ($1_made ??= $2);");
  return marked.replace(new RegExp(`\\b(?:${names.join("|")})\\b`, "g"), "$&_late()");
}

/** In ASCII every character is a grapheme of its own, but for CR LF. */
function plainSegments(source) {
  return edit(source, [
    [
      /\bsegmenter\.segment\((\w+)\)/,
      "(/^[\\x00-\\x0c\\x0e-\\x7f]*$$/.test($1) ? Array.from($1, (segment, index) => ({ segment, index })) : $&)",
    ],
  ]);
}

/** What the program itself draws is a cell each as well (src/ui/text-width.ts has the whole list). */
const SIGNS =
  "\\u2010-\\u2027\\u203a\\u2190-\\u21ff\\u23bf\\u2500-\\u259f\\u25cb\\u25cf\\u2713\\u2717\\u276f\\xa1-\\xac\\xae-\\xff";

function plainWidth(source) {
  const test = `ambiguousIsNarrow && /^[\\x20-\\x7e${SIGNS}]*$$/.test(string)`;
  return edit(source, [[/(?=const eastAsianWidthOptions = )/, `if (${test}) return string.length;\n`]]);
}

function onEdit(bundler, filter, change) {
  bundler.onLoad({ filter }, async ({ path }) => {
    const source = await readFile(path, "utf8");
    try {
      return { contents: change(source), loader: "js" };
    } catch (error) {
      return { errors: [{ text: `${path}: ${error.message}` }] };
    }
  });
}

function edit(source, edits) {
  return edits.reduce((text, [pattern, replacement]) => {
    const changed = text.replace(pattern, replacement);
    if (changed === text) throw new Error(`no longer has ${pattern}`);
    return changed;
  }, source);
}

export const plugins = [yogaAtOnce, noDevtools, lateTables, cheapFrames];
