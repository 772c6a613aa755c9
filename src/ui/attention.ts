// What calls a person back who looks away: the title of the window says whether a turn runs or asks, and a bell or a
// message on the desktop says when that changes. Only after ten seconds in which nobody typed, never to a window that is
// looked at, and with nothing in it but the conversation's title.
import type { NotifyName } from "../config/config.ts";
import type { AdmissionId } from "../ledger/types.ts";
import type { Modal } from "./live-screen.ts";
import { sanitize } from "./sanitize.ts";
import { type TerminalExtras, titleText } from "./terminal-extras.ts";
import { truncate } from "./text-width.ts";
import type { Glyphs } from "./theme.ts";
import type { ViewState } from "./view-state.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface AttentionOptions {
  readonly extras: Pick<TerminalExtras, "setTitle" | "isFocused">;
  readonly write: (text: string) => unknown;
  readonly env: Env;
  readonly folder: string;
  readonly title: boolean;
  readonly notify: NotifyName;
}

const quietMs = 10_000;

export class Attention {
  readonly #options: AttentionOptions;
  #turn: { readonly admission: AdmissionId; readonly since: number } | undefined;
  #asked: Modal | undefined;
  /** When a person was last here, or was last called. */
  #seenAt = 0;

  constructor(options: AttentionOptions) {
    this.#options = options;
  }

  /** A key came. */
  touched(): void {
    this.#seenAt = Date.now();
  }

  look(view: ViewState, modal: Modal | undefined, { ellipsis, running }: Glyphs): void {
    const asks = modal && isAsking(modal) ? modal : undefined;
    const last = this.#turn;
    const hasEnded = last !== undefined && last.admission !== view.turn?.admission && view.phase !== "closing";
    if (asks && asks !== this.#asked) this.#call(view, "asks", last?.since ?? view.turn?.since);
    else if (hasEnded) this.#call(view, "done", last.since);
    this.#asked = asks;
    this.#turn = view.turn && { admission: view.turn.admission, since: view.turn.since };
    if (!this.#options.title) return;
    const dot = ellipsis === "…" ? " · " : " - ";
    const words = [view.session?.title ?? "", this.#options.folder];
    this.#options.extras.setTitle(titleText({ mark: asks ? "?" : view.turn ? running : "", words, dot }));
  }

  #call(view: ViewState, what: "asks" | "done", since: number | undefined): void {
    const { extras, notify, write, env } = this.#options;
    const now = Date.now();
    if (notify === "off" || since === undefined || now - Math.max(since, this.#seenAt) < quietMs) return;
    this.#seenAt = now;
    if (extras.isFocused === true) return;
    write(notify === "bell" ? "\x07" : desktopMessage(`${what}: ${view.session?.title ?? "a conversation"}`, env));
  }
}

/** What a person opened by a command of their own calls nobody. */
function isAsking(modal: Modal): boolean {
  const { kind } = modal.view;
  return kind === "approval" || kind === "decide" || kind === "confirm";
}

const maxMessage = 120;

/** By the sequence that this terminal has for it; a bell where none is known, or where one would not come through. */
export function desktopMessage(text: string, env: Env): string {
  const words = truncate(sanitize(text).replaceAll(";", ","), maxMessage);
  const { TERM: term = "", TERM_PROGRAM: program = "" } = env;
  if (env["TMUX"] !== undefined || /^(?:screen|tmux|linux|dumb|$)/.test(term)) return "\x07";
  if (
    /^(?:iTerm\.app|WezTerm|ghostty|WarpTerminal)$/.test(program) ||
    /^(?:xterm-kitty|xterm-ghostty|wezterm)/.test(term)
  )
    return `\x1b]9;stele ${words}\x07`;
  if (/^(?:foot|rxvt-unicode)/.test(term) || env["VTE_VERSION"] !== undefined)
    return `\x1b]777;notify;stele;${words}\x07`;
  return "\x07";
}
