// The built program in a terminal that moves what a whole screen showed into its scrollback when it is erased, as tmux
// does: the live part is never among it, however the screen came to begin with it.
import { describe, expect, it } from "vitest";
import { openStele, ready, type } from "../helpers/screen-program.ts";
import { workplace } from "../helpers/stele.ts";

const inTmux = { cols: 80, rows: 24, keepsErased: true, env: { TMUX: "/tmp/tmux,1,0" } };
const ctrlL = "\x0c";

describe("a live part at the top of the window", () => {
  it("leaves no copy in the scrollback when a prompt, a list or another size takes its place", async () => {
    const place = workplace();
    await place.stele(["run", "say earlier"]);
    const stele = openStele(place, [], inTmux);
    await type(stele, "say before");
    await stele.waitFor("● before");
    await ready(stele);

    const clear = async (): Promise<void> => {
      stele.write(ctrlL);
      await stele.waitFor((each) => each.screen().findIndex((line) => /^ ─+$/.test(line)) === 0);
    };
    await clear();
    await type(stele, "say after");
    await stele.waitFor("● after");
    await ready(stele);
    expect(frames(stele.scrollback())).toBe(1);

    await clear();
    await type(stele, "/resume");
    await stele.waitFor("Resume a conversation (1)");
    stele.resize(78, 24);
    await stele.waitFor(/^ ─{71}$/m);
    await stele.waitFor("Resume a conversation (1)");
    stele.write("\x1b[27u");
    await ready(stele);
    const lines = stele.scrollback();
    expect(frames(lines)).toBe(1);
    expect(lines.filter((line) => line.includes("Resume a conversation"))).toEqual([]);
    for (const once of ["● before", "● after"]) expect(lines.filter((line) => line === once)).toHaveLength(1);
  });
});

/** By their status lines. */
function frames(lines: readonly string[]): number {
  return lines.filter((line) => /^ *(saved|saving)/.test(line)).length;
}
