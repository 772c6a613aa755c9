// Images in the text being written: a pasted path and an `@path` of an image file become the image, once it is read and
// kept. Until then, and where it is none, the text stands as it was written. Enter waits for what is being read.
import { mentionedPaths, type NamedPath, pastedPaths } from "../agent/images/image-paths.ts";
import type { ImageShelf } from "../agent/images/image-shelf.ts";
import { note } from "./block.ts";
import { type Buffer, bufferLines, type Line } from "./composer-buffer.ts";
import type { KeyEvent } from "./key-event.ts";
import type { Screen } from "./live-screen.ts";
import { shellMode } from "./shell-mode.ts";

export interface ImageInputOptions {
  readonly screen: Screen;
  readonly shelf: Pick<ImageShelf, "attach">;
  readonly cwd: () => string;
}

export class ImageInput {
  readonly #options: ImageInputOptions;
  #reading = 0;
  #work: Promise<void> = Promise.resolve();
  /** Those that are no image, or too large, as they stand in the text: not read again for every key. */
  readonly #left = new Set<string>();

  constructor(options: ImageInputOptions) {
    this.#options = options;
  }

  /** A key was written into the composer, or an entry of its menu was taken. */
  wrote(event?: KeyEvent): void {
    const { composer } = this.#options.screen;
    const pasted = event?.kind === "paste" ? event.text : undefined;
    if (shellMode(composer.buffer) || isCommandLine(composer.buffer, pasted)) return;
    if (event?.kind === "paste") return this.#attach(pastedPaths(event.text));
    const { line, column } = composer.buffer;
    if (line[column - 1] !== " " && line[column - 1] !== undefined) return;
    this.#attach(mentionedPaths(typed(line.slice(0, column))).filter(({ text }) => !this.#left.has(text)));
  }

  /** What is left to be done before the text can be sent; undefined: nothing. `isRefused` when it must not be. */
  beforeSending(): Promise<{ readonly isRefused: boolean }> | undefined {
    const { screen } = this.#options;
    if (shellMode(screen.composer.buffer)) return undefined;
    const text = bufferLines(screen.composer.buffer).map(typed).join("\n");
    const named = text.startsWith("/") ? [] : mentionedPaths(text);
    if (named.length === 0 && this.#reading === 0) return undefined;
    return this.#work.then(() => this.#attachAll(named)).then((isRefused) => ({ isRefused }));
  }

  /** Of a text that comes as a line, and is not seen while it is written. */
  async inLine(text: string): Promise<{ readonly text: string } | { readonly why: string }> {
    const { shelf, cwd } = this.#options;
    let result = text;
    for (const named of mentionedPaths(text)) {
      const attached = await shelf.attach(cwd(), named.path);
      if (attached.kind === "refused") return { why: attached.why };
      if (attached.kind === "attached") result = result.replace(named.text, () => attached.image.token);
    }
    return { text: result };
  }

  #attach(named: readonly NamedPath[]): void {
    if (named.length === 0) return;
    this.#reading += 1;
    this.#work = this.#work
      .then(() => this.#attachAll(named))
      .then(() => {
        this.#reading -= 1;
      });
  }

  /** True: one of them cannot be sent, and that was said. Never rejects. */
  async #attachAll(named: readonly NamedPath[]): Promise<boolean> {
    const { screen, shelf, cwd } = this.#options;
    let isRefused = false;
    for (const { text, path } of named) {
      const attached = await shelf.attach(cwd(), path);
      if (attached.kind === "attached") screen.compose({ type: "attach", text, image: attached.image });
      else this.#left.add(text);
      if (attached.kind === "refused") {
        const hint = text.startsWith("@") ? " Without the @ only its path is sent." : "";
        screen.print(note(attached.why + hint, "warning"));
        isRefused = true;
      }
    }
    screen.paint();
    return isRefused;
  }
}

/** The words of a command stay words; a path that is all there is begins with a slash too. */
function isCommandLine({ above, line }: Buffer, pasted: string | undefined): boolean {
  return above === undefined && line[0] === "/" && typed(line).trim() !== pasted?.trim();
}

/** A paste that is folded names nothing: nobody sees what is in it. */
function typed(line: Line): string {
  return line.map((cell) => (typeof cell === "string" ? cell : "\0")).join("");
}
