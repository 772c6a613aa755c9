// The project's own `.stele.json`: where it is looked for.
import { realpath, stat } from "node:fs/promises";
import path from "node:path";

const PROJECT_FILE = ".stele.json";

/** In the folder itself or above it, never above the root of its git repository. */
export async function findProjectFile(cwd: string): Promise<string | undefined> {
  const start = await realpath(cwd).catch(() => path.resolve(cwd));
  const candidates: string[] = [];
  for (let folder = start; ; folder = path.dirname(folder)) {
    candidates.push(path.join(folder, PROJECT_FILE));
    if (await exists(path.join(folder, ".git"))) break;
    // In no repository: what stands above belongs to somebody else.
    if (folder === path.dirname(folder)) return firstExisting(candidates.slice(0, 1));
  }
  return firstExisting(candidates);
}

async function firstExisting(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) if (await exists(file)) return file;
  return undefined;
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
