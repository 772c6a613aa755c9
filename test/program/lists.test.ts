// `stele sessions` with what takes more than one ledger or more than one page.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { workplace } from "../helpers/stele.ts";

interface Line {
  readonly profile?: string;
  readonly title?: string;
  readonly problem?: string;
}

const linesOf = (out: string) =>
  out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);

it("--all-profiles lists every ledger of the home, from any of them, and names one that cannot be opened", async () => {
  const place = workplace();
  await place.stele(["run", "say plain"]);
  await place.stele(["--profile", "work", "run", "say work"]);
  const bad = path.join(place.home, "profiles", "bad");
  mkdirSync(bad, { recursive: true });
  writeFileSync(path.join(bad, "state.db"), "no ledger at all");
  for (const start of [[], ["--profile", "work"]]) {
    const { code, out } = await place.stele([...start, "sessions", "--all-profiles", "--json"]);
    expect(code).toBe(0);
    expect(linesOf(out).map(({ profile, title, problem }) => [profile, title ?? problem])).toEqual([
      [undefined, "say plain"],
      ["bad", expect.stringContaining("is not a ledger")],
      ["work", "say work"],
    ]);
  }
  const { out } = await place.stele(["sessions", "--all-profiles", "--by", "project"]);
  expect(out).toMatch(/\(none\) +\S+work +1 [\s\S]*bad +cannot be read[\s\S]*work +\S+work +1 /);
});

it("--by takes project and nothing else, and says what each cost", async () => {
  const place = workplace();
  await place.stele(["run", "say hello"]);
  const { out } = await place.stele(["sessions", "--by", "project", "--json"]);
  expect(linesOf(out)).toEqual([
    expect.objectContaining({
      by: "project",
      project: place.folder,
      sessions: 1,
      cost: 0,
      outputTokens: expect.any(Number),
    }),
  ]);
  const refused = await place.stele(["sessions", "--by", "day"]);
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('--by takes project, not "day"')]);
});
