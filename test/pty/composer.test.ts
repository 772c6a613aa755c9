// Writing a prompt in the built program as a person does: finding an old prompt by ctrl+r, a file by `@`, a name behind
// a command, the own editor by ctrl+g, and what keys do to the text.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Terminal } from "../helpers/pty.ts";
import { expectFits, expectRestored } from "../helpers/screen.ts";
import { openStele, ready, type } from "../helpers/screen-program.ts";
import { type Workplace, workplace } from "../helpers/stele.ts";

const SIZES = [
  { cols: 80, rows: 24 },
  { cols: 40, rows: 15 },
  { cols: 20, rows: 12 },
];

/** The composer begins with this text. */
const written =
  (text: string) =>
  (terminal: Terminal): boolean =>
    terminal.screen().some((line) => line.startsWith(`❯ ${text}`));

/** What is on the screen, rows of one wrapped line put together. */
const shown = (terminal: Terminal): string => terminal.screen().join("\n").replaceAll("\n  ", "");

async function say(place: Workplace, ...prompts: readonly string[]): Promise<void> {
  for (const prompt of prompts) expect((await place.stele(["run", prompt])).code).toBe(0);
}

function put(place: Workplace, ...names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(path.dirname(path.join(place.folder, name)), { recursive: true });
    writeFileSync(path.join(place.folder, name), "");
  }
}

describe("ctrl+r", () => {
  it.each(SIZES)("finds an old prompt of another conversation, at $cols × $rows", async (size) => {
    const place = workplace();
    await say(place, "say needle one", "say 日本語 👩‍💻 needle two", "say something else");
    const stele = openStele(place, [], size);
    await ready(stele);
    stele.write("half a prompt");
    await stele.waitFor(written("half a prom"));

    stele.write("\x12");
    await stele.waitFor("say something else");
    stele.write("needle");
    await stele.waitFor(/needle\s+two/);
    expectFits(stele.screen(), size);
    stele.write("\x12");
    await stele.waitFor("say needle one");
    stele.write("zzz");
    await stele.waitFor("nothing found");
    expectFits(stele.screen(), size);
    stele.write("\x1b");
    await stele.waitFor(written("half a prom"));

    stele.write("\x12two");
    await stele.waitFor(/needle\s+two/);
    stele.write("\r");
    await stele.waitFor(written("say 日本語"));
    stele.write("\r");
    await stele.waitFor(/● 日本語/);
    await ready(stele);
  });
});

