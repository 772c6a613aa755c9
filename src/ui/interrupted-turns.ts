// Asks about what a crash left, turn by turn, and does what was chosen through the commands; after each one the turn
// is looked at anew, so that what is offered is what is there now.
import type { CommandResult } from "../commands/command.ts";
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { OpenTurn } from "../ledger/recovery.ts";
import { note } from "./block.ts";
import { errorWords } from "./error-words.ts";
import type { Screen } from "./live-screen.ts";
import { askDecision } from "./modals.ts";
import { type DecideState, openDecision, ownTurns } from "./recovery.ts";
import { turnDetails } from "./recovery-lines.ts";

export interface DecideHost {
  readonly screen: Screen;
  readonly db: Pick<AsyncSessionDB, "admission" | "callsOf" | "canonical" | "drafts">;
  /** Never rejects. */
  run(command: string, edit: (result: CommandResult) => CommandResult): Promise<unknown>;
  /** A turn goes on where it is watched, and where its questions can be asked. */
  goTo(turn: OpenTurn): Promise<void>;
}

/** Never rejects. One after the other; a turn that is resumed is watched first, the others wait for /recover. */
export async function decideAll(open: readonly OpenTurn[], host: DecideHost): Promise<void> {
  const own = ownTurns(open);
  const others = open.length - own.length;
  if (others > 0) host.screen.print(note(`${others} ${others === 1 ? "turn runs" : "turns run"} elsewhere.`));
  for (const [index, turn] of own.entries()) {
    const end = await decideTurn(turn, host).catch((error: unknown) => {
      host.screen.print(note(errorWords(error), "error"));
      return "later" as const;
    });
    if (end !== "resumed") continue;
    const left = own.length - index - 1;
    if (left > 0) host.screen.print(note(`${left} more interrupted: /recover`));
    return;
  }
}

async function decideTurn(turn: OpenTurn, host: DecideHost): Promise<"resumed" | "settled" | "later"> {
  const { screen, db } = host;
  let state: DecideState = openDecision(turn);
  for (;;) {
    const choice = await askDecision(screen, state);
    if (choice.kind === "look") {
      screen.print({ kind: "lines", lines: turnDetails(state.turn), role: "muted" });
      continue;
    }
    if (choice.kind !== "run") return "later";
    if (choice.resumes) await host.goTo(turn);
    await host.run(choice.command, withoutNext);
    const now = await lookAgain(turn, db);
    if (now.admission.status === "terminal") return "settled";
    if (now.admission.status === "started") return "resumed";
    state = openDecision(now);
  }
}

async function lookAgain({ admission: { id, conversation } }: OpenTurn, db: DecideHost["db"]): Promise<OpenTurn> {
  const [admission, calls, session, drafts] = await Promise.all([
    db.admission(id),
    db.callsOf(id),
    db.canonical(conversation),
    db.drafts(conversation),
  ]);
  // A half answer to what is no longer the end of the conversation cannot be kept.
  const draft = drafts.find((each) => each.kind === "answer" && each.admission === id && each.parent === session.head);
  return { admission, calls, session, ...(draft && { draft }) };
}

/** What to type next is offered as a choice right below. */
function withoutNext(result: CommandResult): CommandResult {
  if (result.kind !== "lines") return result;
  return { ...result, lines: result.lines.map((line) => line.replace(/ Next: \/recover .*$/, "")) };
}
