// What a project says about itself to whoever works on it: `AGENTS.md` (`CLAUDE.md` where there is none) of every folder
// from the git root down to the session's, or what `contextFiles` names. They are read from folders that nobody has
// trusted too: they are words to a model whose calls are still asked about. Nothing is read that leads out of the root.
import { relative } from "node:path";
import type { FileGate } from "./tools/files.ts";

export interface ContextRequest {
  readonly files: FileGate;
  readonly cwd: string;
  readonly gitRoot?: string;
  /** Relative to a folder. */
  readonly names: readonly string[];
}

export interface ContextFile {
  readonly path: string;
  /** Relative to the git root. */
  readonly name: string;
  /** As the model gets it. */
  readonly text: string;
  /** Of the whole file. */
  readonly bytes: number;
  readonly isCut: boolean;
}

export interface ContextFiles {
  /** From the root down: what is nearer to the work has the last word. */
  readonly read: readonly ContextFile[];
  readonly left: readonly { readonly name: string; readonly why: string }[];
}

/** Of all of them together; the nearest are served first. */
export const CONTEXT_BYTES = 64 * 1024;
const READ_BYTES = 8 * 1024 * 1024;
const TITLE = "# Instructions of this project";

/** Changes when one of them is changed, added or removed; reads none of them. */
export async function contextStamp(request: ContextRequest): Promise<string> {
  const stamps = await Promise.all(
    candidates(request).map(async (path) => {
      const stat = await request.files.stat(path);
      return stat.ok ? `${path}:${stat.value.bytes}:${stat.value.modifiedAt}` : "";
    }),
  );
  return stamps.filter((stamp) => stamp !== "").join("\n");
}

export async function readContextFiles(request: ContextRequest): Promise<ContextFiles> {
  const root = rootOf(request);
  const read: ContextFile[] = [];
  const left: { name: string; why: string }[] = [];
  let room = CONTEXT_BYTES;
  for (const path of (await present(request)).reverse()) {
    const name = relative(root, path);
    const found = await readInside(request.files, { root, path });
    if ("why" in found) {
      left.unshift({ name, why: found.why });
      continue;
    }
    const { bytes } = found;
    const isCut = bytes.length > room;
    // `stream`: a character that is cut in two is left out.
    const text = new TextDecoder().decode(bytes.subarray(0, room), { stream: true }).trimEnd();
    room = Math.max(0, room - bytes.length);
    read.unshift({ path, name, text: isCut ? withCut(text, name) : text, bytes: bytes.length, isCut });
  }
  return { read, left };
}

/** The end of a system prompt; "" when there is nothing. */
export function contextSection({ read }: Pick<ContextFiles, "read">): string {
  return read.map(fileSection).join("\n\n");
}

/** Whether this system prompt was made with exactly these files. */
export function tells(systemPrompt: string, files: ContextFiles): boolean {
  const section = contextSection(files);
  if (section === "") return !systemPrompt.includes(TITLE);
  const before = systemPrompt.slice(0, -section.length);
  return systemPrompt.endsWith(section) && !before.includes(TITLE);
}

/** A system prompt in two: what is ours, and what the project's files say. */
export function splitPrompt(systemPrompt: string): { readonly own: string; readonly told: string } {
  const at = systemPrompt.indexOf(`\n\n${TITLE} (`);
  return at === -1 ? { own: systemPrompt, told: "" } : { own: systemPrompt.slice(0, at), told: systemPrompt.slice(at) };
}

/** The files that a system prompt was made with. */
export function toldFiles(systemPrompt: string): readonly { readonly path: string; readonly text: string }[] {
  const [, ...sections] = `\n\n${splitPrompt(systemPrompt).told.trimStart()}`.split(`\n\n${TITLE} (`);
  return sections.map((section) => {
    const at = section.indexOf(")\n\n");
    return at === -1 ? { path: "", text: section } : { path: section.slice(0, at), text: section.slice(at + 3) };
  });
}

/** Those that are new in comparison with this system prompt, or changed. */
export function changedSince(systemPrompt: string, { read }: ContextFiles): readonly string[] {
  return read.filter((file) => !systemPrompt.includes(fileSection(file))).map(({ name }) => name);
}

/** One line for a person, raw: `AGENTS.md, packages/a/AGENTS.md`; undefined when there is nothing to say. */
export function contextWords({ read, left }: ContextFiles): string | undefined {
  const words = [
    ...(read.length === 0 ? [] : [`The model is told ${read.map(fileWords).join(", ")}.`]),
    ...left.map(({ name, why }) => `${name} is left out: ${why}.`),
  ];
  return words.length === 0 ? undefined : words.join(" ");
}

function fileWords({ name, bytes, isCut }: ContextFile): string {
  return isCut ? `${name} (cut: all together may have 64 KB, it has ${Math.ceil(bytes / 1024)})` : name;
}

function fileSection({ path, text }: ContextFile): string {
  return `${TITLE} (${path})\n\n${text}`;
}

function withCut(text: string, name: string): string {
  const note = `[the rest of ${name} is left out: all such files together may have 64 KB]`;
  return text === "" ? note : `${text}\n${note}`;
}

async function readInside(
  files: FileGate,
  { root, path }: { root: string; path: string },
): Promise<{ bytes: Uint8Array } | { why: string }> {
  // A link of somebody's project must not make the model read what is the person's.
  if (!(await files.isInside(root, path))) return { why: "it leads out of the project" };
  const read = await files.read(path, { maxBytes: READ_BYTES });
  return read.ok ? { bytes: read.value.bytes } : { why: read.problem.message };
}

/** In each folder the wanted names, and `CLAUDE.md` in the place of an `AGENTS.md` that is not there. */
async function present(request: ContextRequest): Promise<string[]> {
  const { files, names } = request;
  const found: string[] = [];
  for (const folder of foldersDownTo(request)) {
    for (const name of names) {
      const path = join(folder, name);
      if (await files.exists(path)) found.push(path);
      else if (name === "AGENTS.md" && (await files.exists(join(folder, "CLAUDE.md"))))
        found.push(join(folder, "CLAUDE.md"));
    }
  }
  return found;
}

function candidates(request: ContextRequest): readonly string[] {
  const names = request.names.flatMap((name) => (name === "AGENTS.md" ? [name, "CLAUDE.md"] : [name]));
  return foldersDownTo(request).flatMap((folder) => names.map((name) => join(folder, name)));
}

function foldersDownTo(request: ContextRequest): readonly string[] {
  const root = rootOf(request);
  const below = relative(root, request.cwd);
  const steps = below === "" ? [] : below.split("/");
  return [root, ...steps.map((_, at) => join(root, steps.slice(0, at + 1).join("/")))];
}

/** A folder that is not below its git root, by another name perhaps, stands alone. */
function rootOf({ cwd, gitRoot }: ContextRequest): string {
  return gitRoot !== undefined && cwd.startsWith(`${gitRoot === "/" ? "" : gitRoot}/`) ? gitRoot : cwd;
}

function join(folder: string, name: string): string {
  return `${folder === "/" ? "" : folder}/${name}`;
}
