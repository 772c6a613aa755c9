// /title: shows or sets the title. A person's word stands above what was derived.
import type { Session, TitleSource } from "../ledger/types.ts";
import { type CommandResult, defineCommand, type FreeContext } from "./command.ts";
import { lines } from "./results.ts";

const SOURCES: Readonly<Record<TitleSource, string>> = {
  derived: "derived",
  model: "by the model",
  person: "by you",
};

export const titleCommand = defineCommand({
  name: "title",
  summary: "show or set the title",
  example: "/title faster parser",
  args: [{ name: "text", help: "the new title", rest: true }],
  during: "any",
  async run({ words: [text] }, context) {
    const { session } = context.runner;
    if (text !== undefined) return setTitle(context, session, text);
    const { id, title, titleSource } = session;
    if (title === undefined) return lines("No title yet: the first prompt gives one.", { session: id });
    const source = titleSource ? ` (${SOURCES[titleSource]})` : "";
    return lines(`${title}${source}`, { session: id, title, ...(titleSource && { titleSource }) });
  },
});

export async function setTitle(context: FreeContext, session: Session, text: string): Promise<CommandResult> {
  const { db, runner } = context;
  await db.setTitle(session.id, text, "person");
  const { title, titleSource } = await db.session(session.id);
  if (runner?.session.conversation === session.conversation) await runner.refresh();
  return lines(`The title is now “${title}”.`, { session: session.id, title, titleSource });
}
