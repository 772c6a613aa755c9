// Finds out whether a shell command happened that left no exit record, for the few commands whose effect can be looked
// up. It never runs the command, never guesses and never throws: what is not proven is unknown. A further kind of
// command is one more reader in the list.
import { ghPrCreateReader } from "./gh-pr-create.ts";
import { gitCommitReader } from "./git-commit.ts";
import { gitPushReader } from "./git-push.ts";
import { cannotBeRead, type ReadBack, type ReadContext, type Reader, unknown } from "./reader.ts";
import { simpleCommand } from "./simple-command.ts";

const READERS: readonly Reader[] = [gitCommitReader, gitPushReader, ghPrCreateReader];

/** `context.cwd` is where the shell started. Each program that is asked gets 10 s. */
export async function readBackCommand(command: string, context: ReadContext): Promise<ReadBack> {
  const simple = simpleCommand(command, context.cwd);
  const reader = simple && READERS.find((one) => one.matches(simple.words));
  if (!simple || !reader) return cannotBeRead();
  try {
    return await reader.read(simple.words, { ...context, cwd: simple.cwd });
  } catch (error) {
    // Whatever keeps a reader from looking, recovery goes on: not seen is unknown.
    return unknown(`it could not be looked up: ${error instanceof Error ? error.message : String(error)}`);
  }
}
