// What a kill has hit, judged by what lies there right after it: the ledger, what the killed process had printed,
// and how much of its answer the model had sent.
import type { Line } from "./driver.ts";
import type { Look, SeenTurn } from "./look.ts";

export const HITS = ["streaming", "command", "file write", "undo", "settle", "recovery", "other"] as const;
export type Hit = (typeof HITS)[number];

export interface Killed {
  readonly args: readonly string[];
  readonly lines: readonly Line[];
  readonly look: Look;
  /** The model had sent a last answer to its end since this process began. */
  readonly gotFinal: boolean;
}

export function hitOf(killed: Killed): Hit {
  const { args, lines, look } = killed;
  const [command, verb] = args;
  const isOver = lines.some(({ type }) => type === "turn-settled");
  if (command === "undo" || command === "redo") return lines.length === 0 ? "undo" : "other";
  const turn = look.turns.at(-1);
  if (command === "recover" && (lines.length > 0 || turn === undefined)) return "other";
  const isTurn = command === "run" || (verb === "resume" && turn?.status === "started" && turn.attempts > 1);
  if (!isTurn) return "recovery";
  return isOver || turn === undefined ? "other" : hitOfTurn(killed, turn);
}

function hitOfTurn({ look, gotFinal }: Killed, turn: SeenTurn): Hit {
  if (turn.status === "terminal" || (turn.status === "started" && gotFinal)) return "settle";
  if (turn.status !== "started") return "other";
  const running = look.calls.find((call) => call.turn === turn.id && call.state === "running");
  if (running?.tool === "shell") return "command";
  if (running?.effect === "reversible") return "file write";
  return turn.asks === 1 && running === undefined ? "streaming" : "other";
}
