// ctrl+g: lends the terminal to the person's editor with the text being written, and takes both back. A turn goes on
// behind it; what it prints is on the screen afterwards.
import { composerText } from "./composer-state.ts";
import { editorOf, editText, noEditor } from "./external-editor.ts";
import type { Screen } from "./live-screen.ts";
import type { TerminalGuard } from "./terminal-guard.ts";

export interface EditOutside {
  readonly screen: Screen;
  readonly guard: Pick<TerminalGuard, "lend">;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends the editor. */
  readonly signal: AbortSignal;
  /** Stopped or killed together with the editor, the program has saved what is unsent. */
  readonly save: () => Promise<unknown>;
}

export async function editOutside({ screen, guard, env, signal, save }: EditOutside): Promise<void> {
  const tell = (text: string): void => screen.dispatch({ type: "notice", text });
  const editor = editorOf(env);
  if (editor === undefined) return tell(noEditor);
  await save();
  if (signal.aborted) return;
  screen.lend();
  const takeBack = guard.lend();
  const edited = await editText(composerText(screen.composer), { editor, signal });
  takeBack();
  if (edited.kind === "changed") screen.compose({ type: "set", text: edited.text });
  screen.takeBack();
  if (edited.kind !== "same" && edited.why !== undefined) tell(edited.why);
}
