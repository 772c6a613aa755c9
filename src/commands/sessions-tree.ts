// /sessions tree: the conversations that grew out of one root, each with its fork and its head, and what was undone.
// People see a compacted conversation as one; JSON has its closed sessions too.
import { defineCommand } from "./command.ts";
import { findSession } from "./find-session.ts";
import { printTree } from "./pick-tree.ts";

export const sessionsTreeCommand = defineCommand({
  name: "tree",
  summary: "the branches of a conversation",
  example: "/sessions tree parser",
  args: [{ name: "session", help: "id, prefix, title or number of the list just shown", required: true }],
  during: "any",
  needsNoSession: true,
  async run(args, context) {
    const found = await findSession(context, args.words[0] ?? "", "/sessions tree");
    return found.ok ? printTree(context, found.session.id) : found.result;
  },
});
