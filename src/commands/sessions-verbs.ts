// /sessions rename, pin, hide, archive, delete: what the commands of the same names do, to a session that is named.

import { hasFlag } from "./args.ts";
import { type Command, type CommandArgs, defineCommand, type FreeCommand } from "./command.ts";
import { deleteConversation } from "./delete.ts";
import { findSession } from "./find-session.ts";
import { FLAGS, setFlag } from "./flags.ts";
import { setTitle } from "./title.ts";

const SESSION = {
  name: "session",
  help: "id, prefix, title or number of the list just shown",
  required: true,
} as const;

const renameVerb = defineCommand({
  name: "rename",
  summary: "give a conversation a title",
  example: '/sessions rename parser "faster parser"',
  args: [SESSION, { name: "title", help: "the new title", required: true, rest: true }],
  during: "any",
  needsNoSession: true,
  async run({ words: [asked = "", title = ""] }, context) {
    const found = await findSession(context, asked, "/sessions rename");
    return found.ok ? setTitle(context, found.session, title) : found.result;
  },
});

const deleteVerb = defineCommand({
  name: "delete",
  summary: "delete a conversation",
  example: "/sessions delete parser --yes",
  args: [SESSION],
  flags: [{ name: "yes", help: "without asking" }],
  during: "any",
  needsNoSession: true,
  async run(args, context) {
    const found = await findSession(context, args.words[0] ?? "", "/sessions delete");
    if (!found.ok) return found.result;
    return deleteConversation(context, found.session, {
      isSure: hasFlag(args, "yes"),
      command: `/sessions delete ${found.session.id} --yes`,
    });
  },
});

function flagVerb({ name, summary, flag, words }: (typeof FLAGS)[number]): FreeCommand {
  return defineCommand({
    name,
    summary,
    example: `/sessions ${name} parser`,
    args: [SESSION],
    flags: [{ name: "off", help: "take the flag away" }],
    during: "any",
    needsNoSession: true,
    async run(args: CommandArgs, context) {
      const found = await findSession(context, args.words[0] ?? "", `/sessions ${name}`);
      if (!found.ok) return found.result;
      return setFlag(context, found.session, { flag, words, isOn: !hasFlag(args, "off") });
    },
  });
}

export const SESSION_VERBS: readonly Command[] = [renameVerb, ...FLAGS.map(flagVerb), deleteVerb];
