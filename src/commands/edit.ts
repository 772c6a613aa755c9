// /edit: an earlier prompt to be changed and asked again, from where it stood. The head goes back as in an undo, files
// too, and its text is in the composer as it was typed; what came after it stays an end of the tree.
import type { MessageId } from "../ledger/types.ts";
import { countFlag, countWord, hasFlag } from "./args.ts";
import { type CommandArgs, type CommandContext, type CommandResult, defineCommand } from "./command.ts";
import { turnPick } from "./pick-turn.ts";
import { counted, usage } from "./results.ts";
import { takeTurns, turnsTo } from "./undo.ts";

export const editCommand = defineCommand({
  name: "edit",
  summary: "change an earlier prompt and go on from there",
  example: "/edit 2",
  args: [{ name: "turn", help: "the how many newest one; alone: choose" }],
  flags: [
    { name: "chat", help: "only the conversation; files stay" },
    { name: "yes", help: "without the preview of the files" },
    { name: "at", help: "the prompt that is this message", value: "number" },
  ],
  during: "idle",
  screenOnly: true,
  run: edit,
});

async function edit(args: CommandArgs, context: CommandContext): Promise<CommandResult> {
  const [turn, at] = [countWord(args.words[0], "turn"), countFlag(args, "at")];
  if (!turn.ok) return usage(turn.problem);
  if (!at.ok) return usage(at.problem);
  if (turn.value !== undefined && at.value !== undefined) return usage("Say which turn or --at, not both.");
  if (turn.value === undefined && at.value === undefined) return pickPrompt(args, context);
  const { db, runner } = context;
  const session = await db.session(runner.session.id);
  const turns = turn.value ?? (await turnsTo(context, session, at.value as MessageId));
  if (turns === undefined) return usage(`Message ${at.value} begins no turn of this conversation.`, "See: /edit");
  if (session.turns === 0) return usage("There is no prompt yet to edit.");
  if (turns > session.turns) return usage(`There are only ${counted(session.turns, "turn")} here.`, "See: /edit");
  const number = session.turns - turns + 1;
  return takeTurns(context, session, {
    ...{ turns, isChat: hasFlag(args, "chat"), isFiles: false, takesSuspected: false, isSure: hasFlag(args, "yes") },
    title: `Edit the prompt of turn ${number}, and take back what was done to these files since?`,
    isExact: true,
    told: (taken) => editedWords(number, taken),
  });
}

function editedWords(number: number, turns: number): string {
  const kept = turns === 1 ? "Its answer is" : `It and the ${counted(turns - 1, "turn")} after it are`;
  return `Turn ${number} is to be asked anew: change it and send it. ${kept} kept: /redo, or /tree`;
}

function pickPrompt(args: CommandArgs, context: CommandContext): Promise<CommandResult> {
  const others = ["chat", "yes"].filter((flag) => hasFlag(args, flag)).map((flag) => ` --${flag}`);
  return turnPick(context, {
    title: "Edit which prompt?",
    command: ({ first }) => `/edit --at ${first}${others.join("")}`,
    enter: "edits it",
  });
}
