// The text being written, in the person's own editor: a file that nobody else can read, in a folder of its own, removed
// again whatever happens. The caller lends the terminal meanwhile. Never rejects.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

export type Edited =
  /** `why`: it ended badly after it had saved; for the person. */
  | { readonly kind: "changed"; readonly text: string; readonly why?: string }
  | { readonly kind: "same" }
  /** Nothing is changed; `why` is for the person. */
  | { readonly kind: "failed"; readonly why: string };

/** As git and others look for it: a command line of the shell. */
export function editorOf(env: Env): string | undefined {
  return [env["VISUAL"], env["EDITOR"]].find((each) => each !== undefined && each.trim() !== "")?.trim();
}

export const noEditor = "no editor is set: export EDITOR=vim, say, in your shell, and start stele again";

export async function editText(
  text: string,
  { editor, signal }: { readonly editor: string; readonly signal: AbortSignal },
): Promise<Edited> {
  let folder: string | undefined;
  try {
    folder = await mkdtemp(path.join(tmpdir(), "stele-"));
    const file = path.join(folder, "prompt.md");
    await writeFile(file, text, { mode: 0o600, flag: "wx" });
    const problem = await runEditor({ editor, file, signal });
    if (problem !== undefined) return await savedBefore(problem, { file, text });
    const after = withoutAddedEnd(text, await readFile(file, "utf8"));
    return after === text ? { kind: "same" } : { kind: "changed", text: after };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: "failed", why: `nothing was changed: ${why}` };
  } finally {
    // What cannot be removed is in a folder that only its owner can look into.
    if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** What was saved is kept, however the editor ended; a file that it emptied or removed holds nothing to keep. */
async function savedBefore(problem: string, { file, text }: { file: string; text: string }): Promise<Edited> {
  const saved = await readFile(file, "utf8").catch(() => ""); // gone with whatever was in it
  const after = withoutAddedEnd(text, saved);
  if (after.trim() === "" || after === text) return { kind: "failed", why: `nothing was changed: ${problem}` };
  return { kind: "changed", text: after, why: `what the editor had saved is kept: ${problem}` };
}

/** What went wrong; undefined: it ended well. */
function runEditor(options: { editor: string; file: string; signal: AbortSignal }) {
  const { editor, file, signal } = options;
  return new Promise<string | undefined>((resolve) => {
    const child = spawn("/bin/sh", ["-c", commandOf(editor), editor, file], { stdio: "inherit", signal });
    child.on("error", (error) => resolve(error.name === "AbortError" ? "the editor was ended" : error.message));
    child.on("close", (code, ended) => {
      if (code === 0) resolve(undefined);
      else resolve(ended ? `the editor was ended by ${ended}` : `exit code ${code} of ${editor}`);
    });
  });
}

/** The shell makes room for a plain command, so that signals reach it; where it cannot, ctrl+c must not end the shell. */
function commandOf(editor: string): string {
  const isPlain = !/^\w+=|[;&|(){}<>\n]/.test(editor);
  return isPlain ? `exec ${editor} "$@"` : `trap : INT; ${editor} "$@"`;
}

/**
 * Editors end a file's last line; of a text that had no line end it is taken off again. A text with CRs in it, as a
 * paste may have, keeps them.
 */
function withoutAddedEnd(before: string, after: string): string {
  const text = before.includes("\r") ? after : after.replace(/\r\n?/g, "\n");
  return before.endsWith("\n") ? text : text.replace(/\r?\n$/, "");
}
