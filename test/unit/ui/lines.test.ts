// The front end in lines: what it says, and what typed lines do.
import { describe, expect, it } from "vitest";
import type { ApprovalReply } from "../../../src/agent/turn-context.ts";
import type { Admission, CallId, MessageId, ToolCall } from "../../../src/ledger/types.ts";
import { askApproval } from "../../../src/ui/ask-approval.ts";
import { askPick } from "../../../src/ui/ask-pick.ts";
import { note } from "../../../src/ui/block.ts";
import { composerText } from "../../../src/ui/composer-state.ts";
import { LineEntry } from "../../../src/ui/line-entry.ts";
import { LineTeller } from "../../../src/ui/line-teller.ts";
import type { Screen } from "../../../src/ui/live-screen.ts";
import { askConfirm, askDecision, askPreview } from "../../../src/ui/modals.ts";
import { isDumb } from "../../../src/ui/plain-terminal.ts";
import { openDecision } from "../../../src/ui/recovery.ts";
import type { KeyActions } from "../../../src/ui/screen-keys.ts";
import { testScreen } from "./test-screen.ts";
import { answer, call, message, session, settled, started } from "./view-samples.ts";

interface Front {
  readonly screen: Screen;
  readonly entry: LineEntry;
  /** Lines since it was asked last. */
  said(): readonly string[];
  readonly entered: string[];
  readonly did: string[];
}

function front({ runs = false } = {}): Front {
  let written = "";
  const stdout = {
    columns: 40,
    rows: 10,
    write: (text: string) => {
      written += text;
    },
  };
  const teller = new LineTeller();
  const screen = testScreen(stdout, { teller });
  const entered: string[] = [];
  const did: string[] = [];
  const nothing = (): void => {};
  const actions: KeyActions = {
    enter: (text) => entered.push(text),
    stop: () => {
      if (runs) did.push("stop");
      return runs;
    },
    quit: () => did.push("quit"),
    suspend: nothing,
    page: nothing,
    prompts: () => undefined,
    edit: nothing,
    mode: () => undefined,
  };
  const said = (): readonly string[] => {
    screen.paint();
    const lines = written.split("\n").slice(0, -1);
    written = "";
    for (const line of lines) expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f─│┼⎿]/);
    return lines;
  };
  return { screen, entry: new LineEntry({ screen, teller, actions }), said, entered, did };
}

function opened(options = {}): Front {
  const made = front(options);
  made.screen.dispatch({ type: "booted", session, mode: "ask", waiting: [] });
  made.said();
  return made;
}

const ask = (more = {}) => ({
  call: call(1, {}),
  summary: "npm test",
  subject: "npm test\nrm -rf \u202e/",
  why: "it runs a command",
  mode: "ask" as const,
  isEditable: true,
  rule: "shell(npm test)",
  ...more,
});

/** It opens once what the terminal holds is read. */
async function asked({ modal }: Screen): Promise<void> {
  for (let turn = 0; turn < 5 && modal === undefined; turn += 1) await new Promise(setImmediate);
}

