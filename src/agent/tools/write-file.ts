// write_file: a whole file, new or replaced. Replacing needs that the model has seen what it replaces, and keeps the
// line ends of the file: what read_file shows has none that a model could repeat.
import * as z from "zod";
import { changeFile, describeChange } from "./change-file.ts";
import { defineTool } from "./define-tool.ts";
import type { WriteTarget } from "./files.ts";
import { decodeFile, hasWindowsLineEnds, toWindowsLineEnds } from "./text-file.ts";

export const writeFileTool = defineTool({
  name: "write_file",
  description:
    "Create a file with this content, or replace all of an existing one, which has to be read first. Missing folders are made. " +
    "To change a part of a file use edit_file. Only files inside the session's folder can be written.",
  effect: "reversible",
  input: z.strictObject({
    path: z.string().min(1).describe("Relative to the session's folder, or absolute."),
    content: z
      .string()
      .describe("The whole content, as it shall be on disk, final line end included; CRLF of a replaced file is kept."),
  }),
  summarize: ({ path }) => path,
  subject: ({ path }) => path,
  async obstacle({ path }, { cwd, files }) {
    const target = await files.target(cwd, path);
    return target.ok ? undefined : target.problem.message;
  },
  async preview({ path, content }, { cwd, files }) {
    const target = await files.target(cwd, path);
    if (!target.ok) return undefined;
    return describeChange({ asked: path, target: target.value, after: contentFor(target.value, content) });
  },
  async run({ path, content }, context) {
    const target = await context.files.target(context.cwd, path);
    if (!target.ok) return { kind: "failed", output: target.problem.message };
    const after = contentFor(target.value, content);
    if (target.value.before && after.equals(target.value.before.bytes)) {
      return { kind: "ok", output: `${path} has this content already: nothing was written` };
    }
    return changeFile({ asked: path, target: target.value, after }, context);
  },
});

function contentFor({ before }: WriteTarget, content: string): Buffer {
  const old = before && decodeFile(before.bytes);
  const isWindows = old?.kind === "text" && hasWindowsLineEnds(old.text) && !content.includes("\r");
  return Buffer.from(isWindows ? toWindowsLineEnds(content) : content);
}
