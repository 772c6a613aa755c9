// A prompt asked again after its edits were taken back, and an end of the tree with its files, in the built program.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { answer } from "../helpers/answer.ts";
import { openStele, type } from "../helpers/screen-program.ts";
import { workplace } from "../helpers/stele.ts";

const enter = "\x1b[13u";

it("a prompt is asked again on the files as they were before it, and the tree goes to its old answer with them", async () => {
  const place = workplace();
  const file = path.join(place.folder, "f.txt");
  writeFileSync(file, "base\n");
  const text = () => readFileSync(file, "utf8");
  const stele = openStele(place, ["-y"], { cols: 100, rows: 32 });
  await type(stele, "edit f.txt: base => one then say done");
  await stele.waitFor(/^● done/m);
  expect(text()).toBe("one\n");

  await type(stele, "/retry --files");
  await stele.waitFor(/Take back these files, and ask again\?\n❯ \[x\] f\.txt/);
  expect(text()).toBe("one\n");
  await answer(stele, enter);
  await stele.waitFor(/1 file written: f\.txt\n +Asking again: edit f\.txt/);
  await stele.waitFor(/Asking again[\s\S]*\+1 -1[\s\S]*^● done/m);
  expect(text()).toBe("one\n");

  await type(stele, "/undo --yes");
  await stele.waitFor(/Took back 1 turn/);
  expect(text()).toBe("base\n");
  stele.write("\x15");
  await type(stele, "/tree --files");
  await stele.waitFor(/Branches and undone ends[\s\S]*goes there with files/);
  await answer(stele, "\x1b[B\x1b[B");
  await stele.waitFor(/^❯ └ other answer/m);
  await answer(stele, enter);
  await stele.waitFor(/Go there, undo what was done here, redo what was done there\?\n❯ \[x\] f\.txt/);
  await answer(stele, enter);
  await stele.waitFor(/Brought back 1 turn[^\n]*\n *1 file written: f\.txt/);
  expect(text()).toBe("one\n");
});
