// What a start leaves in the scrollback: the checklist, folded to one line when nothing is wrong, what has to be said
// once, and the conversation that is gone on with.
import type { OpenTurn, RecoveryStep } from "../ledger/recovery.ts";
import { type Block, note, windowParts } from "./block.ts";
import { leftUnsent } from "./left-unsent.ts";
import { ownTurns } from "./recovery.ts";
import type { Booted } from "./screen-start.ts";
import { type Told, tellUndelivered } from "./undelivered.ts";
import { type WindowRoom, windowTail } from "./window-tail.ts";

/** What was missed elsewhere comes before the conversation that is gone on with. */
export function bootBlocks(
  booted: Booted,
  steps: readonly RecoveryStep[],
  { told, room }: { readonly told: Told; readonly room: WindowRoom },
): readonly Block[] {
  const { open, window, notices, warnings = [], runner } = booted;
  const isApart = told.others.length > 0 && window.messages.length > 0;
  return [
    ...checklist(steps, open),
    ...warnings.map((each) => note(each, "warning")),
    ...notices.map((each) => note(each)),
    ...told.others,
    ...(isApart ? [{ kind: "separator", text: runner.session.title ?? "this conversation" } as const] : []),
    ...windowTail(windowParts(window.messages, window.calls), room, window.earlier),
    ...told.shown,
    ...elsewhereWaiting(booted),
    ...unsentElsewhere(booted),
  ];
}

/** What nobody has seen yet, this window of the conversation included. */
export function bootTold({ undelivered, window: { messages } }: Booted): Told {
  const shown = new Set(messages.map(({ id }) => id));
  return tellUndelivered(undelivered, ({ message }) => shown.has(message.id));
}

function checklist(steps: readonly RecoveryStep[], open: readonly OpenTurn[]): readonly Block[] {
  const isFine = steps.every(({ status }) => status === "ok") && ownTurns(open).length === 0;
  if (!isFine) return steps.map((step) => ({ kind: "step", step }));
  const ledger = steps.find(({ name }) => name === "ledger");
  const ms = steps.reduce((sum, step) => sum + step.ms, 0);
  return ledger ? [{ kind: "step", step: { ...ledger, name: "ledger", ms } }] : [];
}

function elsewhereWaiting({ waiting, runner }: Booted): readonly Block[] {
  const others = waiting.filter((each) => each.conversation !== runner.session.conversation).length;
  if (others === 0) return [];
  return [note(`${others} ${others === 1 ? "prompt waits" : "prompts wait"} in other conversations: /sessions`)];
}

function unsentElsewhere({ unsent = [], runner }: Booted): readonly Block[] {
  const { conversation } = runner.session;
  return leftUnsent(
    unsent.filter((each) => each.conversation !== conversation),
    Date.now(),
  );
}
