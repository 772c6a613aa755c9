import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { temporaryFolder } from "./config-harness.ts";

type LoadConfig = typeof import("../../../src/config/load-config.ts").loadConfig;

/** The program's own way of bundling, with every chunk that has something of zod taken away. */
async function loadConfigWithoutZod(folder: string): Promise<LoadConfig> {
  const bundle = await build({
    entryPoints: ["src/config/load-config.ts"],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    metafile: true,
    logLevel: "silent",
  });
  const chunks = Object.entries(bundle.metafile.outputs);
  const ofZod = chunks.filter(([, { inputs }]) => Object.keys(inputs).some((file) => file.includes("/zod/")));
  expect(ofZod.length).toBeGreaterThan(0);
  for (const [file] of ofZod) rmSync(file);
  const entry = pathToFileURL(path.join(folder, "load-config.mjs")).href;
  const loaded = (await import(/* @vite-ignore */ entry)) as { loadConfig: LoadConfig };
  return loaded.loadConfig;
}

test("zod is loaded for a config file and not without one", async () => {
  const folder = temporaryFolder();
  const loadConfig = await loadConfigWithoutZod(folder);
  const home = { configFile: path.join(folder, "config.json"), trustFile: path.join(folder, "trusted.json") };
  const request = { home, cwd: folder, env: { STELE_MODEL: "a/b" }, flags: {} };
  expect(await loadConfig(request)).toMatchObject({ ok: true, config: { model: "a/b", theme: "auto" } });
  writeFileSync(home.configFile, "{}");
  await expect(loadConfig(request)).rejects.toThrow(/Cannot find module|Failed to load/);
});
