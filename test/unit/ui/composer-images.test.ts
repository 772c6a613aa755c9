// An image in the composer: it takes the place of the text that named it, moves and goes as one, and every way that a
// text comes back brings it back.
import { describe, expect, it } from "vitest";
import { imageToken } from "../../../src/ledger/image-token.ts";
import type { Hash } from "../../../src/ledger/types.ts";
import { bufferLines } from "../../../src/ui/composer-buffer.ts";
import {
  type ComposerAction,
  type ComposerState,
  composerReducer,
  composerText,
  createComposer,
} from "../../../src/ui/composer-state.ts";

const image = imageToken({ name: "shot.png", width: 640, height: 480, hash: "a".repeat(64) as Hash });
const attach = (text: string): ComposerAction => ({ type: "attach", text, image });
const insert = (text: string): ComposerAction => ({ type: "insert", text });

function run(
  text: string,
  ...steps: readonly (ComposerAction | "backspace" | "left" | "undo" | "home")[]
): ComposerState {
  const start = createComposer({ width: 80 });
  return [insert(text), ...steps].reduce<ComposerState>(
    (state, step) => composerReducer(state, typeof step === "string" ? { type: step } : step),
    start,
  );
}
/** What is seen, with a bar for the cursor. */
function seen(state: ComposerState): string {
  const marked = composerReducer(state, insert("|"));
  const lines = bufferLines(marked.buffer).map((line) =>
    line.map((cell) => (typeof cell === "string" ? cell : cell.label)),
  );
  return lines.map((line) => line.join("")).join("\n");
}

describe("an image in the composer", () => {
  it("stands where its path stood, with the cursor where it was in the text", () => {
    expect(seen(run("see @shot.png now", attach("@shot.png")))).toBe("see [image shot.png 640×480] now|");
    expect(seen(run("see @shot.png", "left", attach("@shot.png")))).toBe("see [image shot.png 640×480]|");
    expect(seen(run("see @shot.png", "home", attach("@shot.png")))).toBe("|see [image shot.png 640×480]");
    const above = run("a @shot.png b\nc\nd", attach("@shot.png"));
    expect(seen(above)).toBe("a [image shot.png 640×480] b\nc\nd|");
    expect(composerText(above)).toBe(`a ${image.token} b\nc\nd`);
  });

  it("is put in only where the text still stands, and at the last such place", () => {
    const changed = run("see @shot.jpg");
    expect(composerReducer(changed, attach("@shot.png"))).toBe(changed);
    expect(seen(run("x.png x.png", attach("x.png")))).toBe("x.png [image shot.png 640×480]|");
    expect(seen(run("x.png x.png", attach("x.png"), attach("x.png")))).toBe(`${image.label} ${image.label}|`);
  });

  it("goes with one backspace, and an undo gives first it and then its path back", () => {
    const state = run("see @shot.png", attach("@shot.png"), "backspace");
    expect(seen(state)).toBe("see |");
    expect(seen(run("see @shot.png", attach("@shot.png"), "backspace", "undo"))).toBe(`see ${image.label}|`);
    expect(seen(run("see @shot.png", attach("@shot.png"), "backspace", "undo", "undo"))).toBe("see @shot.png|");
  });

  it("comes back with a text that is set, pasted or recalled", () => {
    const text = `one ${image.token} two\n${image.token}`;
    const shown = `one ${image.label} two\n${image.label}`;
    const set = run("", { type: "set", text });
    const pasted = run("", { type: "paste", text });
    const recalled = run("", { type: "history", entries: [text] }, { type: "up" });
    for (const state of [set, pasted, recalled]) {
      expect(seen(state)).toBe(`${shown}|`);
      expect(composerText(state)).toBe(text);
    }
  });
});
