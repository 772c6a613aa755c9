// What the bundle changes in Ink's output changes none of it: the same random frames, one after the other, through Ink as
// it is installed and as it is bundled.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { temporaryFolder } from "../../helpers/ledger.ts";

interface Output {
  write(x: number, y: number, text: string, options: { readonly transformers: readonly never[] }): void;
  get(): { readonly output: string };
}
type OutputClass = new (size: { width: number; height: number }) => Output;

const project = path.resolve(import.meta.dirname, "../../..");

async function outputOf(plugins: string): Promise<OutputClass> {
  const folder = temporaryFolder();
  const outfile = path.join(folder, "output.mjs");
  const script = path.join(folder, "build.mjs");
  const here = (name: string) => JSON.stringify(pathToFileURL(path.join(project, name)).href);
  writeFileSync(
    script,
    `import { build } from ${here("node_modules/esbuild/lib/main.js")};
     import { plugins } from ${here("scripts/build/plugins.mjs")};
     await build({
       absWorkingDir: ${JSON.stringify(project)}, entryPoints: ["node_modules/ink/build/output.js"],
       outfile: ${JSON.stringify(outfile)}, bundle: true, format: "esm", platform: "node", plugins: ${plugins},
     });`,
  );
  execFileSync(process.execPath, [script]);
  const module = (await import(pathToFileURL(outfile).href)) as { default: OutputClass };
  return module.default;
}

let plain: OutputClass;
let bundled: OutputClass;
beforeAll(async () => {
  [plain, bundled] = await Promise.all([outputOf("[]"), outputOf("plugins")]);
});

const cells = fc.constantFrom(
  ..."ab z─❯✓",
  ...["中", "👍🏽", "👨‍👩‍👧", "🇩🇪", "e\u0301", "\u0301", "☺️", "\t"],
  ...["\x1b[1m", "\x1b[2m", "\x1b[22m", "\x1b[31m", "\x1b[39m", "\x1b[7m", "\x1b[27m", "\x1b[0m", "\x1b[1;38;5;9m"],
  ...["\x1b]8;;https://a.b\x07", "\x1b]8;;\x07", "\n"],
);
/** Few texts, so that lines of the last frames come again. */
const text = fc.array(cells, { maxLength: 14 }).map((each) => each.join(""));
const frame = (texts: readonly string[]) =>
  fc.record({
    width: fc.constantFrom(1, 12, 20),
    height: fc.integer({ min: 1, max: 5 }),
    writes: fc.array(fc.record({ x: fc.nat(22), y: fc.nat(5), text: fc.constantFrom(...texts) }), { maxLength: 6 }),
  });
const frames = fc
  .array(text, { minLength: 1, maxLength: 8 })
  .chain((texts) => fc.array(frame(texts), { maxLength: 12 }));

it("every frame is the one that Ink makes, whatever was drawn before it", () => {
  fc.assert(
    fc.property(frames, (drawn) => {
      for (const { width, height, writes } of drawn) {
        const made = [plain, bundled].map((Output) => {
          const output = new Output({ width, height });
          for (const each of writes) output.write(each.x, each.y, each.text, { transformers: [] });
          return output.get().output;
        });
        expect(made[1]).toBe(made[0]);
      }
    }),
    { numRuns: 500 },
  );
});
