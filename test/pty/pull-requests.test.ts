// The list of sessions stands before gh has answered, and says what it said afterwards, in the place one is at.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { openStele, type } from "../helpers/screen-program.ts";
import { workplace } from "../helpers/stele.ts";

const PULL = { headRefName: "fix", state: "OPEN", number: 12, url: "https://example.com/12", isCrossRepository: false };

it("a session of a branch names its pull request once that is known", async () => {
  const place = workplace();
  execFileSync("git", ["init", "-q", "-b", "fix", place.folder]);
  const bin = path.join(place.home, "..", "bin");
  const gate = path.join(bin, "gate");
  mkdirSync(bin);
  execFileSync("mkfifo", [gate]);
  writeFileSync(path.join(bin, "gh"), `#!/bin/sh\ncat '${gate}'\n`);
  chmodSync(path.join(bin, "gh"), 0o755);
  await place.stele(["run", "say apples"]);
  await place.stele(["run", "say pears"]);
  const env = { PATH: `${bin}:${process.env["PATH"] ?? ""}` };
  const stele = openStele(place, [], { cols: 110, rows: 30, env });
  await type(stele, "/resume");
  await stele.waitFor(/❯ +say pears +just now[^\n]*[\s\S]*say apples/);
  stele.write("\x1b[B");
  await stele.waitFor(/❯ +say apples/);
  expect(stele.screen().join("\n")).not.toContain("PR #");
  await writeFile(gate, JSON.stringify([PULL]));
  await stele.waitFor(/say pears[^\n]*PR #12 open[\s\S]*❯ +say apples[^\n]*PR #12 open/);
  await stele.waitFor("PR #12 open · https://example.com/12");
  stele.write("\r");
  await stele.waitFor(/● apples/);
});
