// What is said while a long paste comes in, and that it is over.
import { megabytes } from "./paste-bytes.ts";
import type { UiAction } from "./view-state.ts";

export function pastingNotice(bytes: number | undefined): UiAction {
  return bytes === undefined ? { type: "notice" } : { type: "notice", text: `pasting… ${megabytes(bytes)}` };
}
