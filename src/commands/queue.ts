// /queue: the prompts of this conversation that wait. Each can be dropped, changed, moved, told to the turn that runs,
// or set going.
import { typedPrompt } from "../agent/typed-command.ts";
import { imagesIn, isNamedIn } from "../ledger/image-token.ts";
import type { Admission, AdmissionId } from "../ledger/types.ts";
import { ageOf } from "./ages.ts";
import { countWord } from "./args.ts";
import {
  type CommandContext,
  type CommandResult,
  defineCommand,
  type PickItem,
  type SessionCommand,
} from "./command.ts";
import { called, counted, lines, usage } from "./results.ts";
import { quoteWord } from "./words.ts";

const ID = { name: "id", help: "as /queue lists it", required: true } as const;

export const queueCommand = defineCommand({
  name: "queue",
  summary: "the prompts that wait; edit, move, drop, steer or run them",
  example: "/queue",
  verbs: [
    verb("drop", { summary: "do not ask it", example: "/queue drop 7", args: [ID], run: drop }),
    verb("edit", {
      summary: "change the text of a waiting prompt",
      example: '/queue edit 7 "list the open questions"',
      args: [ID, { name: "text", help: "the new text; without it, the old one to change", rest: true }],
      run: edit,
    }),
    verb("up", {
      summary: "move it one place up",
      example: "/queue up 7",
      args: [ID],
      run: move(-1),
    }),
    verb("down", {
      summary: "move it one place down",
      example: "/queue down 6",
      args: [ID],
      run: move(1),
    }),
    verb("steer", {
      summary: "tell it to the turn that runs, before its next request",
      example: "/queue steer 7",
      args: [{ name: "id", help: `${ID.help}; without it, the newest` }],
      run: steer,
    }),
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
    const print = () => printed(waiting, context);
    return context.surface === "screen" && waiting.length > 0 ? queuePick(waiting, context, print) : print();
  },
});

function printed(waiting: readonly Admission[], context: CommandContext): CommandResult {
  return {
    kind: "rows",
    columns: ["id", "prompt", "waits", "since"],
    rows: waiting.map((each) => [
      String(each.id),
      each.summary,
      each.held === undefined ? waits(each) : `held: ${each.held}; ${called(`queue run ${each.id}`, context)}`,
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
}

function waits({ kind }: Admission): string {
  return kind === "steer" ? "the next step of the turn" : "its turn";
}

function queuePick(
  waiting: readonly Admission[],
  context: CommandContext,
  print: () => CommandResult,
): Extract<CommandResult, { kind: "pick" }> {
  const verbOn = (name: string) => (item: PickItem) => item.command.replace(/^\/queue edit/, `/queue ${name}`);
  const newest = waiting.at(-1);
  return {
    kind: "pick",
    title: "Prompts that wait",
    items: waiting.map((each) => ({
      command: `/queue edit ${each.id}`,
      label: each.summary,
      detail: each.held === undefined ? waits(each) : `held: ${each.held}`,
      facts: [each.held === undefined ? waits(each) : "held", ageOf(each.queuedAt, context.now())],
    })),
    empty: "Nothing waits.",
    ...(newest && { selected: `/queue edit ${newest.id}` }),
    enter: "edits",
    keys: [
      { chord: "delete", does: "del drops", command: verbOn("drop") },
      { chord: "alt+up", does: "alt+↑↓ moves", command: verbOn("up") },
      { chord: "alt+down", command: verbOn("down") },
      ...(context.runner.isRunning
        ? [{ chord: "ctrl+s", does: "ctrl+s steers", command: verbOn("steer") } as const]
        : []),
      ...(waiting.some(({ held }) => held !== undefined)
        ? [{ chord: "ctrl+r", does: "ctrl+r runs", command: verbOn("run") } as const]
        : []),
    ],
    printed: () => Promise.resolve(print()),
  };
}

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
      await context.runner.tellQueue();
      return result;
    },
  });
}

/** What goes into the turn that runs is first. */
async function waitingRows({ db, runner }: CommandContext): Promise<readonly Admission[]> {
  const waiting = (await db.openAdmissions(runner.session.conversation)).filter(({ status }) => status === "queued");
  return [...waiting.filter(({ kind }) => kind === "steer"), ...waiting.filter(({ kind }) => kind !== "steer")];
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
    const edits = { admission: row.id, text: old };
    return { kind: "prefill", text: `/queue edit ${row.id} ${quoteWord(old)}`, lines: [], edits };
  }
  const old = row.payload.prompt;
  const files = old
    .filter((part) => part.kind === "file")
    .filter((file) => isNamedIn(file, [{ kind: "text", text }]) || !isNamedIn(file, old));
  if (imagesIn(text).some(({ hash }) => files.every(({ blob }) => blob !== hash)))
    return usage("An image can only come with a prompt that is sent, not with one that waits already.");
  // A prompt does not become a command by the way: what runs in the shell is typed as such.
  const typed = row.kind === "shell" ? typedPrompt(text) : undefined;
  const edited = await context.runner.edit(row, { prompt: typed ?? [{ kind: "text", text } as const, ...files] });
  return lines(`${row.id} is now ${edited.id}: ${edited.summary}`, { admission: edited.id, replaces: row.id });
}

function move(by: -1 | 1): OnRow {
  return async (context, row) => {
    if (!row) return usage("<id> is missing.");
    const waiting = await waitingRows(context);
    const at = waiting.findIndex(({ id }) => id === row.id);
    const [over, before] = [waiting[at + by], by === -1 ? waiting[at - 1] : waiting[at + 2]];
    if (!over) return lines(`${row.id} is the ${by === -1 ? "first" : "last"} already.`, { admission: row.id });
    await context.db.reorder(row.id, before?.id);
    const told = `${row.id} goes ${by === -1 ? "before" : "after"} ${over.id} now.`;
    return lines(told, { admission: row.id, ...(by === -1 ? { before: over.id } : { after: over.id }) });
  };
}

async function steer(context: CommandContext, row: Admission | undefined): Promise<CommandResult> {
  const asked = row ?? (await waitingRows(context)).findLast(({ kind }) => kind !== "steer");
  if (!asked) return lines("Nothing waits.");
  if (asked.kind === "steer") return lines(`${asked.id} steers the turn that runs already.`, { admission: asked.id });
  const edited = await context.runner.edit(asked, { steers: true });
  const json = { admission: edited.id, replaces: asked.id };
  if (edited.kind === "steer") return lines(`The turn is told before its next request: ${edited.summary}`, json);
  return lines(`Nothing runs that it could steer: it is the next prompt. ${edited.summary}`, json);
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
