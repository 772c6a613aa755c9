// A small JSON file of ours on disk: read with words for what is wrong, rewritten so that a crash leaves the old one
// or the new one. What cannot be read is never overwritten.
import { createHash } from "node:crypto";
import { readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { makeFolders, replaceFile } from "../agent/tools/atomic-write.ts";
import { findJsonFault } from "./json-fault.ts";

export interface Failure {
  readonly ok: false;
  readonly problem: string;
  readonly hint: string;
}

export type JsonFile =
  | { readonly ok: true; readonly isThere: false }
  /** `hash`: SHA-256 of the bytes in hex. */
  | { readonly ok: true; readonly isThere: true; readonly value: unknown; readonly text: string; readonly hash: string }
  | Failure;

const MAX_BYTES = 1_000_000;

export async function readJsonFile(file: string): Promise<JsonFile> {
  const read = await readBytes(file);
  if (!read.ok) return read;
  if (read.bytes === undefined) return { ok: true, isThere: false };
  const text = read.bytes.toString("utf8").replace(/^\uFEFF/, "");
  const hash = createHash("sha256").update(read.bytes).digest("hex");
  try {
    return { ok: true, isThere: true, value: JSON.parse(text), text, hash };
  } catch {
    const fault = findJsonFault(text) ?? { line: 1, column: 1, problem: "too deeply nested" };
    return {
      ok: false,
      problem: `${file} is not valid JSON: line ${fault.line}, column ${fault.column}: ${fault.problem}`,
      hint: "Correct the file and try again; nothing in it was changed.",
    };
  }
}

/** `bytes` is absent when there is no such file. Pipes and devices are refused: reading them may never end. */
async function readBytes(file: string): Promise<{ readonly ok: true; readonly bytes?: Buffer } | Failure> {
  try {
    const { size, isFile } = await stat(file).then((stats) => ({ size: stats.size, isFile: stats.isFile() }));
    if (!isFile) return { ok: false, problem: `${file} is not a file`, hint: "Move away what is there." };
    if (size > MAX_BYTES) {
      return { ok: false, problem: `${file} is too large: ${size} bytes, at most ${MAX_BYTES}`, hint: "Shorten it." };
    }
    return { ok: true, bytes: await readFile(file) };
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return { ok: true };
    return cannot("read", file, error);
  }
}

export type Edited = { readonly ok: true; readonly value: unknown } | Failure;
export type Rewritten = { readonly ok: true } | Failure;

const ATTEMPTS = 5;

/**
 * Gives `edit` what is in the file, undefined when there is none, and writes what it returns, readable for its owner
 * alone. Asked again with the new content when somebody else wrote meanwhile.
 */
export async function rewriteJsonFile(file: string, edit: (value: unknown) => Promise<Edited>): Promise<Rewritten> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = await readJsonFile(file);
    if (!before.ok) return before;
    const edited = await edit(before.isThere ? before.value : undefined);
    if (!edited.ok) return edited;
    const text = before.isThere ? before.text : "";
    const isStillExpected = async () => {
      const now = await readJsonFile(file);
      return now.ok && (now.isThere ? now.text : "") === text;
    };
    try {
      if (await writeJson(file, `${JSON.stringify(edited.value, null, indentOf(text))}\n`, isStillExpected)) {
        return { ok: true };
      }
    } catch (error) {
      return cannot("write", file, error);
    }
  }
  return { ok: false, problem: `${file} is being changed by somebody else all the time`, hint: "Try again." };
}

async function writeJson(file: string, text: string, isStillExpected: () => Promise<boolean>): Promise<boolean> {
  await makeFolders(path.dirname(file));
  // A config that is a link into somebody's dotfiles stays one.
  const target = await realpath(file).catch(() => file);
  const owner = await stat(target).catch(() => ({ uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }));
  return replaceFile({ path: target, bytes: Buffer.from(text), mode: 0o600, owner, isStillExpected });
}

/** As the file is indented now. */
function indentOf(text: string): string {
  return /^[^\S\n]+(?=")/m.exec(text)?.[0] ?? "  ";
}

function cannot(verb: string, file: string, error: unknown): Failure {
  const why = error instanceof Error ? error.message : String(error);
  return { ok: false, problem: `cannot ${verb} ${file}: ${why}`, hint: "Check the permissions of file and folder." };
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
