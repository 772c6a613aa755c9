import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { editorOf, editText } from "../../../src/ui/external-editor.ts";
import { temporaryFolder } from "../../helpers/ledger.ts";

const never = new AbortController().signal;
const edit = (text: string, editor: string, signal = never) => editText(text, { editor, signal });

describe("editText", () => {
  it("gives the editor the exact text, in a file that nobody else can read, and removes it", async () => {
    const seen = path.join(temporaryFolder(), "seen");
    const text = "first 👩‍💻\n\n日本語 'quoted' $HOME\t";
    const script = `f() { ls -l "$1" > ${seen}.mode; echo "$1" > ${seen}.name; cat "$1" > ${seen}; }; f`;
    expect(await edit(text, script)).toEqual({ kind: "same" });
    expect(readFileSync(seen, "utf8")).toBe(text);
    expect(readFileSync(`${seen}.mode`, "utf8")).toMatch(/^-rw-------/);
    const folder = path.dirname(readFileSync(`${seen}.name`, "utf8").trim());
    expect(path.dirname(folder)).toBe(tmpdir());
    expect(readdirSync(tmpdir())).not.toContain(path.basename(folder));
  });

  it("gives back what was written, without the line end that editors add", async () => {
    expect(await edit("old", "f() { printf 'new\\nlines\\n' > \"$1\"; }; f")).toEqual({
      kind: "changed",
      text: "new\nlines",
    });
    expect(await edit("old\n", "f() { printf 'new\\r\\n' > \"$1\"; }; f")).toEqual({ kind: "changed", text: "new\n" });
    expect(await edit("old", "f() { printf 'old\\n' > \"$1\"; }; f")).toEqual({ kind: "same" });
    expect(await edit("old", 'f() { : > "$1"; }; f')).toEqual({ kind: "changed", text: "" });
  });

  it("takes an editor with arguments, and one whose path is in quotes", async () => {
    const script = path.join(temporaryFolder(), "my editor");
    writeFileSync(script, '#!/bin/sh\nprintf "%s" "$1" > "$2"\n', { mode: 0o755 });
    expect(await edit("x", `'${script}' --wait`)).toEqual({ kind: "changed", text: "--wait" });
  });

  it.each([
    ["an exit code", "f() { exit 3; }; f", "nothing was changed: exit code 3 of f()"],
    ["an exit code and a file that it emptied", 'f() { : > "$1"; exit 3; }; f', "nothing was changed: exit code 3"],
    [
      "a program that is not there",
      "no-such-editor-anywhere",
      "nothing was changed: exit code 127 of no-such-editor-anywhere",
    ],
    ["a signal", "f() { kill -TERM $$; }; f", "nothing was changed: the editor was ended by SIGTERM"],
    ["a file that is gone", "rm", "ENOENT"],
  ])("changes nothing after %s, and says why", async (_title, editor, words) => {
    const edited = await edit("text", editor);
    expect(edited).toMatchObject({ kind: "failed", why: expect.stringContaining(words) });
  });

  it.each([
    ["an exit code", "exit 3", "exit code 3 of f()"],
    ["a signal", "kill -TERM $$", "ended by SIGTERM"],
  ])("keeps what was saved before %s, and says so", async (_title, end, words) => {
    const edited = await edit("text", `f() { echo changed > "$1"; ${end}; }; f`);
    expect(edited).toMatchObject({ kind: "changed", text: "changed", why: expect.stringContaining(words) });
  });

  it("is over when it is told to end", async () => {
    const stop = new AbortController();
    const edited = edit("text", "f() { exec sleep 60; }; f", stop.signal);
    stop.abort();
    expect(await edited).toMatchObject({ kind: "failed" });
  });
});

describe("editorOf", () => {
  it("is VISUAL before EDITOR, and none where both are empty", () => {
    expect(editorOf({ VISUAL: "vim", EDITOR: "ed" })).toBe("vim");
    expect(editorOf({ VISUAL: " ", EDITOR: "code --wait" })).toBe("code --wait");
    expect(editorOf({})).toBeUndefined();
  });
});
