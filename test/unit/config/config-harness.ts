// A home and a project folder of a test's own, with the files it wants in them.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect } from "vitest";
import { type Home, resolveHome } from "../../../src/config/home.ts";
import { type ConfigRequest, type LoadedConfig, loadConfig } from "../../../src/config/load-config.ts";

const folders = new Set<string>();

afterEach(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders.clear();
});

export interface TestPlace {
  readonly home: Home;
  readonly cwd: string;
  writeConfig(content: unknown): void;
  /** Where it was written. */
  writeProject(content: unknown, folder?: string): string;
  load(more?: Partial<ConfigRequest>): Promise<LoadedConfig>;
  loadGood(more?: Partial<ConfigRequest>): Promise<Extract<LoadedConfig, { ok: true }>>;
  loadProblem(more?: Partial<ConfigRequest>): Promise<string>;
}

/** Removed after the test. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "stele-config-")));
  folders.add(folder);
  return folder;
}

export function testPlace(): TestPlace {
  const root = temporaryFolder();
  const cwd = path.join(root, "project");
  mkdirSync(cwd);
  const found = resolveHome({ env: { STELE_HOME: path.join(root, "home") }, platform: "linux", cwd, flags: {} });
  if (!found.ok) throw new Error(found.problem);
  const { home } = found;
  mkdirSync(home.folder);
  const load = (more: Partial<ConfigRequest> = {}) => loadConfig({ home, cwd, env: {}, flags: {}, ...more });
  return {
    home,
    cwd,
    load,
    writeConfig: (content) => writeFileSync(home.configFile, asText(content)),
    writeProject(content, folder = cwd) {
      const file = path.join(folder, ".stele.json");
      writeFileSync(file, asText(content));
      return file;
    },
    async loadGood(more) {
      const loaded = await load(more);
      if (!loaded.ok) throw new Error(loaded.problem);
      return loaded;
    },
    async loadProblem(more) {
      const loaded = await load(more);
      expect(loaded.ok).toBe(false);
      return loaded.ok ? "" : loaded.problem;
    },
  };
}

/** A text is written as it is. */
function asText(content: unknown): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}
