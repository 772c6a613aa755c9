// Where one types, the terminal's own cursor stands: input methods open there, and screen readers read there.
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { cellWidth, graphemes } from "../../src/ui/text-width.ts";
import { answer } from "../helpers/answer.ts";
import type { Terminal } from "../helpers/pty.ts";
import { openStele, ready, type } from "../helpers/screen-program.ts";
import { workplace } from "../helpers/stele.ts";

/** What begins in this cell of a row. */
function at(row: string, column: number): string | undefined {
  let cell = 0;
  for (const each of graphemes(row)) {
    if (cell === column) return each;
    cell += cellWidth(each);
  }
  return undefined;
}

/** Each character appears where the cursor was, and the cursor goes on behind it. */
async function typesAtTheCursor(stele: Terminal, text: string): Promise<void> {
  for (const character of graphemes(text)) {
    await stele.waitFor((each) => !each.modes().cursorHidden);
    const { x, y } = stele.cursor();
    stele.write(character);
    await stele.waitFor((each) => each.cursor().x === x + cellWidth(character) && each.cursor().y === y);
    expect(at(stele.screen()[y] ?? "", x) ?? " ").toBe(character);
  }
}

const mixed = "a時計 éx";

describe("the terminal's cursor", () => {
  it("stands in the filter of a list and in the search of earlier prompts, behind wide characters too", async () => {
    const place = workplace();
    await place.stele(["run", "say a時計 éx"]);
    const stele = openStele(place);
    await type(stele, "/resume");
    await stele.waitFor(/Resume a conversation/);
    await typesAtTheCursor(stele, mixed);
    stele.write("\x03");
    await ready(stele);
    stele.write("\x12");
    await stele.waitFor(/search history:/);
    await typesAtTheCursor(stele, mixed);
    // No more than a part of it is shown: the cursor stays where the next character comes.
    stele.resize(24, 24);
    await stele.waitFor(/^history: .*éx\n(.*\n)*enter take · ctrl\+r old/m);
    await typesAtTheCursor(stele, "計y");
  });

  it("stands in what is written into an approval", async () => {
    const place = workplace();
    const stele = openStele(place);
    await type(stele, "run touch '時計'");
    await stele.waitFor(/e {2}edit the command/);
    await answer(stele, "e");
    await stele.waitFor(/\$ touch/);
    await typesAtTheCursor(stele, mixed);
    stele.write("\x1b[27u");
    await stele.waitFor(/t {2}no, and tell the model why/);
    await answer(stele, "t");
    await stele.waitFor(/why: /);
    await typesAtTheCursor(stele, mixed);
    stele.write("\r");
    await ready(stele);
    expect(existsSync(path.join(place.folder, "時計"))).toBe(false);
  });
});