describe("@", () => {
  it.each(SIZES)("finds files by their letters and goes on in folders, at $cols × $rows", async (size) => {
    const place = workplace();
    put(place, "src/parser.ts", "src/deep/clock.ts", "my notes/日本語.md", "dist/parser.js", ".git/HEAD");
    writeFileSync(path.join(place.folder, ".gitignore"), "dist/\n");
    const stele = openStele(place, [], size);
    await ready(stele);

    stele.write("say @");
    await stele.waitFor((each) => each.screen().some((line) => /^❯ my notes\/$/.test(line)));
    stele.write("prs");
    await stele.waitFor((each) => each.screen().some((line) => /^❯ src\/parser\.ts$/.test(line)));
    expect(stele.screen().join("\n")).not.toContain("dist");
    expectFits(stele.screen(), size);
    stele.write("\t");
    await stele.waitFor(written("say"));
    await stele.waitFor((each) => /❯ say\s?@src\/parser\.ts$/m.test(shown(each)));

    stele.write("\x15say @src/\t");
    await stele.waitFor((each) => /❯ say\s?@src\/deep\/$/m.test(shown(each)));
    stele.write("\r");
    await stele.waitFor((each) => /❯ say\s?@src\/deep\/clock\.ts$/m.test(shown(each)));

    stele.write("\x15say @my\r");
    await stele.waitFor((each) => /❯ say\s?@"my notes\/$/m.test(shown(each)));
    stele.write("\r");
    await stele.waitFor((each) => /❯ say\s?@"my notes\/日本語\.md"$/m.test(shown(each)));
    stele.write("done\r");
    await stele.waitFor(/● @"my/);
    await ready(stele);
    expectFits(stele.screen(), size);
  });

  it("lets go on escape, so that enter sends what stands there", async () => {
    const place = workplace();
    put(place, "alice.txt");
    const stele = openStele(place);
    await ready(stele);
    stele.write("say hi @al");
    await stele.waitFor(/^❯ alice\.txt$/m);
    stele.write("\x1b");
    await stele.waitFor((each) => !each.screen().some((line) => line === "❯ alice.txt"));
    stele.write("i\r");
    await stele.waitFor("● hi @ali");
    await ready(stele);
  });
});

describe("names behind a command", () => {
  it("are offered, chosen with tab or arrows, and the only one that fits by enter", async () => {
    const place = workplace();
    await say(place, "say fix the clock", "say other things");
    const stele = openStele(place);
    await ready(stele);
    stele.write("/resume clock");
    await stele.waitFor(/^ {2}say fix the clock +just now/m);
    stele.write("\t");
    await stele.waitFor(/^❯ \/resume say fix the clock$/m);
    stele.write("\r");
    await stele.waitFor("● fix the clock");
    await ready(stele);
    stele.write("/model gui");
    await stele.waitFor(/^❯ guide\/guide +current/m);
    stele.write("\r");
    await stele.waitFor(/^❯ \/model guide\/guide$/m);
    stele.write("\r");
    await stele.waitFor("The model is guide/guide already.");
    await ready(stele);
  });
});

describe("ctrl+g", () => {
  function editor(place: Workplace, script: string): Record<string, string> {
    const file = path.join(place.home, "..", "my editor.sh");
    writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return { VISUAL: `'${file}'` };
  }

  it("lends the terminal to the editor, while a turn goes on, and takes its text", async () => {
    const place = workplace();
    const seen = path.join(place.folder, "seen");
    const env = editor(place, `cat "$1" > ${seen}; printf 'EDITING'; read line; printf 'say %s' "$line" > "$1"`);
    const stele = openStele(place, ["--yes"], { cols: 80, rows: 24, env });
    await type(stele, "run while [ ! -e go ]; do sleep 0.05; done then say finished meanwhile");
    await stele.waitFor(/running/);
    stele.write("text\x1b\rof mine");
    await stele.waitFor("of mine");
    stele.write("\x07");
    await stele.waitFor("EDITING");
    expect(readFileSync(seen, "utf8")).toBe("text\nof mine");
    expectRestored(stele);
    // Neither a new size nor going on after a stop of both is a reason to draw over it.
    stele.resize(90, 28);
    process.kill(stele.pid, "SIGCONT");
    put(place, "go");
    await stele.waitFor((each) => !each.screen().join("\n").includes("❯"));
    stele.write("edited 日本語\r");
    await stele.waitFor(written("say edited 日本語"));
    await stele.waitFor("Done: 2 steps.");
    expect(stele.scrollback().filter((line) => line.includes("Done: 2 steps."))).toHaveLength(1);
    stele.write("\r");
    await stele.waitFor("● edited 日本語");
    await ready(stele);
  });

  it("changes nothing when the editor fails, and says so; ctrl+c in it is its own", async () => {
    const place = workplace();
    const env = editor(place, `trap 'exit 3' INT; printf 'EDITING'; while :; do sleep 0.05; done`);
    const stele = openStele(place, [], { cols: 80, rows: 24, env });
    await ready(stele);
    stele.write("mine\x07");
    await stele.waitFor("EDITING");
    stele.write("\x03");
    await stele.waitFor("nothing was changed: exit code 3 of");
    expect(written("mine")(stele)).toBe(true);
  });

  it("says how to set an editor where none is", async () => {
    const stele = openStele(workplace(), [], { cols: 80, rows: 24, env: { VISUAL: "", EDITOR: "" } });
    await ready(stele);
    stele.write("\x07");
    await stele.waitFor("no editor is set: export EDITOR=vim");
  });

  it("gives the terminal back when it is ended meanwhile", async () => {
    const place = workplace();
    const pid = path.join(place.folder, "pid");
    const env = editor(place, `echo $$ > ${pid}; printf 'EDITING'; exec sleep 60`);
    const stele = openStele(place, [], { cols: 80, rows: 24, env });
    await ready(stele);
    stele.write("kept\x07");
    await stele.waitFor((each) => each.screen().join("\n").includes("EDITING") && existsSync(pid));
    stele.kill("SIGTERM");
    expect((await stele.exit).exitCode).toBe(130);
    expectRestored(stele);
    expect(() => process.kill(Number(readFileSync(pid, "utf8")), 0)).toThrow("ESRCH");
    const next = openStele(place, ["-c"]);
    await next.waitFor(written("kept"));
  });
});

describe("a key that was chosen in the config", () => {
  it("does what it was chosen for, in place of the old one, and `?` shows it", async () => {
    const place = workplace();
    mkdirSync(place.home, { recursive: true });
    const keys = { search: "ctrl+t", yank: "ctrl+r", page: [] };
    writeFileSync(path.join(place.home, "config.json"), JSON.stringify({ keys }));
    await say(place, "say needle");
    const stele = openStele(place);
    await ready(stele);
    stele.write("?");
    await stele.waitFor((each) => /^ctrl\+t +search the prompts/m.test(each.scrollback().join("\n")));
    stele.write("\x14");
    await stele.waitFor("say needle");
    stele.write("\x1b");
    await ready(stele);
    stele.write("cut this\x17\x12\x12");
    await stele.waitFor(/^❯ cut thisthis$/m);
  });

  it("and cannot be read is named with its place before anything is opened", async () => {
    const place = workplace();
    mkdirSync(place.home, { recursive: true });
    writeFileSync(path.join(place.home, "config.json"), JSON.stringify({ keys: { stop: "f1", page: "ctlr+o" } }));
    const stele = openStele(place);
    expect((await stele.exit).exitCode).toBe(2);
    const said = stele.scrollback().join("\n");
    expect(said).toMatch(/keys\.stop:\s+escape stays the key for it/);
    expect(said).toMatch(/keys\.page:\s+"ctlr\+o" is no key/);
  });
});

describe("editing", () => {
  it("selects words with shift or from a mark on, shown inverse, and cuts and replaces them", async () => {
    const stele = openStele(workplace());
    await ready(stele);
    stele.write("one two three\x1b[1;4D");
    await stele.waitFor((each) => /\x1b\[(?:0;)?7mthree\x1b/.test(each.raw()));
    stele.write("\x17");
    await stele.waitFor(/^❯ one two$/m);
    stele.write("\0\x1bb\x1b[D");
    await stele.waitFor((each) => /\x1b\[(?:0;)?7m two \x1b/.test(each.raw()));
    stele.write("!\x19");
    await stele.waitFor(/^❯ one!three$/m);
    stele.write("\x1f\x1f");
    await stele.waitFor(/^❯ one two$/m);
  });

  it("cuts, puts back older cuts, undoes and redoes", async () => {
    const stele = openStele(workplace());
    await ready(stele);
    stele.write("one two three\x17\x1b[D\x17");
    await stele.waitFor(/^❯ one$/m);
    stele.write("\x05\x19");
    await stele.waitFor(/^❯ one {2}two$/m);
    stele.write("\x1by");
    await stele.waitFor(/^❯ one {2}three$/m);
    stele.write("\x1f");
    await stele.waitFor((each) => each.screen().some((line) => line === "❯ one"));
    stele.write("\x1b/");
    await stele.waitFor(/^❯ one {2}three$/m);
  });
});

describe("a command that failed", () => {
  it("is left to be mended, and what is typed instead takes its place", async () => {
    const stele = openStele(workplace(), [], { cols: 80, rows: 24 });
    await ready(stele);
    stele.write("/model nope\r");
    await stele.waitFor("See: /models");
    await stele.waitFor(written("/model nope"));
    stele.write("/title nope --x\r");
    await stele.waitFor(/There is no .*--x/);
    await stele.waitFor(written("/title nope --x"));
    stele.write("\x7f\x7f\x7f");
    await stele.waitFor((terminal) => terminal.screen().some((line) => /^❯ \/title nope *$/.test(line)));
    stele.write("\r");
    await stele.waitFor("The title is now “nope”.");
    stele.write("\x04");
    expect((await stele.exit).exitCode).toBe(0);
  });
});
