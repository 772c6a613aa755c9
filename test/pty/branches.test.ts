// A conversation with three branches, in the built program: its tree, two of them side by side, an edited prompt, and
// the way back to what was there before.
import { describe, expect, it } from "vitest";
import type { Terminal } from "../helpers/pty.ts";
import { everything, openStele, ready, type } from "../helpers/screen-program.ts";
import { workplace } from "../helpers/stele.ts";

const enter = "\x1b[13u";
const escape = "\x1b[27u";

async function say(stele: Terminal, text: string): Promise<void> {
  await type(stele, `say ${text}`);
  await stele.waitFor(new RegExp(`^● ${text}$`, "m"));
}

describe("branches of a conversation", () => {
  it("are a tree to go through, stand side by side, and nothing of them is lost by an edit", async () => {
    const stele = openStele(workplace(), [], { cols: 110, rows: 32 });
    await say(stele, "one");
    await say(stele, "two");
    for (const [name, text] of [
      ["left", "to the left"],
      ["right", "to the right"],
    ] as const) {
      await type(stele, `/branch ${name}`);
      await stele.waitFor(`“${name}” is a branch of`);
      await say(stele, text);
    }

    await type(stele, "/tree");
    await stele.waitFor(/^ {2}say one +2 turns.*\n {2}└ left +after turn 2 +3 turns.*\n❯ {3}└ right +← here +4 turns/m);
    await stele.waitFor("│ ● to the right");
    stele.write("\x1b[A");
    await stele.waitFor(/^❯ └ left/m);
    await stele.waitFor("│ ● to the left");
    stele.write(enter);
    await stele.waitFor(/“left” · 3 turns/);

    await type(stele, "/compare right");
    await stele.waitFor(
      /^Both are the same up to turn 3 \(message \d+\)\.\nleft \(here\) +│ right\n\(nothing more\) +│ › say to the right\n +│ ● to the right$/m,
    );
    stele.resize(60, 32);
    await ready(stele);
    await type(stele, "/compare right");
    await stele.waitFor(/^left \(here\):\n\(nothing more\)\n\nright:\n› say to the right\n● to the right$/m);
    stele.resize(110, 32);

    await type(stele, "/edit");
    await stele.waitFor(/Edit which prompt\? \(3\)\n.*\n❯ 3 {2}say to the left/);
    stele.write(enter);
    await stele.waitFor(/Turn 3 is to be asked anew[\s\S]*^❯ say to the left$/m);
    stele.write(` again${enter}`);
    await stele.waitFor(/^● to the left again$/m);
    await type(stele, "/retry --other");
    await stele.waitFor(/Answer 1 of 2: “say to the left”\. \/retry --other goes on to the next one\./);
    await type(stele, "/tree");
    await stele.waitFor(/├ undone: “say to the l\S* +after turn 2 +1 turn/);
    stele.write(escape);
    await type(stele, "/retry --other");
    await stele.waitFor(/Answer 2 of 2: “say to the left again”/);
    await ready(stele);
    expect(everything(stele)).not.toMatch(/NOT SAVED|cannot/);
  });
});
