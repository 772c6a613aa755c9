// Puts the chunks of a bundle into files by who needs them, so that each is read and compiled only when something of it is
// asked for. A pack is an expression: an object of functions, one for each chunk, that take what a module in CommonJS
// sees. src/code-cache.ts runs them.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { transform } from "esbuild";

/** Kept as they are, expressions are compiled when they are first used. */
export const supported = { "regexp-set-notation": true, "regexp-unicode-property-escapes": true };

/**
 * `metafile` and `outputFiles` are those of a build in ESM with splitting. `start` is the source to begin with; `users`
 * are names and the sources that load what they need at once. A chunk of one user is in the pack of that name, what
 * several need is in "start", and what none does in "rest". Gives what `loadBundle` takes.
 */
export async function writePacks({ folder, metafile, outputFiles, start, users }) {
  const outputs = Object.entries(metafile.outputs).map(([file, output]) => [basename(file), output]);
  const byName = new Map(outputs);
  const chunkOf = (source) => {
    const chunk = outputs.find(([, { entryPoint }]) => entryPoint === source)?.[0];
    if (chunk === undefined) throw new Error(`${source} is no chunk of its own any more`);
    return chunk;
  };
  const entry = chunkOf(start);
  const common = closure([entry], byName);
  const needed = Object.entries(users).map(([user, sources]) => [user, closure(sources.map(chunkOf), byName)]);
  const packOf = (name) => {
    const [user, other] = needed.filter(([, chunks]) => chunks.has(name)).map(([each]) => each);
    return common.has(name) || other !== undefined ? "start" : (user ?? "rest");
  };
  const chunks = {};
  for (const { path, text } of outputFiles) (chunks[packOf(basename(path))] ??= []).push([basename(path), text]);
  const packs = {};
  for (const [title, each] of Object.entries(chunks))
    packs[await writePack({ folder, title, chunks: each })] = each.map(([name]) => name);
  return { entry, packs };
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
