// /queue: the prompts of this conversation that wait. Each can be dropped, changed, moved up, or set going.
import { typedPrompt } from "../agent/typed-command.ts";
import { newRequestId } from "../ledger/ids.ts";
import { imagesIn, isNamedIn } from "../ledger/image-token.ts";
import type { Admission, AdmissionId } from "../ledger/types.ts";
import { ageOf } from "./ages.ts";
import { countWord } from "./args.ts";
import { type CommandContext, type CommandResult, defineCommand, type SessionCommand } from "./command.ts";
import { called, counted, lines, usage } from "./results.ts";
import { quoteWord } from "./words.ts";

const ID = { name: "id", help: "as /queue lists it", required: true } as const;

export const queueCommand = defineCommand({
  name: "queue",
  summary: "the prompts that wait; drop, edit, move up or run them",
  example: "/queue",
  verbs: [
    verb("drop", { summary: "do not ask it", example: "/queue drop 7", args: [ID], run: drop }),
    verb("edit", {
      summary: "change the text of a waiting prompt",
      example: '/queue edit 7 "list the open questions"',
      args: [ID, { name: "text", help: "the new text; without it, the old one to change", rest: true }],
      run: edit,
    }),
    verb("up", { summary: "move it one place up", example: "/queue up 7", args: [ID], run: moveUp }),
    verb("run", {
      summary: "run what is held, all or one",
      example: "/queue run 7",
      args: [{ name: "id", help: ID.help }],
      run: release,
    }),
  ],
  during: "any",
  async run(_, context) {
    const waiting = await waitingRows(context);
    return {
      kind: "rows",
      columns: ["id", "prompt", "waits", "since"],
      rows: waiting.map((each) => [
        String(each.id),
        each.summary,
        each.held === undefined ? "its turn" : `held: ${each.held}; ${called(`queue run ${each.id}`, context)}`,
        ageOf(each.queuedAt, context.now()),
      ]),
      empty: "Nothing waits.",
      json: waiting.map(({ id, request, session, kind, summary, position, held, queuedAt }) => ({
        id,
        request,
        session,
        kind,
        summary,
        position,
        ...(held !== undefined && { held }),
        queuedAt,
      })),
    };
  },
});

type OnRow = (context: CommandContext, row: Admission | undefined, text: string | undefined) => Promise<CommandResult>;

/** Finds the row that the first word names, and tells the screen what the queue is afterwards. */
function verb(
  name: string,
  { run, ...words }: Pick<SessionCommand, "summary" | "example" | "args"> & { readonly run: OnRow },
): SessionCommand {
  return defineCommand({
    name,
    ...words,
    during: "any",
    async run({ words: [word, text] }, context) {
      const id = countWord(word, "id");
      if (!id.ok) return usage(id.problem, "/queue lists what waits");
      const waiting = await waitingRows(context);
      const row = waiting.find((each) => each.id === (id.value as AdmissionId | undefined));
      if (id.value !== undefined && !row) return usage(`Prompt ${id.value} does not wait here.`, listed(waiting));
      const result = await run(context, row, text);
      context.runner.emit({ type: "queue-changed", waiting: await openRows(context) });
      return result;
    },
  });
}

async function waitingRows({ db, runner }: CommandContext): Promise<readonly Admission[]> {
  return (await openRows({ db, runner })).filter(({ status }) => status === "queued");
}

function openRows({ db, runner }: Pick<CommandContext, "db" | "runner">): Promise<readonly Admission[]> {
  return db.openAdmissions(runner.session.conversation);
}

function listed(waiting: readonly Admission[]): string {
  return waiting.length === 0 ? "Nothing waits." : `What waits: ${waiting.map(({ id }) => id).join(", ")}`;
}

async function drop({ db }: CommandContext, row: Admission | undefined): Promise<CommandResult> {
  if (!row) return usage("<id> is missing.");
  const { id, outcome } = await db.cancel(row.id);
  return lines(`Dropped ${id}: ${row.summary}`, { admission: id, outcome });
}

async function edit(context: CommandContext, row: Admission | undefined, text?: string): Promise<CommandResult> {
  if (!row) return usage("<id> is missing.");
  if (text === undefined) {
    const old = row.payload.prompt.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
    return { kind: "prefill", text: `/queue edit ${row.id} ${quoteWord(old)}`, lines: [] };
  }
  const old = row.payload.prompt;
  const files = old
    .filter((part) => part.kind === "file")
    .filter((file) => isNamedIn(file, [{ kind: "text", text }]) || !isNamedIn(file, old));
  if (imagesIn(text).some(({ hash }) => files.every(({ blob }) => blob !== hash)))
    return usage("An image can only come with a prompt that is sent, not with one that waits already.");
  // A prompt does not become a command by the way: what runs in the shell is typed as such.
  const typed = row.kind === "shell" ? typedPrompt(text) : undefined;
  const payload = { ...row.payload, prompt: typed ?? [{ kind: "text", text } as const, ...files] };
  const edited = await context.db.edit(row.id, { request: newRequestId(), payload });
  context.runner.wake();
  return lines(`${row.id} is now ${edited.id}: ${edited.summary}`, { admission: edited.id, replaces: row.id });
}

async function moveUp(context: CommandContext, row: Admission | undefined): Promise<CommandResult> {
  if (!row) return usage("<id> is missing.");
  const waiting = await waitingRows(context);
  const before = waiting[waiting.findIndex(({ id }) => id === row.id) - 1];
  if (!before) return lines(`${row.id} is the first already.`, { admission: row.id });
  await context.db.reorder(row.id, before.id);
  return lines(`${row.id} goes before ${before.id} now.`, { admission: row.id, before: before.id });
}

async function release(context: CommandContext, row: Admission | undefined): Promise<CommandResult> {
  const { db, runner } = context;
  const waiting = row ? [row] : await waitingRows(context);
  const held = waiting.filter((each) => each.held !== undefined);
  if (held.length === 0) return lines(row ? `${row.id} is not held: it runs when its turn comes.` : "Nothing is held.");
  for (const { id } of held) await db.release(id);
  runner.wake();
  const ids = held.map(({ id }) => id);
  return { kind: "turn", runner, lines: [`Goes on: ${counted(ids.length, "prompt")}.`], json: { released: ids } };
}
