// Asks about what a crash left, turn by turn, and does what was chosen through the commands; after each one the turn
// is looked at anew, so that what is offered is what is there now.
import type { CommandResult } from "../commands/command.ts";
import { readTurn } from "../commands/look-again.ts";
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
  /** What has ended since the turn was read; undefined when nothing has. */
  look(turn: OpenTurn): Promise<OpenTurn | undefined>;
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
    const choice = await askDecision(screen, state, (seen) => host.look(seen));
    if (choice.kind === "look") {
      state = openDecision(await readTurn(turn, db));
      screen.print({ kind: "lines", lines: turnDetails(state.turn), role: "muted" });
      continue;
    }
    if (choice.kind !== "run") return "later";
    if (choice.resumes) await host.goTo(turn);
    await host.run(choice.command, withoutNext);
    const now = await readTurn(turn, db);
    if (now.admission.status === "terminal") return "settled";
    if (now.admission.status === "started") return "resumed";
    state = openDecision(now);
  }
}

/** What to type next is offered as a choice right below. */
function withoutNext(result: CommandResult): CommandResult {
  if (result.kind !== "lines") return result;
  return { ...result, lines: result.lines.map((line) => line.replace(/ Next: \/recover .*$/, "")) };
}
