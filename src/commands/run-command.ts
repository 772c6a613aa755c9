// Runs a parsed command. A command that needs rest is refused while a turn runs; what the ledger says about
// wrong words or a busy file becomes a result. Everything else it throws is for the front end.
import { sentences } from "../agent/sentences.ts";
import { LedgerError } from "../ledger/errors.ts";
import type { Command, CommandArgs, CommandContext, CommandResult, FreeContext } from "./command.ts";
import { runningHere } from "./results.ts";

export async function runCommand(
  { command, args }: { readonly command: Command; readonly args: CommandArgs },
  context: FreeContext,
): Promise<CommandResult> {
  // A prompt that was sent just before it counts, though its turn has not begun.
  if (command.during === "idle" && (await context.runner?.isBusy()))
    return { kind: "refused", why: runningHere(), code: "busy" };
  try {
    if (command.needsNoSession) return await command.run(args, context);
    if (!hasRunner(context)) return { kind: "usage", message: `Name a conversation: ${command.name} -r ID, or -c.` };
    return await command.run(args, context);
  } catch (error) {
    const result = error instanceof LedgerError ? expected(error) : undefined;
    if (!result) throw error;
    return result;
  }
}

function hasRunner(context: FreeContext): context is CommandContext {
  return context.runner !== undefined;
}

function expected({ code, message, hint }: LedgerError): CommandResult | undefined {
  switch (code) {
    case "not_found":
    case "bad_input":
    case "illegal_edge":
    case "admission_conflict":
    case "compression_closed":
      return { kind: "usage", message, hint, code };
    case "ledger_busy":
    case "lease_lost":
      return { kind: "refused", why: sentences(message, hint), code: "busy" };
    case "stale_head":
      return { kind: "refused", why: sentences(message, hint), code: "conflict" };
    default:
      return undefined;
  }
}
