// Which folders a person trusts: kept in their home, outside the folder itself, by its real path and the hash of its
// project file. A file that changed is one nobody was asked about. What cannot be read trusts nothing.
import { type Edited, type Rewritten, readJsonFile, rewriteJsonFile } from "./json-file.ts";

/** `declined`: asked, and the answer was no; not to be asked again for this content. */
export type TrustAnswer = "trusted" | "declined";

export interface ProjectIdentity {
  /** Real path of the folder. */
  readonly folder: string;
  /** SHA-256 of the project file's bytes, in hex. */
  readonly hash: string;
}

export async function trustOf(trustFile: string, project: ProjectIdentity): Promise<TrustAnswer | "unasked"> {
  const read = await readJsonFile(trustFile);
  const entry = read.ok && read.isThere ? Object.entries(foldersOf(read.value)).find(isOf(project.folder))?.[1] : {};
  if (!isObject(entry) || entry.hash !== project.hash) return "unasked";
  return entry.answer === "trusted" || entry.answer === "declined" ? entry.answer : "unasked";
}

/** Remembers a person's answer about this content of the project's file. */
export function rememberTrust(
  trustFile: string,
  { folder, hash }: ProjectIdentity,
  answer: TrustAnswer,
): Promise<Rewritten> {
  return rewriteJsonFile(trustFile, (value): Promise<Edited> => {
    const others = Object.entries(foldersOf(value)).filter(([known]) => known !== folder);
    const folders = Object.fromEntries([...others, [folder, { hash, answer }]]);
    return Promise.resolve({ ok: true, value: { ...(isObject(value) ? value : {}), folders } });
  });
}

function isOf(folder: string): (entry: [string, unknown]) => boolean {
  return ([known]) => known === folder;
}

function foldersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) && isObject(value.folders) ? value.folders : {};
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
