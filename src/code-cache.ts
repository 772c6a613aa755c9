// Loads a bundle with the code that V8 compiled of it in an earlier run. The bundle is in packs: files with some of its
// chunks each, so that a start reads what it needs and not the rest (scripts/build/packs.mjs makes them). The
// code of a pack lies beside it, for each Node. One that is missing, of another length of source or of other flags of
// V8 only costs time; nothing here fails because of it. V8 compares no more than that, and a bit that is wrong ends the
// process: a pack's name has to say its content, a cache is written whole, and to the disk, before it gets its name, and
// its last bytes are a checksum of all others.
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import zlib from "node:zlib";

export interface BundleFiles {
  /** Files in the folder of this one, ASCII only, and their chunks; each is read when one of them is asked for. */
  readonly packs: Readonly<Record<string, readonly string[]>>;
  /** The chunk to begin with. */
  readonly entry: string;
}

export interface Loaded<Exports> {
  readonly exports: Exports;
  /** Keeps what is compiled by now for the next start, where nothing that fits was kept yet. */
  readonly keep: () => void;
}

/** Takes what a module in CommonJS sees, and the URL of the bundle. */
type Chunk = (...given: readonly unknown[]) => void;

interface Pack {
  readonly chunks: Readonly<Record<string, Chunk>>;
  readonly keep: () => void;
}

export function loadBundle<Exports>({ packs, entry }: BundleFiles): Loaded<Exports> {
  const url = import.meta.url;
  const own = fileURLToPath(url);
  const folder = path.dirname(own);
  const requireOther = createRequire(url);
  const placeOf = new Map(
    Object.entries(packs).flatMap(([file, chunks]) => chunks.map((chunk) => [chunk, file] as const)),
  );
  const opened = new Map<string, Pack>();
  const modules = new Map<string, { exports: unknown }>();

  function chunkOf(name: string): Chunk {
    const file = placeOf.get(name);
    if (file === undefined) throw new Error(`the program is not whole: ${name} is missing`);
    const pack = opened.get(file) ?? openPack(path.join(folder, file));
    opened.set(file, pack);
    const chunk = pack.chunks[name];
    if (!chunk) throw new Error(`the program is not whole: ${file} has no ${name}`);
    return chunk;
  }

  function load(name: string): unknown {
    const known = modules.get(name);
    if (known) return known.exports;
    const chunk = chunkOf(name);
    const module = { exports: {} as unknown };
    modules.set(name, module);
    chunk(module.exports, requireFrom, module, own, folder, url);
    return module.exports;
  }

  function requireFrom(name: string): unknown {
    return name.startsWith("./") ? load(name.slice(2)) : requireOther(name);
  }

  return {
    exports: load(entry) as Exports,
    keep: () => {
      for (const pack of opened.values()) pack.keep();
    },
  };
}

function openPack(file: string): Pack {
  const cacheFile = `${file}.${process.version}-${process.platform}-${process.arch}.cache`;
  const cachedData = withoutSum(readIfThere(cacheFile));
  // In messages the file is named without its folder: what V8 kept says where it was made.
  const script = new Script(readFileSync(file, "latin1"), {
    filename: path.basename(file),
    ...(cachedData && { cachedData }),
  });
  const chunks = script.runInThisContext() as Pack["chunks"];
  const fits = cachedData !== undefined && script.cachedDataRejected !== true;
  return { chunks, keep: () => fits || keepCode(cacheFile, script.createCachedData()) };
}

const SUM_BYTES = 4;

/** Node 21 and the first of 22 have none: nothing is kept there, as nothing could be told from damage. */
function sumOf(data: Buffer): number | undefined {
  return (zlib as Partial<typeof zlib>).crc32?.(data);
}

function withSum(data: Buffer, sum: number): Buffer {
  const bytes = Buffer.alloc(SUM_BYTES);
  bytes.writeUInt32BE(sum);
  return Buffer.concat([data, bytes]);
}

/** Undefined where it is not as it was written. */
function withoutSum(kept: Buffer | undefined): Buffer | undefined {
  if (kept === undefined || kept.length < SUM_BYTES) return undefined;
  const data = kept.subarray(0, -SUM_BYTES);
  return sumOf(data) === kept.readUInt32BE(data.length) ? data : undefined;
}

/** Nothing where it could not be read again. */
function keepCode(file: string, data: Buffer): void {
  const sum = sumOf(data);
  if (sum !== undefined) write(file, withSum(data, sum));
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    // Missing, or not ours to read: compiled anew.
    return undefined;
  }
}

function write(file: string, data: Buffer): void {
  const made = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  try {
    const fd = openSync(made, "wx", 0o644);
    try {
      writeFileSync(fd, data);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(made, file);
  } catch {
    // A folder that is not ours to write, or a full disk: every start compiles anew.
    rmSync(made, { force: true });
  }
}
