// Why a conversation is not compacted now, in words. Pure.
import type { CompactionSkip } from "../../ledger/compaction-locks.ts";
import type { ProcessIdentity } from "../../ledger/types.ts";
import { whoIs } from "../who.ts";

export function skipWords(skip: CompactionSkip, now: number): string {
  switch (skip.why) {
    case "locked": {
      const { holder, since } = skip;
      return `${whoIs(holder)} has been compacting this conversation for ${seconds(now - since)}.`;
    }
    case "cooldown": {
      const how = skip.error === undefined ? "the last one failed" : `the last one failed (${skip.error})`;
      return `${how}; it is tried again in ${seconds(skip.until - now)}, or at once with /compress.`;
    }
    case "ineffective":
      return `the last ${skip.times} freed too little. /compress tries it anyway, /new begins anew.`;
  }
}

export function doneWords(by: ProcessIdentity): string {
  return `${whoIs(by)} has just compacted this conversation.`;
}

function seconds(ms: number): string {
  const whole = Math.max(0, Math.round(ms / 1000));
  return whole < 120 ? `${whole} s` : `${Math.round(whole / 60)} min`;
}
