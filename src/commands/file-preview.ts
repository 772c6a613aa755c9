// Planned files as a person sees them before anything is written, and the words for what became of them.
import type { PlannedFile } from "../agent/file-changes/undo-plan.ts";
import { diffTexts, formatDiff } from "../agent/tools/file-diff.ts";
import { shownPath as relativePath } from "../agent/tools/shown-path.ts";
import { decodeFile } from "../agent/tools/text-file.ts";
import type { FileRevert } from "../ledger/types.ts";
import type { CommandResult, PreviewFile } from "./command.ts";
import { counted } from "./results.ts";

/** What would be written, with the plan it stands for. Files that are as they shall be already are left out. */
export type PlannedPreview = PreviewFile & { readonly plan: PlannedFile };

export function previewOf(planned: readonly PlannedFile[]): readonly PlannedPreview[] {
  return planned.filter(({ state }) => state !== "done").map(previewFile);
}

function previewFile(plan: PlannedFile): PlannedPreview {
  const isSuspected = plan.origin === "suspected";
  const canBe = plan.state === "ready" || plan.state === "merged";
  const diff = diffOf(plan);
  return {
    plan,
    path: shownPath(plan),
    action: plan.action === "none" ? "write" : plan.action,
    added: plan.added,
    removed: plan.removed,
    isSuspected,
    isChosen: canBe && !isSuspected && plan.isImported !== true,
    ...(plan.isImported && { isImported: true }),
    isMerged: plan.state === "merged",
    ...(!canBe && { obstacle: "why" in plan && plan.why !== undefined ? plan.why : plan.state }),
    ...(diff !== undefined && { diff }),
  };
}

/** The chosen ones are taken at once where that is sure; else those that a person ticks. */
export function takeFiles(
  files: readonly PlannedPreview[],
  wish: {
    readonly title: string;
    readonly isSure: boolean;
    readonly apply: (chosen: readonly PlannedPreview[]) => Promise<CommandResult>;
  },
): CommandResult | Promise<CommandResult> {
  const { title, isSure, apply } = wish;
  if (isSure) return apply(files.filter(({ isChosen }) => isChosen));
  return {
    kind: "preview",
    title,
    files,
    apply: (chosen) => apply(files.filter(({ path }) => chosen.some((each) => each.path === path))),
    json: previewJson(files),
  };
}

export function previewJson(files: readonly PlannedPreview[]): object {
  return {
    files: files.map(({ path: name, action, added, removed, isSuspected, isMerged, isChosen, obstacle }) => ({
      path: name,
      action,
      added,
      removed,
      suspected: isSuspected,
      merged: isMerged,
      chosen: isChosen,
      ...(obstacle !== undefined && { obstacle }),
    })),
  };
}

function diffOf(plan: PlannedFile): string | undefined {
  if (plan.state !== "ready" && plan.state !== "merged") return undefined;
  const [now, target] = [plan.now, plan.target].map((side) =>
    decodeFile(side === "absent" ? new Uint8Array() : side.bytes),
  );
  if (now?.kind !== "text" || target?.kind !== "text") return undefined;
  return formatDiff(shownPath(plan), diffTexts(now.text, target.text));
}

/** On one line: a name may hold a line feed, and must not look like two. */
export function shownPath({ cwd, path }: { readonly cwd: string; readonly path: string }): string {
  return relativePath(cwd, path).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (unit) =>
    JSON.stringify(unit).slice(1, -1),
  );
}

/** What was written, what was left alone and why. */
export function writtenLines(
  written: readonly (FileRevert & { readonly why?: string })[],
  left: readonly PreviewFile[],
): readonly string[] {
  const done = written.filter(({ state }) => state === "done");
  const removed = done.filter(({ target }) => target === undefined).map(shownPath);
  const changed = done.filter(({ target }) => target !== undefined).map(shownPath);
  const failed = written.filter(({ state }) => state === "conflict");
  const waiting = written.filter(({ state }) => state === "planned");
  return [
    ...(changed.length > 0 ? [`${counted(changed.length, "file")} written: ${someOf(changed)}`] : []),
    ...(removed.length > 0 ? [`${counted(removed.length, "file")} removed: ${someOf(removed)}`] : []),
    ...capped(failed.map((revert) => `left alone: ${shownPath(revert)}${whyOf(revert)}`)),
    ...capped(waiting.map((revert) => `not yet written: ${shownPath(revert)}${whyOf(revert)}; /recover tries again`)),
    ...capped(leftLines(left)),
  ];
}

const SHOWN = 12;

function someOf(names: readonly string[]): string {
  const more = names.length - SHOWN;
  return more > 0 ? `${names.slice(0, SHOWN).join(", ")} and ${more} more` : names.join(", ");
}

function capped(told: readonly string[]): readonly string[] {
  const more = told.length - SHOWN;
  return more > 0 ? [...told.slice(0, SHOWN), `… and ${more} more: /files`] : told;
}

function whyOf({ why }: { readonly why?: string }): string {
  return why === undefined ? "" : ` (${why})`;
}

function leftLines(left: readonly PreviewFile[]): readonly string[] {
  return left.map(({ path: name, obstacle, isSuspected, isImported }) => {
    if (obstacle !== undefined) return `left alone: ${name} (${obstacle})`;
    const why = isImported ? "came with an import" : isSuspected ? "changed by a command" : undefined;
    return `left alone: ${name}${why === undefined ? "" : ` (${why}: --suspected takes that too)`}`;
  });
}
