// The choices of an approval in one row, for a low window. The one that enter takes is marked by a sign, not by colour
// alone; where they do not all fit it is the one that is shown.
import { Text } from "ink";
import type { ReactNode } from "react";
import { type ApprovalChoice, type ApprovalState, choiceKeys, offered } from "./approval-state.ts";
import { cellWidth, truncate } from "./text-width.ts";
import { useTheme } from "./theme.ts";

type Label = (choice: ApprovalChoice) => string;

export function ChoicesRow({ state, width }: { readonly state: ApprovalState; readonly width: number }): ReactNode {
  const { styles, glyphs } = useTheme();
  const marked = state.stray ? undefined : offered(state)[state.selected];
  const parts = rowParts(offered(state), { marked, pointer: glyphs.pointer, width });
  return (
    <Text wrap="truncate-end">
      {parts.map(({ text, isMarked }) => (
        <Text key={text} {...(isMarked ? styles.selected : styles.plain)}>
          {text}
        </Text>
      ))}
    </Text>
  );
}

interface Marks {
  readonly marked: ApprovalChoice | undefined;
  readonly pointer: string;
  readonly width: number;
}

/** The longest row that fits: a blank keeps the sign's place, as long as there is room for it. */
function rowParts(choices: readonly ApprovalChoice[], { marked, pointer, width }: Marks) {
  const row = (label: Label, blank: string) =>
    choices.map((choice, index) => {
      const isMarked = choice === marked;
      const text = `${isMarked ? pointer : blank}${label(choice)}${index < choices.length - 1 ? " " : ""}`;
      return { text, isMarked };
    });
  const rows = [shortLabel, yesAndNo, onlyKey].flatMap((label) => [row(label, " "), row(label, "")]);
  const fits = rows.find((parts) => cellWidth(parts.map(({ text }) => text).join("")) <= width);
  if (fits) return fits;
  if (marked === undefined) return [{ text: truncate(choices.map(onlyKey).join(" "), width), isMarked: false }];
  return [{ text: `${width > 1 ? pointer : ""}${choiceKeys[marked]}`, isMarked: true }];
}

const onlyKey: Label = (choice) => choiceKeys[choice];

const yesAndNo: Label = (choice) => (choice === "once" || choice === "no" ? shortLabel(choice) : onlyKey(choice));

function shortLabel(choice: ApprovalChoice): string {
  const labels = { once: "yes", always: "always", never: "never", edit: "edit", no: "no", "no-because": "tell why" };
  return `${choiceKeys[choice]}=${labels[choice]}`;
}