describe("what is said", () => {
  it("is a line for each event, once, in words", () => {
    const { screen, said } = front();
    expect(said()).toEqual(["opening the ledger"]);
    screen.dispatch({ type: "booted", session, mode: "ask", waiting: [] });
    expect(said()).toEqual(["ready: new conversation, model m. Type a prompt, or ? for help"]);
    screen.dispatch({
      type: "message-added",
      message: message(1, "user", { parts: [{ kind: "text", text: "go\non" }] }),
    });
    screen.dispatch(started);
    expect(said()).toEqual(["you: go", "on", "working"]);
    screen.dispatch({ type: "call-changed", call: call(1, {}) });
    expect(said()).toEqual(["tool shell: npm test: running"]);
    screen.dispatch({ type: "call-output", call: "call-1", chunk: "half of it" });
    expect(said()).toEqual([]);
    const outcome = { kind: "failed", output: "one\ntwo\x1b[31m", exitCode: 1 } as const;
    const parts = [{ kind: "tool-result", call: "call-1", outcome } as const];
    screen.dispatch({ type: "message-added", message: message(3, "tool", { parts }) });
    expect(said()).toEqual(["tool shell: npm test: exit 1", "one", "two"]);
    screen.dispatch({
      type: "text-delta",
      text: "# Fixed\n- [a](http://b.c)\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n---\nha",
    });
    expect(said()).toEqual(["answer: heading: Fixed", "- a (http://b.c)", "", "x: 1; y: 2", ""]);
    screen.dispatch(settled());
    expect(said().at(-1)).toMatch(/^turn ended after \d+ s, saved$/);
    expect(said()).toEqual([]);
  });

  it("has an end for each turn, also where all of it came at once", () => {
    const { screen, said } = opened();
    for (let turn = 0; turn < 2; turn += 1) {
      screen.dispatch(started);
      screen.dispatch(answer(9, "so"));
      screen.dispatch(settled());
      expect(said()).toEqual(["answer: so", "turn ended, saved"]);
    }
  });

  it("says when it is not saved, and that a turn waits", () => {
    const { screen, said } = opened();
    screen.dispatch(started);
    screen.dispatch({ type: "ledger-problem", error: { code: "disk_full", message: "disk full", hint: "free some" } });
    expect(said()).toContain("error: NOT SAVED: disk full");
    screen.dispatch(answer(9, "so"));
    expect(said()).toEqual(["answer: so", "saved again"]);
    screen.print(note("careful", "warning"), { kind: "table", columns: ["a", ""], rows: [["1", "2"]] });
    expect(said()).toEqual(["warning: careful", "a: 1; 2"]);
  });

  it("says of each prompt that it waits, and of each that it is held, also where it waited before", () => {
    const { screen, said } = opened();
    screen.dispatch(started);
    const row = (id: number, held?: string) =>
      ({
        id,
        summary: `p${id}`,
        status: "queued",
        conversation: session.conversation,
        ...(held && { held }),
      }) as Admission;
    screen.dispatch({ type: "queue-changed", waiting: [row(8)] });
    expect(said()).toEqual(["working", "waiting: p8"]);
    screen.dispatch({ type: "queue-changed", waiting: [row(8, "stopped"), row(9, "stopped")] });
    expect(said()).toEqual(["held: p8, /queue run starts it", "held: p9, /queue run starts it"]);
    screen.dispatch({ type: "queue-changed", waiting: [row(8, "stopped"), row(9, "stopped")] });
    expect(said()).toEqual([]);
  });

  it("keeps head and tail of an output, and says how much is left out", () => {
    const { screen, said } = opened();
    const output = Array.from({ length: 500 }, (_, index) => `line ${index}`).join("\n");
    screen.print({ kind: "tool", made: { tool: "shell", input: { command: "x" } }, outcome: { kind: "ok", output } });
    const lines = said();
    expect(lines).toHaveLength(1 + 10 + 1 + 10);
    expect(lines).toContain("480 lines are left out here");
    expect(lines.at(-1)).toBe("line 499");
  });
});

describe("an approval", () => {
  async function answered(...lines: readonly string[]): Promise<{ reply: ApprovalReply; stops: boolean }> {
    const { screen, entry, said } = opened();
    const reply = askApproval(screen, ask({ deny: "shell(npm)" }), new AbortController().signal);
    await asked(screen);
    expect(said()).toEqual([
      "approval needed: shell: npm test",
      "rm -rf \\u202e/",
      "It acts on the world; /undo cannot take that back.",
      "Asked in mode ask: it runs a command",
      "answer y for yes, this once; a for always, which allows shell(npm test); " +
        "e and another command to run that instead; n for no; t and a reason for no; " +
        "d for never, which denies shell(npm)",
    ]);
    for (const line of lines) entry.line(line);
    return reply;
  }

  it.each([
    [["y"], { kind: "once" }],
    [["YES"], { kind: "once" }],
    [["a"], { kind: "always", rule: "shell(npm test)" }],
    [["d"], { kind: "never", rule: "shell(npm)" }],
    [["e npm run lint"], { kind: "edited", subject: "npm run lint" }],
    [["n"], { kind: "no" }],
    [["t use yarn"], { kind: "no", because: "use yarn" }],
    [["t", "use yarn"], { kind: "no", because: "use yarn" }],
    [["t", ""], { kind: "no" }],
  ])("is answered by %j", async (lines, reply) => expect(await answered(...lines)).toEqual({ reply, stops: false }));

  it("is not answered by any other line, which is kept and not sent", async () => {
    const { screen, entry, said, entered } = opened();
    const reply = askApproval(screen, ask(), new AbortController().signal);
    await asked(screen);
    said();
    for (const line of ["yes please", "", "1", "yy", "\x1b"]) entry.line(line);
    expect(screen.modal).toBeDefined();
    expect(entered).toEqual([]);
    expect(composerText(screen.composer)).toBe("yes please\n1\nyy");
    expect(said().filter((line) => line.startsWith("approval needed"))).toHaveLength(5);
    entry.line("n");
    await reply;
    entry.line("/send");
    expect(entered).toEqual(["yes please\n1\nyy"]);
  });

  it("is said again when the same is asked twice", async () => {
    const { screen, entry, said } = opened();
    for (let time = 0; time < 2; time += 1) {
      const reply = askApproval(screen, ask(), new AbortController().signal);
      await asked(screen);
      expect(said()[0]).toBe("approval needed: shell: npm test");
      entry.line("y");
      await reply;
    }
  });
});

