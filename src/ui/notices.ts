// What the program and the terminal tell each other beside keys and frames: background, title, focus, calls for
// attention. In lines there are no such questions and no title, only a bell.
import type { ThemeName } from "../config/config.ts";
import { Attention } from "./attention.ts";
import { BackgroundQuestion, mayAsk } from "./background.ts";
import type { Screen } from "./live-screen.ts";
import { themeFor } from "./locale.ts";
import type { Background } from "./palette.ts";
import type { Booted, ScreenStart } from "./screen-start.ts";
import { showsTitle, TerminalExtras } from "./terminal-extras.ts";
import { wantsColor } from "./theme.ts";

export class Notices {
  readonly extras: TerminalExtras;
  readonly #screen: Screen;
  readonly #start: Pick<ScreenStart, "env" | "folder" | "lines">;
  readonly #question: BackgroundQuestion;
  #background: Background | undefined;
  /** Of the config; absent before it is read. */
  #theme: ThemeName | undefined;
  #attention: Attention | undefined;

  constructor(screen: Screen, start: Pick<ScreenStart, "env" | "folder" | "lines">) {
    this.#screen = screen;
    this.#start = start;
    this.extras = new TerminalExtras((text) => process.stdout.write(text));
    this.#question = new BackgroundQuestion((background) => {
      this.#background = background;
      if (this.#theme === undefined) return;
      this.#paintIn(this.#theme);
      screen.paint();
    });
  }

  /** Behind the first frame. */
  ask(): void {
    const { env, lines } = this.#start;
    if (!lines && mayAsk(env) && wantsColor(env)) this.#question.ask(process.stdout);
  }

  /** Resolves when no answer is on its way any more. */
  settled(): Promise<void> {
    return this.#question.settled();
  }

  see(bytes: Uint8Array): void {
    this.#question.see(bytes);
    this.extras.see(bytes);
  }

  touched(): void {
    this.#attention?.touched();
  }

  /** The config is read. */
  begin({ theme, motion, title, notify }: Booted["display"]): void {
    const { env, folder, lines } = this.#start;
    const screen = this.#screen;
    screen.motion = motion;
    this.#paintIn(theme);
    if (notify !== "off" && !lines) this.extras.watchFocus();
    const attention = new Attention({
      extras: this.extras,
      write: (text) => process.stdout.write(text),
      env: lines ? { TERM: "dumb" } : env,
      folder,
      title: title && !lines && showsTitle(env),
      notify,
    });
    this.#attention = attention;
    const before = screen.onPainted;
    screen.onPainted = () => {
      before();
      attention.look(screen.view, screen.modal, screen.theme.glyphs);
    };
  }

  #paintIn(name: ThemeName): void {
    this.#theme = name;
    const { pageKey } = this.#screen.keymap;
    this.#screen.theme = { ...themeFor(this.#start.env, { name, background: this.#background }), pageKey };
  }
}
