// The first hour of somebody who was told nothing: a turn, an undo, a branch, out, in again, another conversation, out.
// Each key and each command is on the screen before it is used (helpers/newcomer.ts throws otherwise).
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { newcomer } from "../helpers/newcomer.ts";
import { everything, openStele } from "../helpers/screen-program.ts";
import { workplace } from "../helpers/stele.ts";

const SIZES = [
  { cols: 80, rows: 24 },
  { cols: 100, rows: 30 },
  { cols: 60, rows: 20 },
];

describe("a newcomer", () => {
  it("knows nothing that the screen does not name, whatever they write themselves", async () => {
    const { see, press, ask, terminal } = newcomer(openStele(workplace(), [], { cols: 80, rows: 24 }));
    await see(/saved/);
    await expect(ask("press ctrl+d")).rejects.toThrow("could name keys");
    terminal.write("ctrl+d y /undo");
    await see("❯ ctrl+d y /undo");
    await expect(press("ctrl+d")).rejects.toThrow("nothing on the screen names ctrl+d");
    await expect(press("y")).rejects.toThrow("nothing on the screen names y");
    await press("?");
  });

  it.each(SIZES)("finds every way by what the screen names, at $cols × $rows", async (size) => {
    const place = workplace();
    const notes = path.join(place.folder, "notes.txt");
    const first = newcomer(openStele(place, [], size));

    await first.see("try: help");
    await first.ask("help");
    await first.see("write <path>: <text>");
    await first.ask("write notes.txt: hello");
    await first.see(/y {2}yes/);
    await first.press("y");
    await first.see(/● Done/);
    expect(existsSync(notes)).toBe(true);

    await first.command("/undo");
    await first.see(/enter: change 1 of 1/);
    await first.press("enter");
    await first.see(/Took back 1 turn\. \/redo/);
    expect(existsSync(notes)).toBe(false);
    await first.press("ctrl+c");

    await first.command("/branch");
    await first.see(/is a branch of/);
    await first.ask("say only here");
    await first.see(/● only here/);
    await first.command("/quit");
    expect((await first.terminal.exit).exitCode).toBe(0);

    const { id = "" } = /resume with: stele -r (?<id>\S+)/.exec(everything(first.terminal))?.groups ?? {};
    const second = newcomer(openStele(place, ["-r", id], size));
    await second.see(/● only here/);
    await second.command("/resume");
    await second.see(/enter opens it/);
    await second.press("enter");
    await second.see(/“help” · 1 turn/);
    await second.see(/^❯ Ask/m);
    await second.press("?");
    await second.see(/ctrl\+d +quit/);
    await second.press("ctrl+d");
    expect((await second.terminal.exit).exitCode).toBe(0);
  });
});