describe("other prompts", () => {
  it("a list is numbered, narrowed by words, and left by 0", async () => {
    const { screen, entry, said } = opened();
    const items = Array.from({ length: 30 }, (_, at) => ({
      command: `/go ${at}`,
      label: `item ${at}`,
      detail: "idle",
    }));
    const chosen = askPick(screen, { title: "Sessions", items, empty: "none" });
    const lines = said();
    expect(lines).toHaveLength(1 + 20 + 2);
    expect(lines[3]).toBe("3: item 2, idle");
    entry.line("item 29");
    expect(said()).toEqual([
      "choose: Sessions, 1 found for item 29",
      "1: item 29, idle",
      "type a number to choose, words to search, 0 to leave",
    ]);
    entry.line("2");
    expect(screen.modal).toBeDefined();
    entry.line("1");
    expect(await chosen).toEqual({ command: "/go 29" });
    const left = askPick(screen, { title: "Sessions", items, empty: "none" });
    entry.line("item");
    entry.line("0");
    expect(await left).toBeUndefined();
  });

  it("a list says that nothing fits, and that it is empty only where it is", async () => {
    const { screen, entry, said } = opened();
    const items = [{ command: "/undo 1", label: "go on", detail: "" }];
    const left = askPick(screen, { title: "Turns", items, empty: "There is no turn yet" });
    said();
    entry.line("zzzz");
    expect(said()).toEqual([
      "choose: Turns, 0 found for zzzz",
      "nothing fits: type other words",
      "type a number to choose, words to search, 0 to leave",
    ]);
    entry.line("go");
    expect(said()[1]).toBe("1: go on");
    entry.line("0");
    await left;
    void askPick(screen, { title: "Turns", items: [], empty: "There is no turn yet" });
    expect(said()[1]).toBe("There is no turn yet");
  });

  it("a question takes y and n only", async () => {
    const { screen, entry } = opened();
    const yes = askConfirm(screen, "Delete it?");
    entry.line("sure");
    entry.line("y");
    expect(await yes).toBe(true);
    const no = askConfirm(screen, "Delete it?");
    entry.line("no");
    expect(await no).toBe(false);
  });

  it("a decision about a crash is numbered, and nothing is chosen by an empty line", async () => {
    const { screen, entry, said } = opened();
    const unknown = call(4, {
      id: 4 as CallId,
      state: "unknown",
      evidence: "process gone",
    } satisfies Partial<ToolCall>);
    const admission = { id: 7, attempts: 1, summary: "make it pass" };
    const state = openDecision({ admission, session, calls: [unknown] } as unknown as Parameters<
      typeof openDecision
    >[0]);
    const choice = askDecision(screen, state);
    expect(said()).toEqual([
      "decision needed: a turn was interrupted: make it pass",
      "tool shell: npm test: unknown, process gone",
      "1: Decide about the open call",
      "2: Settle as interrupted",
      "3: Look first",
      "4: Later",
      "type a number to choose, 0 for later",
    ]);
    entry.line("");
    entry.line("1");
    expect(said()).toContain("2: It did not happen");
    entry.line("");
    entry.line("nothing");
    expect(screen.modal).toBeDefined();
    entry.line("2");
    expect(await choice).toMatchObject({ kind: "run", command: "/recover call 4 --not-happened" });
  });

  it("a preview of files is ticked, looked at and applied by lines", async () => {
    const { screen, entry, said } = opened();
    const file = {
      action: "change",
      added: 1,
      removed: 2,
      isChosen: true,
      isSuspected: false,
      isMerged: false,
    } as const;
    const files = ["a", "b", "c"].map((path) => ({ ...file, path, diff: `-${path}\n+new` }));
    const title = "3 files";
    const chosen = askPreview(screen, { title, files } as unknown as Parameters<typeof askPreview>[1]);
    expect(said()).toContain("2: b: chosen, 1 lines added, 2 removed");
    entry.line("2");
    expect(said()).toContain("2: b: not chosen, 1 lines added, 2 removed");
    entry.line("d 3");
    expect(said()).toEqual(expect.arrayContaining(["changes of c:"]));
    entry.line("");
    entry.line("what");
    entry.line("apply");
    expect((await chosen)?.map(({ path }) => path)).toEqual(["a", "c"]);
  });
});

