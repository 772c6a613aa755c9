// A person's first session in the built program, at three sizes: start, prompt, a tool with approval, undo,
// redo, branch, resume, quit. The screen is read as a stranger would read it.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { answer } from "../helpers/answer.ts";
import { expectFits, expectRestored } from "../helpers/screen.ts";
import { everything, openStele, ready, type } from "../helpers/screen-program.ts";
import { type Workplace, workplace } from "../helpers/stele.ts";

const SIZES = [
  { cols: 80, rows: 24 },
  { cols: 40, rows: 15 },
  { cols: 120, rows: 40 },
];

describe("a first session", () => {
  it.each(SIZES)("at $cols × $rows: prompt, approval, undo, redo, branch, resume, quit", async (size) => {
    const place = workplace();
    writeFileSync(path.join(place.folder, "package.json"), '{"name":"demo"}\n');
    const stele = openStele(place, [], size);

    await type(stele, "run ls then read package.json");
    await stele.waitFor(/Allow shell/);
    await answer(stele, "y");
    await stele.waitFor(/Done: 2 steps/);
    await ready(stele);

    await type(stele, "say second");
    await stele.waitFor(/● second/);
    await type(stele, "/undo");
    await stele.waitFor(/Took back 1 turn/);
    await stele.waitFor((each) => each.screen().some((line) => /^[❯>] say second/u.test(line.trim())));
    stele.write("\x15");
    await type(stele, "/redo");
    await stele.waitFor(/rought back|Redone/);

    await type(stele, "/branch other way");
    await stele.waitFor(/other way/);
    await type(stele, "say only here");
    await stele.waitFor(/● only here/);

    await ready(stele);
    await type(stele, "/resume");
    await stele.waitFor((each) => each.screen().some((line) => /^[❯>] +run ls then/u.test(line)));
    stele.write("\x1b[B\r");
    await ready(stele);

    expectFits(stele.screen(), size);
    await type(stele, "/quit");
    const { exitCode } = await stele.exit;
    expect(exitCode).toBe(0);
    expectRestored(stele);
    expect(everything(stele).replaceAll("\n", "")).toMatch(/stele -r \d{8}-\d{6}-[0-9a-f]{6}/);
    await expectLedger(place);
  });
});

/** Two conversations, each with what was said in it, and every invariant holds. */
async function expectLedger(place: Workplace): Promise<void> {
  const rows = (await place.stele(["sessions", "--json"])).events;
  const branch = rows.find((row) => row["title"] === "other way");
  const parent = rows.find((row) => row["id"] === branch?.["parent"]);
  expect(rows).toHaveLength(2);
  expect(branch).toMatchObject({ edge: "branch", turns: 3 });
  expect(parent).toMatchObject({ turns: 2 });
  const doctor = JSON.parse((await place.stele(["doctor", "--json", "--full"])).out) as { verify: unknown };
  expect(doctor.verify).toEqual([]);
}
