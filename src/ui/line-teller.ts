// What a screen that cannot be painted over says: every finished block and every change of what goes on, as a line of
// its own, once, in words. Nothing moves, nothing is drawn again. Remembers what it said, and nothing else.
import { shownImages } from "../agent/images/image-text.ts";
import type { AdmissionId } from "../ledger/types.ts";
import { type Block, madeCall } from "./block.ts";
import { compactingWords } from "./compaction-words.ts";
import { type ComposerState, composerText } from "./composer-state.ts";
import { questionWords } from "./line-questions.ts";
import { blockWords, callWords, oneLine, textWords } from "./line-words.ts";
import { awaitedWords, elsewhereWords } from "./live-lines.ts";
import type { Modal } from "./live-screen.ts";
import { waitWords } from "./retry-words.ts";
import { savingOf } from "./saving.ts";
import { elapsed } from "./tool-lines.ts";
import type { ViewState } from "./view-state.ts";

export interface Telling {
  readonly view: ViewState;
  /** Finished since the last time. */
  readonly blocks: readonly Block[];
  readonly composer: ComposerState;
  readonly modal: Modal | undefined;
}

/** Rows that a prompt may think it has: nothing of it is ever cut. */
export const lineRows = 1_000_000;

export class LineTeller {
  readonly rows = lineRows;
  #view: ViewState | undefined;
  #buffer: ComposerState["buffer"] | undefined;
  #modal: Modal | undefined;
  #question = "";
  #isBroken = false;
  #untold = 0;
  /** Of the turn that runs, or of the one that just ended. */
  #turn: { readonly admission: AdmissionId; readonly since: number } | undefined;

  /** What is new, each line ended; "" when nothing is. */
  tell({ view, blocks, composer, modal }: Telling): string {
    const before = this.#view;
    this.#view = view;
    const lines = [
      ...blocks.flatMap(blockWords),
      ...this.#turnWords(view),
      ...(before ? changeWords(before, view) : ["opening the ledger"]),
      ...this.#unsentWords(composer),
      ...this.#questionWords(modal),
    ];
    if (lines.length === 0) return "";
    const end = this.#isBroken ? "\n" : "";
    this.#isBroken = false;
    return end + lines.map((line) => `${line}\n`).join("");
  }

  /** The terminal has echoed a key that ends no line. */
  breakLine(): void {
    this.#isBroken = true;
  }

  /** A turn may be over before it was ever told. */
  hear(event: { readonly type: string; readonly admission?: unknown }): void {
    if (event.type === "turn-settled" && event.admission !== this.#turn?.admission) this.#untold += 1;
  }

  /** This text was just typed: its echo stands there already. */
  knows({ buffer }: ComposerState): void {
    this.#buffer = buffer;
  }

  /** What waits for an answer is said again by the next `tell`. */
  askAgain(): void {
    this.#modal = undefined;
  }

  #turnWords(view: ViewState): readonly string[] {
    const { turn } = view;
    const last = this.#turn;
    const saved = view.problem ? `NOT SAVED: ${oneLine(view.problem.message)}` : "saved";
    const untold = Array.from({ length: this.#untold }, () => `turn ended, ${saved}`);
    this.#untold = 0;
    if (last?.admission === turn?.admission) return untold;
    this.#turn = turn && { admission: turn.admission, since: turn.since };
    const ended = last ? [`turn ended after ${elapsed(view.now - last.since)}, ${saved}`, ...untold] : untold;
    return turn ? [...ended, "working"] : ended;
  }

  #unsentWords(composer: ComposerState): readonly string[] {
    if (composer.buffer === this.#buffer) return [];
    this.#buffer = composer.buffer;
    const text = shownImages(composerText(composer));
    if (text.trim() === "") return [];
    const [first = "", ...more] = textWords(text);
    return [`not sent: ${first}`, ...more, "type /send to send it, /drop to drop it, or another line"];
  }

  #questionWords(modal: Modal | undefined): readonly string[] {
    if (!modal) {
      this.#modal = undefined;
      return [];
    }
    const words = questionWords(modal.view);
    const question = words.join("\n");
    if (modal === this.#modal && question === this.#question) return [];
    this.#modal = modal;
    this.#question = question;
    return words;
  }
}

function changeWords(before: ViewState, view: ViewState): readonly string[] {
  const changed = (words: (state: ViewState) => string | undefined): readonly string[] => {
    const now = words(view);
    return now === undefined || now === words(before) ? [] : [now];
  };
  return [
    ...(before.phase !== view.phase || before.session?.id !== view.session?.id ? readyWords(view) : []),
    ...(before.phase === "open" && view.mode !== before.mode ? [`approval mode: ${view.mode}`] : []),
    ...queueWords(before, view),
    ...callsWords(before, view),
    ...changed(({ turn }) => (turn?.isStopping === true ? "stopping" : undefined)),
    ...changed(({ turn }) => turn?.retry && waitWords(turn.retry)),
    ...changed(({ turn }) => turn?.compaction && compactingWords(turn.compaction)),
    ...changed(awaitedWords),
    ...changed((state) =>
      elsewhereWords(state) === undefined ? undefined : `this conversation is ${elsewhereWords(state)}`,
    ),
    ...changed(({ blocked }) =>
      blocked === undefined ? undefined : "an interrupted turn waits for your decision: /recover",
    ),
    ...(before.problem && !view.problem && savingOf(view).kind === "saved" ? ["saved again"] : []),
    ...changed(({ notice }) => notice && oneLine(notice)),
    ...changed(({ phase }) => (phase === "closing" ? "closing" : undefined)),
  ];
}

function readyWords({ phase, session, mode }: ViewState): readonly string[] {
  if (phase !== "open" || !session) return [];
  const title = session.title === undefined ? "new conversation" : `conversation ${oneLine(session.title)}`;
  const asks = mode === "ask" ? "" : `, approval mode ${mode}`;
  return [`ready: ${title}, model ${oneLine(session.route.model)}${asks}. Type a prompt, or ? for help`];
}

/** Only what does not begin at once. */
function queueWords(before: ViewState, view: ViewState): readonly string[] {
  const isHeldUp = view.turn !== undefined || view.blocked !== undefined || view.awaited !== undefined;
  const known = new Map(before.queue.map((each) => [each.id, each]));
  return view.queue.flatMap(({ id, text, held }) => {
    const old = known.get(id);
    if (held !== undefined) return old?.held === undefined ? [`held: ${oneLine(text)}, /queue run starts it`] : [];
    return old || !isHeldUp ? [] : [`waiting: ${oneLine(text)}`];
  });
}

function callsWords(before: ViewState, { turn }: ViewState): readonly string[] {
  const ran = new Set(before.turn?.calls.filter(({ call }) => call.state === "running").map(({ call }) => call.id));
  return (turn?.calls ?? [])
    .filter(({ call }) => call.state === "running" && !ran.has(call.id))
    .map(({ call }) => callWords(madeCall(call), "running"));
}
