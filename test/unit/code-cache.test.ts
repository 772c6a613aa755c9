// The loader as it is built: a bundle of its own, started as real processes.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../helpers/ledger.ts";

const source = path.resolve(import.meta.dirname, "../../src/code-cache.ts");

const ofThisNode = `${process.version}-${process.platform}-${process.arch}.cache`;

/** As Node 21 and the first of 22 are. */
const WITHOUT_CRC = "--import=data:text/javascript,import zlib from 'node:zlib'; zlib.crc32 = undefined;";

let folder: string;
beforeEach(async () => {
  folder = temporaryFolder();
  await build({
    stdin: {
      contents: `
        import { loadBundle } from ${JSON.stringify(source)};
        const { exports, keep } = loadBundle({
          packs: { "first.pack": ["begin.js", "early.js"], "rest.pack": ["late.js"] },
          entry: "begin.js",
        });
        if (process.argv.includes("late")) console.log(exports.late());
        else console.log(exports.answer());
        if (process.argv.includes("keep")) keep();`,
      resolveDir: folder,
      loader: "ts",
    },
    outfile: path.join(folder, "start.cjs"),
    bundle: true,
    format: "cjs",
    platform: "node",
    define: { "import.meta.url": "__url" },
    banner: { js: 'const __url=require("node:url").pathToFileURL(__filename).href;' },
    logLevel: "warning",
  });
  firstPack("forty-two");
  writeFileSync(
    path.join(folder, "rest.pack"),
    `({ "late.js": function (exports, require) {
       exports.name = "late, after " + require("./begin.js").answer() + require("./early.js").stop;
     } })`,
  );
});

function firstPack(answer: string): void {
  writeFileSync(
    path.join(folder, "first.pack"),
    `({
      "begin.js": function (exports, require, module, file, folder, url) {
        const path = require("node:path");
        exports.answer = () => ${JSON.stringify(answer)} + " in " + path.basename(folder) + require("./early.js").stop;
        exports.late = () => require("./late.js").name;
      },
      "early.js": function (exports, require, module) {
        module.exports = { stop: "." };
      },
    })`,
  );
}

function start(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", cwd: folder });
  return { status, stdout: stdout.trim(), stderr };
}

function answered(answer: string) {
  return { status: 0, stdout: `${answer} in ${path.basename(folder)}.`, stderr: "" };
}

/** As long as it was. */
function damaged(data: Buffer): Buffer {
  return data.fill(0, data.length / 2, data.length / 2 + 200);
}

function caches(): string[] {
  return readdirSync(folder).filter((name) => name !== "start.cjs" && !name.endsWith(".pack"));
}

describe("a bundle with a code cache", () => {
  it("runs without one, keeps it only when asked, and under the name of this Node", () => {
    expect(start("start.cjs")).toEqual(answered("forty-two"));
    expect(caches()).toEqual([]);
    expect(start("start.cjs", "keep")).toEqual(answered("forty-two"));
    expect(caches()).toEqual([`first.pack.${ofThisNode}`]);
  });

  it("reads a later pack when something of it is asked for, and keeps its code too", () => {
    const late = { status: 0, stdout: `late, after forty-two in ${path.basename(folder)}..`, stderr: "" };
    expect(start("start.cjs", "late", "keep")).toEqual(late);
    expect(caches().sort()).toEqual([`first.pack.${ofThisNode}`, `rest.pack.${ofThisNode}`]);
    expect(start("start.cjs", "late")).toEqual(late);
    rmSync(path.join(folder, "rest.pack"));
    expect(start("start.cjs")).toEqual(answered("forty-two"));
  });

  it("leaves one that fits as it is", () => {
    start("start.cjs", "keep");
    const [name = ""] = caches();
    const before = statSync(path.join(folder, name)).ino;
    expect(start("start.cjs", "keep")).toEqual(answered("forty-two"));
    expect(statSync(path.join(folder, name)).ino).toBe(before);
  });

  it.each([
    ["of other source", () => firstPack("another answer")],
    ["cut short", (file: string) => truncateSync(file, 100)],
    ["empty", (file: string) => truncateSync(file, 0)],
    ["damaged in the middle", (file: string) => writeFileSync(file, damaged(readFileSync(file)))],
    ["no cache at all", (file: string) => writeFileSync(file, "not what V8 wrote")],
  ])("does not care for one that is %s, and makes it anew", (_, spoil) => {
    start("start.cjs", "keep");
    const [name = ""] = caches();
    const file = path.join(folder, name);
    spoil(file);
    const spoiled = readFileSync(file);
    const answer = readFileSync(path.join(folder, "first.pack"), "utf8").includes("another")
      ? "another answer"
      : "forty-two";
    expect(start("start.cjs", "keep")).toEqual(answered(answer));
    expect(readFileSync(file).equals(spoiled)).toBe(false);
    expect(caches()).toEqual([name]);
  });

  it("does not care for one of other flags of V8", () => {
    start("start.cjs", "keep");
    expect(start("--no-lazy", "start.cjs", "keep")).toEqual(answered("forty-two"));
  });

  it("runs where Node has no checksum: uses none and keeps none", () => {
    expect(start(WITHOUT_CRC, "start.cjs", "keep")).toEqual(answered("forty-two"));
    expect(caches()).toEqual([]);
    start("start.cjs", "keep");
    expect(start(WITHOUT_CRC, "start.cjs", "keep")).toEqual(answered("forty-two"));
  });

  it("runs where it may not write", () => {
    const name = `first.pack.${ofThisNode}`;
    // A folder in its place is refused to root too.
    spawnSync("mkdir", ["-p", path.join(folder, name, "taken")]);
    chmodSync(path.join(folder, name), 0o500);
    expect(start("start.cjs", "keep")).toEqual(answered("forty-two"));
    expect(caches()).toEqual([name]);
    expect(existsSync(path.join(folder, name, "taken"))).toBe(true);
  });
});
