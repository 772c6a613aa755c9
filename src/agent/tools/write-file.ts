// write_file: a whole file, new or replaced. Replacing needs that the model has seen what it replaces.
import * as z from "zod";
import { changeFile, describeChange } from "./change-file.ts";
import { defineTool } from "./define-tool.ts";

export const writeFileTool = defineTool({
  name: "write_file",
  description:
    "Create a file with this content, or replace all of an existing one, which has to be read first. Missing folders are made. " +
    "To change a part of a file use edit_file. Only files inside the session's folder can be written.",
  effect: "reversible",
  input: z.strictObject({
    path: z.string().min(1).describe("Relative to the session's folder, or absolute."),
    content: z.string().describe("The whole content, exactly as it shall be on disk, final line end included."),
  }),
  summarize: ({ path }) => path,
  subject: ({ path }) => path,
  async preview({ path, content }, { cwd, files }) {
    const target = await files.target(cwd, path);
    return target.ok ? describeChange({ asked: path, target: target.value, after: Buffer.from(content) }) : undefined;
  },
  async run({ path, content }, context) {
    const target = await context.files.target(context.cwd, path);
    if (!target.ok) return { kind: "failed", output: target.problem.message };
    const after = Buffer.from(content);
    if (target.value.before && after.equals(target.value.before.bytes)) {
      return { kind: "ok", output: `${path} has this content already: nothing was written` };
    }
    return changeFile({ asked: path, target: target.value, after }, context);
  },
});
