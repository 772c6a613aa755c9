// Results that many commands end in, and the few phrases they share.
import { routeName } from "../agent/models/route-name.ts";
import { isThisProcess } from "../agent/who.ts";
import type { Refusal, Session } from "../ledger/types.ts";
import type { CommandResult, FreeContext } from "./command.ts";

type Usage = Extract<CommandResult, { kind: "usage" }>;
type Refused = Extract<CommandResult, { kind: "refused" }>;

export function usage(message: string, hint?: string): Usage {
  return { kind: "usage", message, ...(hint !== undefined && { hint }) };
}

export function lines(text: string | readonly string[], json?: object | readonly object[]): CommandResult {
  return { kind: "lines", lines: typeof text === "string" ? [text] : text, ...(json && { json }) };
}

/** A verb's refusal; the turn in the way is named also when it is this program's own. */
export function refused(refusal: Refusal, context: FreeContext): Refused {
  const { kind, why } = refusal;
  if (kind === "busy" && refusal.undecided)
    return { kind: "refused", why: `${why} See: ${called("recover", context)}`, code: "person" };
  if (kind !== "busy") return { kind: "refused", why, code: kind };
  const isOwn = refusal.holder ? isThisProcess(refusal.holder) : context.runner?.isRunning;
  return { kind: "refused", why: isOwn ? runningHere() : why, code: kind };
}

export function runningHere(): string {
  return `A turn is running here, in stele, pid ${process.pid}. Stop it first: esc, or /stop.`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** What a session is called where it has no title of its own. */
export function nameOf(session: Session): string {
  return session.title ?? (session.turns > 0 ? "(only commands)" : "(no prompt yet)");
}

export function modelOf({ route }: Pick<Session, "route">): string {
  return routeName(route);
}

/** What long work of a command is told about the person, and tells them. */
export function waitOf({ signal, onProgress }: FreeContext): Pick<FreeContext, "signal" | "onProgress"> {
  return { ...(signal && { signal }), ...(onProgress && { onProgress }) };
}

/** Words for a slash on the screen, for a subcommand without one: `/sessions` or `stele sessions`. */
export function called(command: string, { surface }: Pick<FreeContext, "surface">): string {
  return surface === "screen" ? `/${command}` : `stele ${command}`;
}
