// /new: a fresh conversation; the old one stays as it is.
import { defineCommand } from "./command.ts";

export const newCommand = defineCommand({
  name: "new",
  aliases: ["clear"],
  summary: "begin a new conversation; the old one stays",
  example: "/new release notes",
  args: [{ name: "title", help: "its title", rest: true }],
  during: "idle",
  screenOnly: true,
  async run({ words: [title] }, { db, runner, newSession }) {
    const old = runner.session;
    const wanted = await newSession({ openedByNew: true, ...(title !== undefined && { title }) });
    const session = await db.createSession(wanted);
    // Another window may have deleted it.
    const isThere = old.messages > 0 && (await db.resolveSession(old.id)).kind === "found";
    const back = isThere ? [`The old one: /resume ${old.id}`] : [];
    return { kind: "open-session", session, resumed: false, lines: ["A new conversation.", ...back] };
  },
});