describe("lines", () => {
  it("are sent as they are, and put together where they end in a backslash", () => {
    const { screen, entry, entered, said } = opened();
    entry.line("one");
    entry.line("");
    entry.line("two \\");
    entry.line("and three");
    expect(entered).toEqual(["one", "two \nand three"]);
    expect(composerText(screen.composer)).toBe("");
    expect(said()).toEqual([]);
  });

  it.each([
    ["abd\x1b[Dc", "abdc"],
    ["\x1bhey", "hey"],
    ["\x1b]hey", "]hey"],
    ["one\x1bOA\x1b[1;5C two", "one two"],
    ["a\x1b[[Ab\x9b3~c\x1b\x1b[Dd", "abcd"],
    ["a\x1b]11;rgb:ff/ff/ff\x1b\\b\x1bP1$r0m\x1b\\c", "abc"],
    ["\x01a\x00\x07b\x08\x7f\x85c", "abc"],
    ["\x1b[200~a\n\tb\r\nc\x1b[201~", "a\n\tb\nc"],
    ["caf\u00e9 [D \u{1f600}", "caf\u00e9 [D \u{1f600}"],
  ])("%j are sent without the bytes of keys: %j", (line, expected) => {
    const { entry, entered } = opened();
    entry.line(line);
    expect(entered).toEqual([expected]);
  });

  it.each(["\x1b[A", "\x1bOB", "\x1b[A \x1b[5~", "\x01", "\x1b"])("of keys alone send nothing: %j", (line) => {
    const { screen, entry, entered, did, said } = opened();
    entry.line("first \\");
    entry.line(line);
    expect([entered, did]).toEqual([[], []]);
    expect(said()).toHaveLength(1);
    entry.line("second");
    expect(entered).toEqual(["first \nsecond"]);
    expect(composerText(screen.composer)).toBe("");
  });

  it("of the escape key stop the turn, and those of other keys do not", () => {
    const { entry, entered, did, said } = opened({ runs: true });
    entry.line("\x1b[A");
    expect(did).toEqual([]);
    entry.line("\x1b");
    entry.line("\x1b\x1b");
    expect(did).toEqual(["stop", "stop"]);
    expect(entered).toEqual([]);
    expect(said()).toEqual(["arrows and other keys do nothing here: type words, or ? for help"]);
  });

  it("of keys alone are no answer, not even where an empty line is one", async () => {
    const { screen, entry } = opened();
    const reply = askApproval(screen, ask(), new AbortController().signal);
    await asked(screen);
    entry.line("t");
    for (const keys of ["\x1b[A", "\x1b"]) entry.line(keys);
    expect(screen.modal).toBeDefined();
    entry.line("use \x1b[Dyarn");
    expect(await reply).toMatchObject({ reply: { kind: "no", because: "use yarn" } });
  });

  it("do not touch text that came back, which is said and sent by a word", () => {
    const { screen, entry, entered, said } = opened();
    screen.offer("what I wrote");
    expect(said()).toEqual(["not sent: what I wrote", "type /send to send it, /drop to drop it, or another line"]);
    entry.line("something else");
    expect(composerText(screen.composer)).toBe("what I wrote");
    entry.line("/send");
    expect(entered).toEqual(["something else", "what I wrote"]);
    entry.line("/send");
    expect(said()).toEqual(["there is nothing to send"]);
    screen.offer("one");
    screen.offer("another");
    expect(composerText(screen.composer)).toBe("one\n\nanother");
  });

  it("end with ctrl+c by stopping, and by quitting only when it is pressed again", () => {
    const idle = opened();
    idle.entry.interrupt();
    expect(idle.said()).toEqual(["", "press ctrl+c again to quit"]);
    idle.entry.line("no");
    idle.entry.interrupt();
    expect(idle.did).toEqual([]);
    idle.entry.interrupt();
    expect(idle.did).toEqual(["quit"]);
    const running = opened({ runs: true });
    running.entry.interrupt();
    running.entry.interrupt();
    expect(running.did).toEqual(["stop", "stop"]);
  });

  it("end with ctrl+d, also where something is asked that nobody can answer any more", () => {
    const { screen, entry, did } = opened();
    entry.end();
    entry.told();
    expect(did).toEqual(["quit"]);
    void askConfirm(screen, "Stop what runs?");
    entry.told();
    expect(did).toEqual(["quit", "quit"]);
  });
});

it.each([
  ["dumb", true],
  ["", true],
  [undefined, true],
  ["unknown", true],
  ["xterm", false],
  ["linux", false],
])("a terminal of type %s gets lines: %s", (term, expected) => expect(isDumb({ TERM: term })).toBe(expected));

it("messages are told as delivered once their lines were written", () => {
  const { screen, said } = opened();
  const told: MessageId[] = [];
  screen.dispatch(started);
  screen.dispatch(answer(9, "so"));
  screen.whenPrinted(() => told.push(9 as MessageId));
  expect(told).toEqual([9]);
  expect(said()).toContain("answer: so");
});
