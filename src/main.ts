// The program's first lines: what can be answered at once is, before anything is loaded. All the rest is one bundle
// beside this one, taken with the code V8 kept of it.
import { type BundleFiles, loadBundle } from "./code-cache.ts";

declare const __STELE_VERSION__: string;
/** Of cli.ts. */
declare const __STELE_BUNDLE__: BundleFiles;

const version = typeof __STELE_VERSION__ === "string" ? __STELE_VERSION__ : "0.0.0-source";
const argv = process.argv.slice(2);

if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
  process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    process.exitCode = 1;
    if (code !== "EPIPE") process.stderr.write(`stele: stdout cannot be written: ${message}\n`);
  });
  process.stdout.write(`stele ${version}\n`);
} else {
  void run();
}

async function run(): Promise<void> {
  // An end in the middle is no success.
  process.exitCode = 1;
  const { exports, keep } = loadBundle<typeof import("./cli.ts")>(__STELE_BUNDLE__);
  process.exitCode = await exports.main(argv, version);
  // A start without words on a terminal was the screen: the code of its first frame has run and is worth keeping.
  if (argv.length === 0 && process.stdout.isTTY) keep();
}
