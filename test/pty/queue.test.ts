// What is typed while a turn runs, as a person uses it: it waits in sight, is changed, moved and dropped in its list, or
// told to the turn; a kill leaves what waits for a key.
import { writeFileSync } from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { expect, it, vi } from "vitest";
import { answer } from "../helpers/answer.ts";
import { everything, openStele, type } from "../helpers/screen-program.ts";
import { workplace } from "../helpers/stele.ts";

/** Runs until a test says so. */
const lasting = "run until [ -e told ]; do sleep 0.05; done";
const steer = "\x13";
const up = "\x1b[A";
const altDown = "\x1b[1;3B";
const del = "\x1b[3~";

it("waits in sight, is edited, moved and dropped in the list, and steers", async () => {
  const place = workplace();
  const stele = openStele(place, ["--yes"], { cols: 90, rows: 26 });
  await type(stele, lasting);
  await stele.waitFor(/shell until .* running/);
  for (const text of ["say one", "say two", "say three"]) {
    stele.write(`${text}\r`);
    await stele.waitFor(new RegExp(`› ${text} {2}\\(`));
  }
  stele.write(`say steered${steer}`);
  await stele.waitFor(/❯ Type.*\n.*\n› say steered {2}\(steers at the next step\)/);

  stele.write(up);
  await stele.waitFor(/❯ say three/);
  stele.write(del);
  await stele.waitFor(/Prompts that wait \(3\) {2}Dropped \d+: say three/);
  stele.write(`${up}`);
  await stele.waitFor(/❯ say one/);
  stele.write(altDown);
  await stele.waitFor(/Prompts that wait \(3\) {2}\d+ goes after \d+ now[\s\S]* {2}say two[\s\S]*❯ say one/);
  stele.write("\r");
  await stele.waitFor(/❯ say one\n[\s\S]*› say one {2}\(in the input/);
  stele.write(" changed\r");
  await stele.waitFor(/› say two {2}\(next\)\n› say one changed {2}\(after that\)/);

  writeFileSync(path.join(place.folder, "told"), "");
  await stele.waitFor(/● one changed[\s\S]*saved/);
  const said = everything(stele)
    .split("\n")
    .filter((line) => line.startsWith("● "));
  expect(said).toEqual(["● steered", "● two", "● one changed"]);
});

it("waits for a key after a kill, with the text that was being changed", async () => {
  const place = workplace();
  const doomed = openStele(place, ["--yes"]);
  await type(doomed, lasting);
  await doomed.waitFor(/shell until .* running/);
  doomed.write("say one\r");
  await doomed.waitFor(/› say one {2}\(next\)/);
  doomed.write(up);
  await doomed.waitFor(/❯ say one/);
  doomed.write("\r");
  await doomed.waitFor(/in the input/);
  doomed.write(" or two");
  await doomed.waitFor(/❯ say one or two/);
  // The draft is kept a moment after the last key.
  await vi.waitFor(() => expect(drafts(place.home)).toEqual(["say one or two"]), { timeout: 30_000 });
  doomed.kill("SIGKILL");
  await doomed.exit;
  writeFileSync(path.join(place.folder, "told"), "");

  const stele = openStele(place, ["-c", "--yes"]);
  // The command ended after the kill: its result is read back, and the turn can go on.
  await stele.waitFor(/Resume the turn[\s\S]*Settle as interrupted/);
  await answer(stele, "\x1b");
  await stele.waitFor(/❯ say one or two/);
  await stele.waitFor(/› say one {2}\(in the input/);
  stele.write("\r");
  await stele.waitFor(/› say one or two {2}\(after your decision/);
  expect(everything(stele)).not.toContain("being changed");
  const { out } = await place.stele(["queue", "-c", "--json"]);
  expect(out.trimEnd().split("\n")).toHaveLength(1);
});

function drafts(home: string): readonly string[] {
  const db = new Database(path.join(home, "state.db"), { readonly: true });
  try {
    return db.prepare<[], string>("select text from drafts where kind = 'composer'").pluck().all();
  } finally {
    db.close();
  }
}
