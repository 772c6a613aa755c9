// What a person writes into an approval: a reason, or the command to run instead. The composer's own editor, without
// its history. Pure.
import type { Buffer, Line, LineStack } from "./composer-buffer.ts";
import { composerAction } from "./composer-keys.ts";
import { composerColumns, composerWindow } from "./composer-layout.ts";
import { type ComposerState, composerReducer, composerText, createComposer, submitComposer } from "./composer-state.ts";
import type { KeyEvent } from "./key-event.ts";
import { reveal } from "./sanitize.ts";

export type TextPurpose = "why" | "edit";

export interface ApprovalText {
  readonly purpose: TextPurpose;
  readonly composer: ComposerState;
}

export const textPrompts: Readonly<Record<TextPurpose, string>> = { why: "why: ", edit: "$ " };

export function openText(purpose: TextPurpose, { width, text }: { width: number; text: string }): ApprovalText {
  return { purpose, composer: createComposer({ width: composerColumns(width, textPrompts[purpose]), text }) };
}

export function textReducer(
  state: ApprovalText,
  action: { readonly type: "width"; readonly width: number } | { readonly type: "key"; readonly event: KeyEvent },
): ApprovalText {
  const { purpose, composer } = state;
  const wanted =
    action.type === "width"
      ? ({ type: "resize", width: composerColumns(action.width, textPrompts[purpose]) } as const)
      : composerAction(action.event);
  return wanted ? { purpose, composer: composerReducer(composer, wanted) } : state;
}

export interface ReadText {
  /** Absent: nothing is written, or enter began a line. */
  readonly text?: string;
  readonly next: ApprovalText;
  /** All of it was on the screen in so many rows, letter by letter. */
  readonly isSeen: boolean;
}

/** A command ends as it is written: only of a reason a `\` begins a new line. */
export function readText(state: ApprovalText, rows: number): ReadText {
  const { purpose, composer } = state;
  const { buffer, width } = composer;
  if (purpose === "why") {
    const { text, state: next } = submitComposer(composer);
    const isSame = next === composer;
    return { next: isSame ? state : { purpose, composer: next }, isSeen: true, ...(text !== undefined && { text }) };
  }
  const text = composerText(composer);
  if (text.trim() === "") return { next: state, isSeen: false };
  const { hiddenAbove, hiddenBelow } = composerWindow(buffer, width, rows);
  const isSeen = !hiddenAbove && !hiddenBelow && !hasPlaceholder(buffer) && reveal(text) === text;
  return { text, next: state, isSeen };
}

/** A long paste stands as one cell. */
function hasPlaceholder({ line, above, below }: Buffer): boolean {
  const inStack = (stack: LineStack): boolean => {
    for (let each = stack; each !== undefined; each = each.rest) if (isCut(each.line)) return true;
    return false;
  };
  return isCut(line) || inStack(above) || inStack(below);
}

function isCut(line: Line): boolean {
  return line.some((cell) => typeof cell !== "string");
}
