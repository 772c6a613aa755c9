// The built program in terminals that are not as most: that can only print, that are listened to, that answer late, take
// nothing, or stop at the wrong time.
import { readFileSync } from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, vi } from "vitest";
import { answer } from "../helpers/answer.ts";
import type { Terminal } from "../helpers/pty.ts";
import { expectInOrder, expectRestored } from "../helpers/screen.ts";
import { everything, openStele, ready, type } from "../helpers/screen-program.ts";
import { type Workplace, workplace } from "../helpers/stele.ts";
import { writeConfig } from "../helpers/write-config.ts";

const wide = { cols: 100, rows: 40 };

function query<Row>(place: Workplace, sql: string): Row[] {
  const ledger = new Database(path.join(place.home, "state.db"), { readonly: true });
  try {
    return ledger.prepare(sql).all() as Row[];
  } finally {
    ledger.close();
  }
}

/** Words of their own line. */
async function told(terminal: Terminal, line: string): Promise<void> {
  await terminal.waitFor((each) => everything(each).split("\n").includes(line));
}

const isTold = "ready: new conversation, model guide. Type a prompt, or ? for help";

describe("a terminal that can only print", () => {
  it.each([
    { how: "TERM=dumb", args: [], env: { TERM: "dumb" } },
    { how: "--screen-reader", args: ["--screen-reader"], env: {} },
    { how: "STELE_SCREEN_READER", args: [], env: { STELE_SCREEN_READER: "1" } },
  ])("$how: a whole session in lines, without one escape sequence", async ({ args, env }) => {
    const place = workplace();
    writeConfig(place, { notify: "bell" });
    const stele = openStele(place, args, { ...wide, env });
    await told(stele, isTold);
    stele.write("run echo $((6*7)) then write note.txt: hello\r");
    await told(stele, "approval needed: shell: echo $((6*7))");
    stele.write("what?\r");
    await told(stele, "not sent: what?");
    await answer(stele, "y\r");
    await stele.waitFor(/tool shell: echo .*: exit 0/);
    await stele.waitFor(/approval needed: write_file/);
    await answer(stele, "y\r");
    await stele.waitFor(/turn ended after \d+ s, saved/);
    expect(readFileSync(path.join(place.folder, "note.txt"), "utf8")).toBe("hello");
    stele.write("/undo\r");
    await stele.waitFor(/1: note\.txt: chosen/);
    await answer(stele, "apply\r");
    // What was kept, and the prompt that the undo gave back.
    await stele.waitFor((each) => everything(each).split("type /send").length === 3);
    await told(stele, "the conversation is empty now");
    expectInOrder(stele.scrollback(), ["apply", "not sent: what?", "run echo $((6*7)) then write", "type /send"]);
    stele.write("/drop\r");
    await told(stele, "dropped");
    stele.write("\x04");
    expect((await stele.exit).exitCode).toBe(0);
    expect(stele.raw()).not.toMatch(/[\x1b\x9b]/);
    expectInOrder(stele.scrollback(), [isTold, "you: run echo", "working", "42", "answer: ", "turn ended"]);
  });

  it("asks about a crash with numbers, and keeps what was not sent", async () => {
    const place = workplace();
    const first = openStele(place, ["--screen-reader", "--yes"], wide);
    await first.waitFor("ready: new conversation");
    // Pasted: one prompt.
    first.write("say one\rtwo\r");
    await first.waitFor(/you: say one\s+two\s/);
    await first.waitFor(/turn ended/);
    first.write("run echo a; exec sleep 60\r");
    await first.waitFor(/sleep 60: running/);
    first.write("kept \\\r");
    await vi.waitFor(
      () => expect(query(place, "select text from drafts where text like 'kept%'")).toHaveLength(1),
      30_000,
    );
    first.kill("SIGKILL");
    await first.exit;
    const second = openStele(place, ["-c", "--screen-reader"], wide);
    await second.waitFor(/1: Decide about the call that still runs/);
    await second.waitFor(/not sent: kept/);
    await answer(second, "1\r");
    await second.waitFor(/2: Stop it/);
    await answer(second, "2\r");
    // The first list had it too, perhaps under another number.
    const settle = /(\d): Settle as interrupted/g;
    await second.waitFor((each) => [...everything(each).matchAll(settle)].length === 2);
    await answer(second, `${[...everything(second).matchAll(settle)].at(-1)?.[1]}\r`);
    await second.waitFor(/Turn 2 is settled as interrupted[\s\S]*turn ended, saved/);
    expect(query(place, "select outcome from admissions order by rowid")).toEqual([
      { outcome: "completed" },
      { outcome: "interrupted" },
    ]);
    second.write("\x03");
    await second.waitFor("press ctrl+c again to quit");
    second.write("\x03");
    expect((await second.exit).exitCode).toBe(0);
  });

  it("stops a turn with esc and enter, and sends no key of what was typed", async () => {
    const place = workplace();
    const stele = openStele(place, ["--screen-reader", "--yes"], wide);
    await stele.waitFor("ready: new conversation");
    stele.write("run echo a;\x1b[D exec sleep 60\r");
    await stele.waitFor(/sleep 60: running/);
    stele.write("\x1b\r");
    await stele.waitFor(/turn ended/);
    stele.write("\x1b[A\r");
    await stele.waitFor(/other keys do nothing here/);
    expect(query(place, "select summary from admissions")).toEqual([{ summary: "run echo a; exec sleep 60" }]);
    stele.write("/quit\r");
    expect((await stele.exit).exitCode).toBe(0);
  });

  it("stops a turn with ctrl+c, once", async () => {
    const place = workplace();
    const stele = openStele(place, ["--screen-reader", "--yes"], wide);
    await stele.waitFor("ready: new conversation");
    stele.write("run echo a; exec sleep 60\r");
    await stele.waitFor(/sleep 60: running/);
    stele.write("\x03");
    await stele.waitFor(/turn ended/);
    await told(stele, "stopping");
    stele.write("/quit\r");
    expect((await stele.exit).exitCode).toBe(0);
  });
});

