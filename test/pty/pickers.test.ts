// The lists to choose from, in the built program: conversations, turns, files, commands.
import { existsSync } from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, vi } from "vitest";
import { answer } from "../helpers/answer.ts";
import type { Terminal } from "../helpers/pty.ts";
import { everything, openStele, ready, type } from "../helpers/screen-program.ts";
import { workplace } from "../helpers/stele.ts";
import { allow } from "../screens/stage.ts";

describe("the list of conversations", () => {
  it("shows the last exchange beside at 100 columns, below at 80, and goes where one chooses", async () => {
    const place = workplace();
    await place.stele(["run", "say the first answer"]);
    await place.stele(["run", "say another"]);
    const stele = openStele(place, [], { cols: 110, rows: 30 });
    await type(stele, "/resume");
    await stele.waitFor(/❯ +say another .*1 turn .*│ › say another/);
    stele.write("frst");
    await stele.waitFor(/\(1 of 2\)/);
    await stele.waitFor(/❯ +say the first answer .*│ › say the first answer\n.*│ ● the first answer/);
    stele.resize(80, 30);
    await stele.waitFor(/❯ +say the first answer[^│]*\n(.*\n)+ *─+\n› say the first answer\n● the first answer/);
    stele.write("\r");
    await stele.waitFor(/“say the first answer” · 1 turn/);
    await ready(stele);
    await type(stele, "/sessions");
    await stele.waitFor(/Conversations \(2\)/);
    stele.write("nothing of it");
    await stele.waitFor(/nothing fits "nothing of it"/);
    stele.write("\x03");
    await ready(stele);
    expect(stele.screen().join("\n")).not.toContain("Conversations");
  });
});

const escape = "\x1b[27u";
const enter = "\x1b[13u";

describe("what is entered behind a command that opens a list", () => {
  it("is the composer's text again, and a draft in the ledger while the list is open", async () => {
    const place = workplace();
    await place.stele(["run", "say the first answer"]);
    const stele = openStele(place);
    await ready(stele);
    stele.write(`/resume${enter}say it later${enter}`);
    await stele.waitFor("Resume a conversation (1)");
    expect(stele.screen().join("\n")).not.toContain("being saved");
    await vi.waitFor(() => expect(drafts(place.home)).toEqual(["say it later"]), { timeout: 30_000 });
    stele.write(escape);
    await stele.waitFor(/^❯ say it later$/m);
    expect(everything(stele)).not.toContain("● it later");
    stele.write("\r");
    await stele.waitFor("● it later");
  });
});

function drafts(home: string): readonly string[] {
  const db = new Database(path.join(home, "state.db"), { readonly: true });
  try {
    return db.prepare<[], string>("select text from drafts where kind = 'composer'").pluck().all();
  } finally {
    db.close();
  }
}

/** A turn with one call that is allowed. */
async function order(stele: Terminal, text: string): Promise<void> {
  await type(stele, text);
  await stele.waitFor(/y {2}yes/);
  await allow(stele);
  await ready(stele);
}

describe("the lists of one conversation", () => {
  it("go back to a turn by escape twice, after a look at its files, and take back one file of a turn", async () => {
    const place = workplace();
    const files = { a: path.join(place.folder, "a.txt"), b: path.join(place.folder, "b.txt") };
    const stele = openStele(place, [], { cols: 100, rows: 30 });
    await order(stele, "write a.txt: one");
    await order(stele, "write b.txt: two");
    await type(stele, "say a third turn");
    await stele.waitFor(/● a third turn/);
    await ready(stele);

    await type(stele, "/files");
    await stele.waitFor(/❯ b\.txt +\+1 -0 +turn 2 +│ +b\.txt \+1 -0\n(.*\n)*.*1 \+ two/);
    stele.write("\r");
    await stele.waitFor(/Take back what was done to b\.txt since turn 2 \(1 change\)\?/);
    await stele.waitFor(/enter: change 1 of 1/);
    await answer(stele, "\r");
    await stele.waitFor(/1 file removed: b\.txt/);
    expect([existsSync(files.a), existsSync(files.b)]).toEqual([true, false]);
    await type(stele, "/files");
    await stele.waitFor(/❯ b\.txt +\+1 -0 +turn 2 +taken back/);
    stele.write(escape);
    await ready(stele);

    stele.write(escape);
    await stele.waitFor(/esc again/);
    stele.write(escape);
    await stele.waitFor(/❯ 3 {2}say a third turn[^\n]*│ › say a third turn\n.*│ ● a third turn/);
    stele.write("write one");
    await stele.waitFor(/❯ 1 {2}write a\.txt: one +1 file/);
    stele.write("\r");
    await stele.waitFor(/Take back 3 turns, and these files\?/);
    await stele.waitFor(/enter: change 1 of 1/);
    await answer(stele, "\r");
    await stele.waitFor(/Took back 3 turns/);
    await stele.waitFor(/❯ write a\.txt: one/);
    expect(existsSync(files.a)).toBe(false);
  });

  it("write a command into the composer, say where there is nothing, and are printed where nothing is drawn", async () => {
    const stele = openStele(workplace());
    await type(stele, "/files");
    await stele.waitFor(/No file was changed in this conversation/);
    await type(stele, "/branch --at");
    await stele.waitFor(/There is no turn yet/);
    await type(stele, "/help");
    await stele.waitFor(/Commands \(\d+\)/);
    stele.write("rewind");
    await stele.waitFor(/❯ \/undo \[n\] +take back the last turns/);
    stele.write("\r");
    await stele.waitFor(/^❯ \/undo$/m);
    stele.write("x");
    await stele.waitFor(/^❯ \/undo x$/m);

    const lines = openStele(workplace(), ["--screen-reader"]);
    await lines.waitFor(/ready|type/i);
    lines.write("/help\r");
    await lines.waitFor(() => /\/quit {2,}leave/.test(everything(lines)));
  });
});
