// read_file: a text file with numbered lines. What it shows is remembered, so that an edit of these bytes is possible.
import { basename, dirname } from "node:path";
import * as z from "zod";
import { defineTool } from "./define-tool.ts";
import type { FileProblem } from "./file-problem.ts";
import type { FileGate } from "./files.ts";
import { nearestNames } from "./nearest-names.ts";
import { cutLine, decodeFile, hasWindowsLineEnds, splitLines } from "./text-file.ts";

const DEFAULT_LINES = 2000;
const MAX_LINE_LENGTH = 2000;

const input = z.strictObject({
  path: z.string().min(1).describe("Relative to the session's folder, or absolute."),
  offset: z.int().min(1).max(100_000_000).optional().describe("First line to show, counted from 1."),
  limit: z.int().min(1).max(100_000).optional().describe(`How many lines to show; ${DEFAULT_LINES} without it.`),
});

export const readFileTool = defineTool({
  name: "read_file",
  description:
    "Read a text file. Each line comes with its number and a tab, which are not part of the file. Files that shall be " +
    "changed have to be read first. Long files are read in pieces with offset and limit.",
  effect: "none",
  input,
  summarize: ({ path, offset, limit }) => (offset || limit ? `${path} from line ${offset ?? 1}` : path),
  subject: ({ path }) => path,
  async run(asked, { cwd, files, signal }) {
    const path = files.resolve(cwd, asked.path);
    const read = await files.read(path, { signal });
    if (!read.ok)
      return {
        kind: signal.aborted ? "cancelled" : "failed",
        output: await explain(read.problem, { asked: asked.path, path }, files),
      };
    const decoded = decodeFile(read.value.bytes);
    if (decoded.kind === "binary") {
      const size = `${read.value.bytes.length} bytes`;
      return { kind: "failed", output: `${asked.path} is ${decoded.what} (${size}): read_file shows text only` };
    }
    const shown = showLines(decoded.text, asked);
    if (!shown.ok) return { kind: "failed", output: `${asked.path} ${shown.problem}` };
    await files.remember(path, read.value.hash);
    const notes = [
      ...shown.notes,
      ...(hasWindowsLineEnds(decoded.text) ? ["lines end in CRLF, which edit_file keeps"] : []),
      ...(decoded.lossless ? [] : ["not valid UTF-8: damaged characters are shown as \uFFFD, and it cannot be edited"]),
    ];
    return { kind: "ok", output: [...shown.lines, ...notes.map((note) => `[${note}]`)].join("\n") };
  },
});

type Shown =
  | { readonly ok: true; readonly lines: readonly string[]; readonly notes: readonly string[] }
  | { readonly ok: false; readonly problem: string };

function showLines(
  text: string,
  { offset = 1, limit = DEFAULT_LINES }: Pick<z.infer<typeof input>, "offset" | "limit">,
): Shown {
  const all = splitLines(text.replace(/^\uFEFF/, ""));
  if (all.length === 0) return { ok: true, lines: [], notes: ["the file is empty"] };
  if (offset > all.length) return { ok: false, problem: `has ${all.length} lines; offset ${offset} is past its end` };
  const end = Math.min(offset - 1 + limit, all.length);
  const lines = all
    .slice(offset - 1, end)
    .map((line, index) => `${String(offset + index).padStart(6)}\t${cutLine(line, MAX_LINE_LENGTH)}`);
  const isPart = offset > 1 || end < all.length;
  const goOn = end < all.length ? `; go on with offset ${end + 1}` : "";
  return { ok: true, lines, notes: isPart ? [`lines ${offset} to ${end} of ${all.length}${goOn}`] : [] };
}

async function explain(
  problem: FileProblem,
  { asked, path }: { readonly asked: string; readonly path: string },
  files: FileGate,
): Promise<string> {
  if (problem.code === "folder") return `${asked} is a folder: list_dir shows what is in it`;
  if (problem.code === "too-large")
    return `${problem.message}: read a part of it with a shell command such as sed -n 1,200p`;
  if (problem.code !== "missing") return problem.message;
  const beside = await files.list(dirname(path));
  if (!beside.ok) return `${asked} does not exist, nor does its folder`;
  const nearest = nearestNames(
    basename(path),
    beside.value.map(({ name }) => name),
  );
  return `${asked} does not exist${nearest.length > 0 ? `; near it in that folder: ${nearest.join(", ")}` : ""}`;
}
