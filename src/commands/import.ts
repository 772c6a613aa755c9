// /import: conversations from files of /export. All files are checked first; what does not hold together is refused with
// file and line, and then nothing is written.
import type { ImportedFile } from "../interop/import-file.ts";
import { hasFlag, textFlag } from "./args.ts";
import { type CommandArgs, type CommandResult, defineCommand, type FreeContext } from "./command.ts";
import { stoppable } from "./long-work.ts";
import { called, counted, lines, refused, usage } from "./results.ts";

const DECLARED = {
  name: "import",
  args: [{ name: "path", help: "a file that an export wrote, jsonl or json", required: true, many: true }],
  flags: [
    { name: "from", help: "format of the file: stele", value: "text" },
    { name: "dry-run", help: "say what would come, and write nothing" },
  ],
  during: "any",
  isLong: true,
  needsNoSession: true,
  run: importPaths,
} as const;

export const importCommand = defineCommand({
  ...DECLARED,
  summary: "bring in conversations that were exported",
  example: "/import talk.jsonl",
});

export const sessionsImportCommand = defineCommand({
  ...DECLARED,
  summary: "bring in conversations that were exported",
  example: "/sessions import talk.jsonl --dry-run",
});

async function importPaths(args: CommandArgs, context: FreeContext): Promise<CommandResult> {
  const from = textFlag(args, "from");
  if (from !== undefined && from !== "stele")
    return usage(`--from takes stele, not ${JSON.stringify(from)}.`, "Other formats are not in this version.");
  const dryRun = hasFlag(args, "dry-run");
  const [{ importFiles }, { BadFile }, { LIMITS }] = await Promise.all([
    import("../interop/import-file.ts"),
    import("../interop/read-lines.ts"),
    import("../interop/export-format.ts"),
  ]);
  if (args.words.length > LIMITS.files)
    return usage(`${args.words.length} files at once; up to ${LIMITS.files} are taken.`);
  const { cwd } = await context.newSession({});
  const files: string[] = [];
  for (const word of args.words) {
    const file = context.files.resolve(cwd, word);
    const stat = await context.files.stat(file);
    if (!stat.ok) return usage(`${stat.problem.message}.`.replace(/\.\.$/, "."));
    if (stat.value.kind !== "file") return usage(`${file} is no file.`);
    if (files.includes(file)) return usage(`${file} is named twice.`);
    files.push(file);
  }
  try {
    const result = await stoppable(context, (work) => importFiles(context.db, files, { ...work, dryRun }));
    return result.kind === "done" ? report(result.files, { dryRun, context }) : refused(result, context);
  } catch (error) {
    if (error instanceof BadFile) return usage(error.message, "Nothing was imported.");
    if ((error as Error).name === "AbortError") return usage("Stopped; nothing was written.");
    throw error;
  }
}

function report(
  files: readonly ImportedFile[],
  { dryRun, context }: { dryRun: boolean; context: FreeContext },
): CommandResult {
  const come = files.filter(({ kind }) => kind !== "here");
  const here = files.length - come.length;
  const sum = (of: (file: ImportedFile) => number) => come.reduce((total, file) => total + of(file), 0);
  const counts = [
    counted(come.length, "conversation"),
    counted(
      sum(({ messages }) => messages),
      "message",
    ),
    ...(sum(({ contents }) => contents) > 0
      ? [
          `contents of ${counted(
            sum(({ contents }) => contents),
            "file",
          )}`,
        ]
      : []),
  ];
  const verb = dryRun ? "Would import" : "Imported";
  const first =
    come.length > 0 ? `${verb} ${counts.join(", ")}` : dryRun ? "Nothing to import" : "Nothing was imported";
  const there = here === 0 ? "" : `; ${here} ${here === 1 ? "was" : "were"} here already`;
  const closed = sum(({ closedCalls }) => closedCalls);
  const json = { dryRun, files: files.map((file) => ({ ...file })) };
  return lines(
    [
      `${first}${there}.`,
      ...(closed > 0 ? [`${counted(closed, "call")} had no end when it was exported: skipped, or unknown.`] : []),
      ...files.map((file) => fileWords(file, { dryRun, context })),
    ],
    json,
  );
}

function fileWords(file: ImportedFile, { dryRun, context }: { dryRun: boolean; context: FreeContext }): string {
  const { kind, session, title = "(no title)", branches } = file;
  if (kind === "here") return `  ${session}  ${title} · here already`;
  const open = (id: string) => (context.surface === "screen" ? called(`resume ${id}`, context) : `stele -r ${id}`);
  if (kind === "imported")
    return dryRun ? `  ${session}  ${title}` : `  ${session}  ${title} · open it: ${open(session)}`;
  const added = `${counted(file.messages, "message")} more than is here`;
  const [branch] = branches;
  return `  ${session}  ${title} · ${added}, as a branch${branch === undefined ? "" : `: ${open(branch)}`}`;
}
