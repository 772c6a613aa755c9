// Whether all that is on the screen is on disk: derived from what events said, and from nothing else. Pure.
import type { ViewState } from "./view-state.ts";

export type Saving =
  | { readonly kind: "starting" | "saving" | "saved" | "gone" }
  /** `why` is what the ledger said. */
  | { readonly kind: "not-saved"; readonly why: string };

/** Whether all that is on the screen is on disk. */
export function savingOf(state: ViewState): Saving {
  if (state.isGone) return { kind: "gone" };
  if (state.problem) return { kind: "not-saved", why: state.problem.message };
  if (state.unsent.length > 0) return { kind: "saving" };
  if (state.phase === "starting") return { kind: "starting" };
  return state.turn?.isProvisional === true ? { kind: "saving" } : { kind: "saved" };
}
