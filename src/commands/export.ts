// /export: the conversation as a file, whole and to be read back, or as a page to be read. Never replaces a file unasked.
// Piped and without a path it goes to stdout as it stands: a terminal gets only what was sanitised.
import { homedir } from "node:os";
import path from "node:path";
import type { Session } from "../ledger/types.ts";
import { hasFlag, textFlag } from "./args.ts";
import {
  type CommandArgs,
  type CommandContext,
  type CommandResult,
  defineCommand,
  type FlagSpec,
  type FreeContext,
} from "./command.ts";
import { findSession } from "./find-session.ts";
import { sizeWords, stoppable } from "./long-work.ts";
import { called, counted, lines, usage } from "./results.ts";

const FORMATS = ["jsonl", "json", "md"] as const;
type Format = (typeof FORMATS)[number];

/** Of every file system there is, less what a temporary name beside it needs. */
const LONGEST_NAME = 240;

/** C 6.7: a page or an object of more is nothing one can open. */
const MOST_MESSAGES = 20_000;

const FLAGS: readonly FlagSpec[] = [
  {
    name: "format",
    help: "jsonl or json, which import reads, or md to read it; default: what the path ends in, else jsonl",
    value: "text",
  },
  { name: "redact", help: "without what looks like keys and passwords, and without your home folder" },
  { name: "force", help: "replace the file if it is there" },
];

const TO: FlagSpec = { name: "to", short: "o", help: "the same as the path", value: "text" };

export const exportCommand = defineCommand({
  name: "export",
  summary: "write this conversation to a file",
  example: "/export parser.md --redact",
  args: [{ name: "path", help: "the file; default: stele-ID.jsonl in this folder, or stdout where it is piped" }],
  flags: [...FLAGS, TO],
  during: "any",
  isLong: true,
  run: (args, context: CommandContext) =>
    exportSession(args, context, {
      session: context.runner.session,
      asked: args.words[0] ?? textFlag(args, "to"),
    }),
});

export const sessionsExportCommand = defineCommand({
  name: "export",
  summary: "write a conversation to a file",
  example: "/sessions export parser --format json",
  args: [
    { name: "session", help: "id, prefix, title or number of the list just shown", required: true },
    { name: "path", help: "the file; default: stele-ID.jsonl in this folder, or stdout where it is piped" },
  ],
  flags: [...FLAGS, TO],
  during: "any",
  isLong: true,
  needsNoSession: true,
  async run(args, context) {
    const [name = "", word] = args.words;
    const found = await findSession(context, name, "/sessions export");
    if (!found.ok) return found.result;
    return exportSession(args, context, { session: found.session, asked: word ?? textFlag(args, "to") });
  },
});

async function exportSession(
  args: CommandArgs,
  context: FreeContext,
  { session: named, asked }: { session: Session; asked: string | undefined },
): Promise<CommandResult> {
  const session = await context.db.canonical(named.conversation);
  const format = formatOf(textFlag(args, "format"), asked);
  if (typeof format !== "string") return format;
  if (format !== "jsonl" && session.messages > MOST_MESSAGES) {
    const why = `${format} takes up to ${MOST_MESSAGES} messages, this conversation has ${session.messages}.`;
    return usage(why, `${called("export", context)} --format jsonl has no such limit.`);
  }
  const isRedacted = hasFlag(args, "redact");
  if (context.pipe && (asked === undefined || asked === "-"))
    return pour(context, session, { pipe: context.pipe, format, isRedacted });
  if (asked === "-") return usage("Here - would be this terminal.", "Name a file, or pipe it: stele export | less");
  const { cwd } = await context.newSession({});
  const file = context.files.resolve(cwd, asked ?? `stele-${session.id}.${format}`);
  const folder = path.dirname(file);
  if (!(await context.hasFolder(folder))) return usage(`There is no folder ${folder}.`);
  const there = await context.files.stat(file);
  if (there.ok && there.value.kind === "folder") return usage(`${file} is a folder: name a file in it.`);
  if (there.ok && there.value.kind !== "file") return usage(`${file} is no plain file: nothing was written.`);
  if (path.basename(file).length > LONGEST_NAME) return usage(`${path.basename(file)} is too long for a file's name.`);
  if (!(await context.files.isInside(folder, file)))
    return usage(`${file} is a link, or belongs to the ledger: nothing was written.`, "Choose another name.");
  return write(context, session, { file, format, isRedacted, force: hasFlag(args, "force") });
}

