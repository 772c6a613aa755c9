// Answers that were given while nobody was looking: the newest few whole, some more as a line each with the command
// that opens them. The rest stays undelivered, and is told the next time.
import type { Undelivered } from "../ledger/recovery.ts";
import type { MessageId } from "../ledger/types.ts";
import { type Block, messageBlocks, note } from "./block.ts";

export interface Told {
  readonly others: readonly Block[];
  /** About answers that stand on the screen already. */
  readonly shown: readonly Block[];
  /** What these blocks tell. */
  readonly messages: readonly MessageId[];
}

const maxWhole = 3;
const maxListed = 10;

/** Oldest first, as they come. */
export function tellUndelivered(all: readonly Undelivered[], isShown: (each: Undelivered) => boolean): Told {
  const shown = all.filter(isShown);
  const others = all.filter((each) => !isShown(each));
  const whole = others.slice(-maxWhole);
  const rest = others.slice(0, -maxWhole);
  const listed = rest.slice(-maxListed);
  const untold = rest.length - listed.length;
  return {
    others: [
      ...(others.length === 0 ? [] : [heading]),
      ...(untold === 0 ? [] : [note(`${untold} older ${untold === 1 ? "answer" : "answers"}: /recover lists more`)]),
      ...listed.map(lineBlock),
      ...whole.flatMap(wholeBlocks),
    ],
    shown: shown.map(({ admission }) =>
      note(`finished while nobody was looking: the answer to "${admission.summary}"`),
    ),
    messages: [...listed, ...whole, ...shown].map(({ message }) => message.id),
  };
}

const heading: Block = { kind: "separator", text: "finished while nobody was looking" };

function wholeBlocks(each: Undelivered): readonly Block[] {
  const { admission, session, message } = each;
  return [
    { kind: "prompt", text: admission.summary },
    ...messageBlocks(message, () => undefined),
    note(`${titleOf(each)}/resume ${session.id} opens it`),
  ];
}

function lineBlock(each: Undelivered): Block {
  return note(`${titleOf(each)}"${each.admission.summary}"  /resume ${each.session.id}`);
}

/** A title that was made of the prompt says nothing more. */
function titleOf({ admission: { summary }, session: { title } }: Undelivered): string {
  if (title === undefined || summary.startsWith(title) || title.startsWith(summary)) return "";
  return `${title}: `;
}
