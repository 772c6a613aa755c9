// What a start leaves in the scrollback: the checklist, folded to one line when nothing is wrong, what has to be said
// once, and the conversation that is gone on with.
import type { OpenTurn, RecoveryStep } from "../ledger/recovery.ts";
import { type Block, note, windowBlocks } from "./block.ts";
import { ownTurns } from "./recovery.ts";
import type { Booted } from "./screen-start.ts";

export function bootBlocks(booted: Booted, steps: readonly RecoveryStep[]): readonly Block[] {
  const { open, window, notices } = booted;
  return [
    ...checklist(steps, open),
    ...notices.map((each) => note(each)),
    ...earlierBlocks(window.earlier),
    ...windowBlocks(window.messages, window.calls),
    ...elsewhereWaiting(booted),
  ];
}

export function earlierBlocks(earlier: number): readonly Block[] {
  return earlier === 0 ? [] : [note(`${earlier} earlier ${earlier === 1 ? "message" : "messages"}`)];
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