function formatOf(asked: string | undefined, file: string | undefined): Format | CommandResult {
  const ending = FORMATS.find((each) => file?.endsWith(`.${each}`));
  const format = FORMATS.find((each) => each === asked);
  const other = /\.([a-z]\w{0,9})$/i.exec(path.basename(file ?? ""))?.[1];
  if (asked === undefined && ending === undefined && other !== undefined)
    return usage(`.${other} is no format of an export.`, `Say which: --format ${FORMATS.join(", ")}`);
  if (asked === undefined) return ending ?? "jsonl";
  if (asked === "html") return usage("--format html is not in this version.", "For reading: --format md");
  return format ?? usage(`--format takes ${FORMATS.join(", ")}, not ${JSON.stringify(asked)}.`);
}

interface Wanted {
  readonly file: string;
  readonly format: Format;
  readonly isRedacted: boolean;
  readonly force: boolean;
}

async function write(
  context: FreeContext,
  session: Session,
  { file, format, isRedacted, force }: Wanted,
): Promise<CommandResult> {
  const { writeNewFile } = await import("../interop/new-file.ts");
  const redactor = await redactorIf(isRedacted);
  const written = await stoppable(context, async (work) => {
    const pieces = await piecesOf(context, session, { format, redactor, work });
    return writeNewFile(file, pieces, { force });
  });
  if (!written.ok && written.problem === "exists") return usage(written.why, "Replace it: --force");
  if (!written.ok) return { kind: "refused", why: written.why, code: "failed" };
  const count = counted(session.messages, "message");
  const said = `Exported ${count} to ${file} (${format}, ${sizeWords(written.bytes)}).`;
  const json = { file, format, session: session.id, messages: session.messages, bytes: written.bytes };
  return lines([said, ...redactedWords(redactor)], { ...json, ...(redactor && { redacted: redactor.count }) });
}

/** What there is to say goes beside it. */
async function pour(
  context: FreeContext,
  session: Session,
  { pipe, format, isRedacted }: Pick<Wanted, "format" | "isRedacted"> & Required<Pick<FreeContext, "pipe">>,
): Promise<CommandResult> {
  const redactor = await redactorIf(isRedacted);
  try {
    await stoppable(context, async (work) => {
      for await (const piece of await piecesOf(context, session, { format, redactor, work })) await pipe(piece);
    });
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    // Whoever read it has what they wanted.
    if (code === "EPIPE" || code.startsWith("ERR_STREAM")) return { kind: "stop" };
    if (!/^E[A-Z]+$/.test(code)) throw error;
    return { kind: "refused", why: `stdout cannot be written: ${message}.`, code: "failed" };
  }
  for (const line of redactedWords(redactor)) context.onProgress?.(line);
  return lines([]);
}

type Redacting = InstanceType<typeof import("../interop/redact.ts").Redactor>;

async function redactorIf(isRedacted: boolean): Promise<Redacting | undefined> {
  if (!isRedacted) return undefined;
  const { Redactor } = await import("../interop/redact.ts");
  return new Redactor(homedir());
}

function redactedWords(redactor: Redacting | undefined): readonly string[] {
  return redactor ? [`${counted(redactor.count, "place")} redacted; a guess, so look at it before you share it.`] : [];
}

async function piecesOf(
  { db, now }: FreeContext,
  session: Session,
  {
    format,
    redactor,
    work,
  }: {
    format: Format;
    redactor: Redacting | undefined;
    work: { signal: AbortSignal; onProgress?: (line: string) => void };
  },
): Promise<AsyncIterable<string>> {
  if (format === "md") {
    const { markdownPage } = await import("./export-page.ts");
    return markdownPage(db, session, { ...work, ...(redactor && { text: (text: string) => redactor.text(text) }) });
  }
  const [{ exportItems }, { jsonLines, jsonObject }, { FORMAT, VERSION }, { redactItems }] = await Promise.all([
    import("../interop/export-records.ts"),
    import("../interop/export-file.ts"),
    import("../interop/export-format.ts"),
    import("../interop/redact-items.ts"),
  ]);
  const items = exportItems(db, await db.exportPlan(session.id), work);
  const header = {
    format: FORMAT,
    version: VERSION,
    program: "stele",
    exportedAt: now(),
    session: session.id,
    redacted: redactor !== undefined,
  } as const;
  const clean = redactor ? redactItems(items, redactor) : items;
  return format === "json" ? jsonObject(header, clean) : jsonLines(header, clean);
}
