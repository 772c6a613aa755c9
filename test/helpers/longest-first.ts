// The order of the test files. A clean checkout has no durations of an earlier run, and the size of a file tells little:
// those that take long, most of all by waiting for programs, come first, so that none of them runs alone at the end.
import path from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Below `test/`, longest first. */
const LONG = [
  "crash/program",
  "unit/ui/screen-terminal",
  "program/effects",
  "pty/other-terminals",
  "pty/composer",
  "pty/paste",
  "pty/pager",
  "pty/conditions/conditions",
  "crash/verbs",
  "program/endpoint",
  "pty/newcomer",
  "program/bad-input",
  "program/endings",
  "unit/ledger/open",
  "property/ledger-model",
  "pty/two-windows",
  "pty/approvals",
  "program/usage",
  "unit/agent/read-back/git-commit",
  "unit/agent/read-back/git-push",
  "unit/commands/undo-files",
  "unit/ledger/verify",
  "unit/agent/retries",
  "unit/commands/settings",
  "unit/scripts/entry-points",
  "unit/ui/late-resize",
  "pty/after-a-kill",
  "pty/shell",
  "pty/first-session",
  "pty/screens",
  "pty/retries",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rest = await super.sort(files);
    return rest
      .map((file, at) => ({ file, at, rank: rankOf(path.relative(this.ctx.config.root, file.moduleId)) }))
      .sort((a, b) => a.rank - b.rank || a.at - b.at)
      .map(({ file }) => file);
  }
}

function rankOf(file: string): number {
  const name = file
    .replaceAll("\\", "/")
    .replace(/^test\//, "")
    .replace(/\.test\.tsx?$/, "");
  const at = LONG.indexOf(name);
  return at === -1 ? LONG.length : at;
}
