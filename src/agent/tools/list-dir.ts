// list_dir: what one folder holds, folders first.
import { join } from "node:path";
import * as z from "zod";
import { defineTool } from "./define-tool.ts";
import type { FileGate, FolderEntry } from "./files.ts";

const MAX_ENTRIES = 1000;

export const listDirTool = defineTool({
  name: "list_dir",
  description:
    "List a folder: folders first (they end in /), then files with their sizes in bytes. Hidden ones are shown.",
  effect: "none",
  input: z.strictObject({
    path: z.string().min(1).describe("Relative to the session's folder, or absolute; \".\" is the session's folder."),
  }),
  summarize: ({ path }) => path,
  subject: ({ path }) => path,
  async run(asked, { cwd, files, signal }) {
    const path = files.resolve(cwd, asked.path);
    const listed = await files.list(path);
    if (!listed.ok) return { kind: "failed", output: listed.problem.message };
    const sorted = listed.value.toSorted(byKindThenName);
    const lines: string[] = [];
    for (const entry of sorted.slice(0, MAX_ENTRIES)) {
      if (signal.aborted) return { kind: "cancelled", output: lines.join("\n") };
      lines.push(await describeEntry(files, path, entry));
    }
    const hidden = sorted.length - lines.length;
    if (hidden > 0) lines.push(`[${hidden} more entries]`);
    return { kind: "ok", output: lines.join("\n") || "[the folder is empty]" };
  },
});

function byKindThenName(a: FolderEntry, b: FolderEntry): number {
  const folders = Number(b.kind === "folder") - Number(a.kind === "folder");
  return folders || (a.name < b.name ? -1 : 1);
}

async function describeEntry(files: FileGate, folder: string, { name, kind }: FolderEntry): Promise<string> {
  if (kind === "folder") return `${name}/`;
  if (kind === "other") return `${name}  [device, pipe or socket]`;
  const found = await files.stat(join(folder, name));
  if (!found.ok)
    return `${name}  [${kind === "link" ? "link, leads nowhere or may not be followed" : found.problem.code}]`;
  const size = found.value.kind === "folder" ? "folder" : `${found.value.bytes}`;
  return kind === "link" ? `${name}  [link, ${size}]` : `${name}  ${size}`;
}