describe("where there is no terminal", () => {
  it("says so, and how to give a prompt", async () => {
    const place = workplace();
    const { code, err } = await place.stele([]);
    expect(code).toBe(2);
    expect(err).toContain("There is no terminal here, so stele runs one turn and ends; no prompt was given.");
    expect((await place.stele(["--screen-reader"], { stdin: "say hi" })).out).toBe("hi\n");
  });
});

describe("the background", () => {
  const light = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\";
  const question = "\x1b]11;?\x1b\\";
  const env = { COLORTERM: "truecolor" };
  const lightAccent = "38;2;0;95;175m";
  const darkAccent = "38;2;95;215;215m";

  it("is asked for behind the first frame, and colours are for it from then on", async () => {
    const stele = openStele(workplace(), [], { ...wide, env });
    await stele.waitFor((each) => each.raw().includes(question));
    expect(stele.raw().indexOf("stele 0.")).toBeLessThan(stele.raw().indexOf(question));
    stele.write(light);
    await type(stele, "say `code`");
    await stele.waitFor((each) => each.raw().includes(lightAccent));
    expect(everything(stele)).not.toMatch(/rgb|ffff/);
    stele.write("\x04");
    await stele.exit;
  });

  it("is never text, also where the answer comes late and in pieces", async () => {
    const stele = openStele(workplace(), [], { ...wide, env });
    await ready(stele);
    stele.write("ab\x1b]11;rgb:ff");
    await stele.waitFor(/❯ ab/);
    stele.write("ff/ffff/ffff\x1b\\cd");
    await stele.waitFor(/❯ abcd/);
    expect(everything(stele)).not.toMatch(/rgb|ffff/);
  });

  it("is not asked for, and nothing is coloured, with NO_COLOR", async () => {
    const stele = openStele(workplace(), [], { ...wide, env: { ...env, NO_COLOR: "1" } });
    await type(stele, "say `code`");
    await stele.waitFor(/● code/);
    expect(stele.raw()).not.toContain(question);
    expect(stele.raw()).not.toMatch(/\x1b\[(?:\d+;)*(?:3[0-8]|9[0-7])[;m]/);
  });

  it("is what the config says where it says something", async () => {
    const place = workplace();
    writeConfig(place, { theme: "dark" });
    const stele = openStele(place, [], { ...wide, env });
    await stele.waitFor((each) => each.raw().includes(question));
    stele.write(light);
    await type(stele, "say `code`");
    await stele.waitFor((each) => each.raw().includes(darkAccent));
    expect(stele.raw()).not.toContain(lightAccent);
  });
});

describe("the title", () => {
  it("is set while it is open and put back on every way out", async () => {
    for (const [end, code] of [
      ["quit", 0],
      ["SIGTERM", 130],
    ] as const) {
      const stele = openStele(workplace(), [], wide);
      await type(stele, "say hi");
      await stele.waitFor((each) => /\x1b\]2;stele · say hi · /.test(each.raw()));
      expect(stele.raw()).toMatch(/\x1b\[22;0t/);
      if (end === "quit") stele.write("\x04");
      else stele.kill(end);
      expect((await stele.exit).exitCode).toBe(code);
      expectRestored(stele);
      expect(stele.raw().split("\x1b[22;0t")).toHaveLength(2);
      expect(stele.raw().slice(stele.raw().lastIndexOf("\x1b]2;"))).toMatch(/^\x1b\]2;\x07\x1b\[23;0t/);
    }
  });

  it("is not touched where the config says so", async () => {
    const place = workplace();
    writeConfig(place, { title: false });
    const stele = openStele(place, [], wide);
    await type(stele, "say hi");
    await stele.waitFor(/● hi/);
    stele.write("\x04");
    await stele.exit;
    expect(stele.raw()).not.toMatch(/\x1b\]2;|\x1b\[2[23];0t/);
  });

  it("asks for focus only where somebody wants to be called, and gives that back", async () => {
    const place = workplace();
    writeConfig(place, { notify: "bell" });
    const stele = openStele(place, [], wide);
    await ready(stele);
    await stele.waitFor((each) => each.modes().focusReports);
    stele.write("a\x1b[Ib\x1b[Oc");
    await stele.waitFor(/❯ abc/);
    stele.kill("SIGTERM");
    await stele.exit;
    expectRestored(stele);
  });
});

describe("a terminal that takes nothing", () => {
  /** More than any terminal keeps for its reader. */
  const long = Array.from({ length: 8_000 }, (_, at) => `this is line ${at} of a long answer`).join("\n");

  /** Its turns are over, one after what it could not write any more, and not a byte of them was read. */
  async function toldToNobody(place: Workplace): Promise<Terminal> {
    const stele = openStele(place, ["--yes"], wide);
    await ready(stele);
    stele.pause();
    for (const [count, words] of [`say ${long}`, "say more"].entries()) {
      stele.write(`\x1b[200~${words}\x1b[201~\r`);
      const ended = (): unknown[] => query(place, "select 1 from admissions where status = 'terminal'");
      await vi.waitFor(() => expect(ended()).toHaveLength(count + 1), { timeout: 30_000, interval: 50 });
    }
    return stele;
  }

  it("stops no turn: the ledger goes on, and later the screen is there as it is now", async () => {
    const stele = await toldToNobody(workplace());
    stele.resume();
    await stele.waitFor("this is line 7999 of a long answer");
    await type(stele, "say the end");
    await stele.waitFor(/● the end/);
    stele.write("\x04");
    expect((await stele.exit).exitCode).toBe(0);
    expectRestored(stele);
  });

  it("does not keep the program from ending", async () => {
    const stele = await toldToNobody(workplace());
    stele.kill("SIGTERM");
    await vi.waitFor(() => expect(() => process.kill(stele.pid, 0)).toThrow(), { timeout: 30_000, interval: 100 });
    stele.resume();
    await stele.exit;
  });
});
