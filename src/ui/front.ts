// What the status line has to know of what is in front: whether escape stops the turn now, or means something else, and
// that a question stands behind what is open, where nobody sees it. Pure.
import type { ModalView } from "./screen-view.tsx";

export interface Front {
  readonly escapeStops: boolean;
  /** That a question waits behind, the longest words first. */
  readonly asks?: readonly string[];
}

export function frontOf(options: {
  /** In front first. */
  readonly open: readonly Pick<ModalView, "kind">[];
  /** Escape has something else to do: it closes a menu, unmarks, or goes back to choices. */
  readonly isTaken: boolean;
}): Front {
  const { open, isTaken } = options;
  const [front, ...behind] = open;
  const escapeStops = !isTaken && (front === undefined || front.kind === "approval");
  return behind.some(isQuestion) && front ? { escapeStops, asks: wordsOf(front) } : { escapeStops };
}

/** Escape goes back to the choices. */
export function isWriting(view: ModalView): boolean {
  return view.kind === "approval" && view.state.writing !== undefined;
}

function isQuestion({ kind }: Pick<ModalView, "kind">): boolean {
  return kind !== "picker" && kind !== "history" && kind !== "wait";
}

function wordsOf({ kind }: Pick<ModalView, "kind">): readonly string[] {
  const isList = kind === "picker" || kind === "history";
  return isList ? ["it asks: esc, then answer", "asks: esc"] : ["it asks more after this", "asks more"];
}
