// The program's first lines: what can be answered at once is, before anything is loaded.
declare const __STELE_VERSION__: string;

const version = typeof __STELE_VERSION__ === "string" ? __STELE_VERSION__ : "0.0.0-source";
const argv = process.argv.slice(2);

if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
  process.stdout.write(`stele ${version}\n`);
} else {
  const { main } = await import("./cli.ts");
  process.exitCode = await main(argv, version);
}
