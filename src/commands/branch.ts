// /branch: a new session from here or from an earlier message, and on the screen one goes there.
import type { MessageId } from "../ledger/types.ts";
import { countFlag } from "./args.ts";
import { defineCommand } from "./command.ts";
import { turnPick } from "./pick-turn.ts";
import { lines, nameOf, refused, usage } from "./results.ts";
import { quoteWord } from "./words.ts";

export const branchCommand = defineCommand({
  name: "branch",
  aliases: ["fork"],
  summary: "a new conversation from here or from an earlier message",
  example: "/branch another way --at 6",
  args: [{ name: "title", help: "its title", rest: true }],
  flags: [{ name: "at", help: "the message to branch at", value: "number", isChosen: true }],
  during: "idle",
  async run(args, context) {
    const { db, runner, surface } = context;
    const at = countFlag(args, "at");
    if (!at.ok) return usage(at.problem);
    const [title] = args.words;
    if (args.flags["at"] === true) {
      if (surface === "argv") return usage("--at needs a value.", "The messages: stele sessions show ID --json");
      const words = title === undefined ? "" : ` -- ${quoteWord(title)}`;
      const command = ({ last }: { last: number }) => `/branch --at ${last}${words}`;
      return turnPick(context, { title: "Branch after which turn?", command, enter: "branches after it" });
    }
    const result = await db.branch(runner.session.id, {
      ...(at.value !== undefined && { at: at.value as MessageId }),
      ...(title !== undefined && { title }),
    });
    if (result.kind !== "branched") return refused(result, context);
    const { session } = result;
    const { id, parent, forkMessage } = session;
    const from = forkMessage === undefined ? "the beginning" : `message ${forkMessage}`;
    const told = `“${nameOf(session)}” branches from ${from} of ${parent}.`;
    if (surface === "argv") return lines([told, id], { session: id, parent, forkMessage });
    const where = at.value === undefined ? "" : ` from ${from} on`;
    const branched = `“${nameOf(session)}” is a branch of “${nameOf(runner.session)}”${where}, which stays as it is.`;
    return { kind: "open-session", session, resumed: true, lines: [branched, `Back: /resume ${parent}`] };
  },
});
