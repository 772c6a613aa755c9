// Puts the chunks of a bundle into two files: what the first frame needs, and the rest, which is read and compiled only
// when something of it is asked for. A pack is an expression: an object of functions, one for each chunk, that take
// what a module in CommonJS sees. src/code-cache.ts runs them.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { transform } from "esbuild";

/** Kept as they are, expressions are compiled when they are first used. */
export const supported = { "regexp-set-notation": true, "regexp-unicode-property-escapes": true };

/**
 * `outputs` and `outputFiles` are those of a build in ESM with splitting, `first` the sources whose chunks, with all
 * they import at once, make the first pack. Gives the files' names, which say their content, and the chunk to begin with.
 */
export async function writePacks({ folder, metafile, outputFiles, first }) {
  const outputs = Object.entries(metafile.outputs).map(([file, output]) => [basename(file), output]);
  const byName = new Map(outputs);
  const entries = first.map((source) => outputs.find(([, { entryPoint }]) => entryPoint === source)?.[0]);
  const early = closure(entries, byName);
  const code = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  const late = [...byName.keys()].filter((name) => !early.has(name));
  const pack = (title, names) => writePack({ folder, title, chunks: names.map((name) => [name, code.get(name)]) });
  return { entry: entries[0], packs: [await pack("first", [...early]), await pack("rest", late)] };
}

function closure(names, outputs) {
  const found = new Set();
  const add = (name) => {
    if (found.has(name)) return;
    found.add(name);
    for (const { path, kind } of outputs.get(name).imports) {
      if (kind === "import-statement" && outputs.has(basename(path))) add(basename(path));
    }
  };
  names.forEach(add);
  return found;
}

/** `chunks` are names and their code in ESM. Gives the file's name, which says its content. */
export async function writePack({ folder, title, chunks }) {
  const parts = await Promise.all(
    chunks.map(async ([name, source]) => `${JSON.stringify(name)}:${await asFunction(source)}`),
  );
  const text = `({\n${parts.join(",\n")}\n})`;
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 8);
  const file = `${title}-${hash}.js.pack`;
  writeFileSync(join(folder, file), text);
  return file;
}

async function asFunction(source) {
  const { code } = await transform(source, {
    format: "cjs",
    platform: "node",
    target: "node20",
    minify: true,
    supported: { ...supported, "dynamic-import": false },
  });
  return `function(exports,require,module,__filename,__dirname,__steleUrl){${withoutCopies(code)}\n}`;
}

/**
 * esbuild gives each importer of a module in CommonJS its own copy, a getter for each name: thousands of them before the
 * first frame. An object that inherits the names does for a package, and a chunk is what it is already.
 */
function withoutCopies(code) {
  const id = "([\\w$]+)";
  const helper = new RegExp(
    `${id}=\\(${id},${id},${id}\\)=>\\(\\4=\\2!=null\\?[\\w$]+\\([\\w$]+\\(\\2\\)\\):\\{\\},` +
      `[\\w$]+\\(\\3\\|\\|!\\2\\|\\|!\\2\\.__esModule\\?([\\w$]+)\\(\\4,"default",\\{value:\\2,enumerable:!0\\}\\):\\4,\\2\\)\\)`,
    "g",
  );
  const changed = code.replace(
    helper,
    '$1=($2,$3)=>!$3&&$2?.__esModule?$2:$5(Object.create($2??null),"default",{value:$2,enumerable:!0})',
  );
  if (/!=null\?[\w$]+\([\w$]+\([\w$]+\)\):\{\},[\w$]+\([\w$]+\|\|/.test(changed))
    throw new Error("esbuild's helper for modules in CommonJS looks different now: see withoutCopies");
  return changed;
}
