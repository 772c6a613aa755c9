// Every place where text that is not ours reaches a terminal, each with the same seeded strings. All that is written is
// looked at: beside text and line ends there is nothing but what the program says to a terminal itself.
import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../../src/agent/events.ts";
import type { CommandResult, PickItem, PreviewFile } from "../../../src/commands/command.ts";
import { imageName, imageToken } from "../../../src/ledger/image-token.ts";
import type { Hash, ToolCall } from "../../../src/ledger/types.ts";
import { askApproval } from "../../../src/ui/ask-approval.ts";
import { askPick } from "../../../src/ui/ask-pick.ts";
import { desktopMessage } from "../../../src/ui/attention.ts";
import { note } from "../../../src/ui/block.ts";
import { searchHistory } from "../../../src/ui/history-search.ts";
import { leftUnsent } from "../../../src/ui/left-unsent.ts";
import { LineTeller } from "../../../src/ui/line-teller.ts";
import type { Screen } from "../../../src/ui/live-screen.ts";
import { askConfirm, askDecision, askPreview } from "../../../src/ui/modals.ts";
import { outputSource } from "../../../src/ui/pager-output.ts";
import { createPager } from "../../../src/ui/pager-state.ts";
import { PagerTerminal } from "../../../src/ui/pager-terminal.ts";
import { pagerPicture, paneHeight } from "../../../src/ui/pager-view.ts";
import { jsonLine, printResult, safeText } from "../../../src/ui/printer.ts";
import { ProgressWords } from "../../../src/ui/progress-words.ts";
import { openDecision } from "../../../src/ui/recovery.ts";
import { TerminalExtras, titleText } from "../../../src/ui/terminal-extras.ts";
import type { UiAction } from "../../../src/ui/view-state.ts";
import { fullNumber } from "../../helpers/full-numbers.ts";
import { foreignControl, hostilePieces, hostileTexts, type OwnSequence } from "../../helpers/hostile-text.ts";
import { testScreen } from "./test-screen.ts";
import { admitted, answer, call, delta, message, openTurnOf, plainTheme, session, started } from "./view-samples.ts";

const COUNT = fullNumber(2_000, 500);
/** Where each string is a drawing of its own. */
const SINGLE = 24;
const texts = hostileTexts(COUNT);

interface Surface {
  readonly name: string;
  readonly own: readonly OwnSequence[];
  /** All that is written for these strings. */
  readonly write: (texts: readonly string[]) => string | Promise<string>;
  /** Of one write. */
  readonly batch: number;
  readonly count: number;
}

const drawn: readonly OwnSequence[] = ["cursor", "erase", "rows", "modes", "weights"];

/** A screen that shows a turn, and what it wrote. */
function onScreen(
  name: string,
  show: (screen: Screen, texts: readonly string[]) => void | Promise<unknown>,
  more: { batch?: number; count?: number } = {},
): Surface {
  const write = async (batch: readonly string[]): Promise<string> => {
    let written = "";
    const screen = testScreen({ columns: 80, rows: 24, write: (text: string) => (written += text) });
    screen.dispatch({ type: "booted", session, mode: "ask", waiting: [] });
    await show(screen, batch);
    screen.paint();
    screen.close();
    return written;
  };
  return { name, own: drawn, write, batch: 250, count: COUNT, ...more };
}

/** Each text is drawn before the next. */
function oneByOne(name: string, show: (screen: Screen, text: string) => void): Surface {
  const showAll = (screen: Screen, batch: readonly string[]): void => {
    for (const text of batch) {
      show(screen, text);
      screen.paint();
    }
  };
  return onScreen(name, showAll, { batch: 24, count: SINGLE });
}

function events(name: string, ...of: readonly ((text: string, at: number) => SessionEvent | UiAction)[]): Surface {
  return onScreen(name, (screen, batch) => {
    screen.dispatch(started);
    for (const [at, text] of batch.entries()) for (const make of of) screen.dispatch(make(text, at));
  });
}

function withoutScreen(name: string, write: (text: string) => string, own: readonly OwnSequence[] = []): Surface {
  return { name, own, write: (batch) => batch.map(write).join("\n"), batch: 250, count: COUNT };
}

function made(text: string, at: number): ToolCall {
  return call(at + 1, { tool: text, call: text, input: { path: text, [text]: text } });
}
function result(text: string, at: number): SessionEvent {
  const outcome = { kind: "failed", output: text } as const;
  return {
    type: "message-added",
    message: message(at + 10, "tool", { parts: [{ kind: "tool-result", call: text, outcome }] }),
  };
}

const error = (text: string) => ({ code: "provider" as const, message: text, hint: text }) as never;
const pickOf = (text: string, at: number): PickItem => ({
  command: `/resume ${at}`,
  label: text,
  detail: text,
  facts: [text, text],
});
const fileOf = (text: string): PreviewFile => ({
  path: text,
  action: "write",
  added: 1,
  removed: 1,
  isSuspected: true,
  isChosen: true,
  isMerged: true,
  obstacle: text,
  diff: text,
});

const surfaces: readonly Surface[] = [
  onScreen(
    "an answer while it streams",
    (screen, batch) => {
      screen.dispatch(started);
      for (const [at, text] of batch.entries()) {
        screen.dispatch(delta(text));
        if (at % 10 === 0) screen.paint();
      }
    },
    // Painted again and again: the costliest of all.
    { batch: 50 },
  ),
  events("an answer that is stored", (text, at) => answer(at + 10, text)),
  events("reasoning", (text) => ({ type: "reasoning-delta", text })),
  events("a prompt and the file that goes with it", (text, at) => {
    const file = { kind: "file", blob: "b", mediaType: text, name: text, bytes: 1 } as never;
    return { type: "message-added", message: message(at + 10, "user", { parts: [{ kind: "text", text }, file] }) };
  }),
  events("a note and a summary", (text, at) => ({
    type: "message-added",
    message: message(at + 10, at % 2 === 0 ? "note" : "summary", { parts: [{ kind: "note", text }] }),
  })),
  events(
    "a tool: its name, what it was given, and its output",
    (text, at) => ({ type: "call-changed", call: made(text, at) }),
    (text, at) => ({ type: "call-output", call: text, chunk: `${at} ${text}` }),
    result,
  ),
  oneByOne("a tool that runs, with what it has put out", (screen, text) => {
    screen.dispatch(started);
    screen.dispatch({ type: "call-changed", call: call(1, { call: "c", input: { command: text } }) });
    screen.dispatch({ type: "call-output", call: "c", chunk: text });
  }),
  onScreen("the diff of an edit, with the file's name", (screen, batch) => {
    for (const text of batch) {
      const outcome = { kind: "ok", output: `${text} +1 -1\n-${text}\n+${text}` } as const;
      screen.print({ kind: "tool", made: { tool: "edit_file", input: { path: text } }, outcome });
    }
  }),
  onScreen("a command that the person ran", (screen, batch) =>
    screen.print(...batch.map((text) => ({ kind: "prompt", text, marks: "!" }) as const)),
  ),
  onScreen("tables, lines and steps", (screen, batch) => {
    screen.print({ kind: "table", columns: ["a", "b"], rows: batch.map((text) => [text, text]) });
    screen.print({ kind: "lines", lines: batch });
    screen.print(
      ...batch.map((detail) => ({ kind: "step", step: { name: "turns", status: "warn", detail, ms: 1 } }) as const),
    );
    screen.print(...batch.map((text) => note(text)), { kind: "separator", text: batch[0] ?? "" });
    screen.print(...batch.map((state) => ({ kind: "open-call", made: { tool: state, input: state }, state }) as const));
  }),
  events("names of context files", (text, at) => ({
    type: "context-files",
    files: [{ name: text, bytes: 1, isCut: false }],
    left: [{ name: text, why: text }],
    changed: at % 2 === 0 ? [text] : [],
  })),
  events("rules and the file they are kept in", (text) => ({
    type: "rule-kept",
    kind: "allow",
    rule: text,
    file: text,
  })),
  events(
    "what went wrong",
    (text) => ({ type: "turn-settled", admission: 7 as never, outcome: "failed", error: error(text) }),
    (text) => ({ type: "ledger-problem", error: error(text) }),
  ),
  oneByOne("a request that is made again", (screen, text) => {
    screen.dispatch(started);
    const wait = { retry: 1, of: 3, waitMs: 9_000, at: Date.now() + 9_000, error: error(text) };
    screen.dispatch({ type: "retry-wait", admission: 7 as never, ...wait });
  }),
  onScreen("what waits and what is not sent yet", (screen, batch) => {
    batch.forEach((text, at) => {
      screen.dispatch(admitted(at + 100, text));
      screen.dispatch({ type: "submitted", key: at, text });
    });
  }),
  onScreen("what windows that are gone left unsent", (screen, batch) =>
    screen.print(
      ...leftUnsent(
        batch.map(
          (text) => ({ session: session.id, conversation: session.conversation, beginning: text, at: 1 }) as never,
        ),
        2,
      ),
    ),
  ),
  oneByOne("the title and the model, in the status line", (screen, text) =>
    screen.dispatch({
      type: "session-changed",
      session: { ...session, title: text, route: { provider: text, model: text } },
    }),
  ),
  oneByOne("who holds the conversation", (screen, text) => {
    screen.dispatch({ type: "held-elsewhere", holder: { pid: 1, program: text } });
    screen.dispatch({
      type: "lease-awaited",
      conversation: session.conversation,
      holder: { pid: 1, program: text } as never,
    });
  }),
  oneByOne("a notice", (screen, text) => screen.dispatch({ type: "notice", text })),
  oneByOne("the text being written", (screen, text) => {
    screen.compose({ type: "clear" });
    screen.compose({ type: "insert", text });
    screen.compose({ type: "paste", text });
  }),
  oneByOne("an image, by the name of its file", (screen, text) => {
    const { token } = imageToken({ name: imageName(text), width: 1, height: 2, hash: "a".repeat(64) as Hash });
    screen.compose({ type: "set", text: `see ${token}` });
    screen.print({ kind: "prompt", text: `see ${token}` });
  }),
  oneByOne("files behind an @", (screen, text) => {
    screen.compose({ type: "clear" });
    screen.menu.completion = {
      paths: () => ({ paths: [text, `${text}/`], isReading: false, isCut: true }),
      names: () => undefined,
    };
    screen.compose({ type: "insert", text: "see @x" });
    screen.paint();
    const choice = screen.menu.offer(screen.composer)?.items[0]?.choice;
    if (choice?.type === "complete") screen.compose(choice);
  }),
  oneByOne("titles behind a command", (screen, text) => {
    screen.compose({ type: "clear" });
    screen.menu.commands = [{ name: "resume", summary: "s", usage: "/resume session", argument: "session" } as never];
    const names = [{ value: text, label: text, summary: text, search: "x" }];
    screen.menu.completion = {
      paths: () => ({ paths: [], isReading: false, isCut: false }),
      names: () => ({ names, isReading: false }),
    };
    screen.compose({ type: "insert", text: "/resume x" });
  }),
  onScreen(
    "a list with a look at what is selected",
    async (screen, batch) => {
      for (const text of batch) {
        const preview = () => Promise.resolve([text, text]);
        const items = [pickOf(text, 0), pickOf(text, 1)];
        void askPick(screen, { title: text, items, empty: text, note: text, preview });
        await new Promise(setImmediate);
        screen.paint();
        screen.modal?.onKey({ kind: "text", text }, 20);
        screen.paint();
        if (screen.modal) screen.closeModal(screen.modal);
      }
    },
    { batch: 24, count: SINGLE },
  ),
  oneByOne("earlier prompts that are searched", (screen, text) => {
    screen.compose({ type: "history", entries: [text, `${text} x`] });
    searchHistory(screen, undefined);
    screen.modal?.onKey({ kind: "text", text: "x" }, 20);
    screen.paint();
    if (screen.modal) screen.closeModal(screen.modal);
  }),
  onScreen(
    "a question about a call",
    async (screen, batch) => {
      for (const [at, text] of batch.entries()) {
        const all = { subject: text, why: text, rule: text, ruleMeans: text, deny: text, noRule: text, edited: text };
        const ask = { call: made(text, at), summary: text, mode: "ask", isEditable: true, ...all } as const;
        const ended = new AbortController();
        const asked = askApproval(
          screen,
          at % 2 === 0 ? ask : { ...ask, preview: `@@ -1 +1 @@\n-${text}\n+${text}` },
          ended.signal,
        );
        await new Promise(setImmediate);
        while (!screen.modal) await new Promise(setImmediate);
        screen.paint();
        ended.abort();
        await asked;
      }
    },
    { batch: 24, count: SINGLE },
  ),
  oneByOne("a question with yes and no, and one about files", (screen, text) => {
    void askConfirm(screen, text);
    screen.paint();
    if (screen.modal) screen.closeModal(screen.modal);
    void askPreview(screen, { title: text, files: [fileOf(text), fileOf(text)] });
    screen.paint();
    if (screen.modal) screen.closeModal(screen.modal);
  }),
  oneByOne("a question about an interrupted turn", (screen, text) => {
    const turn = openTurnOf([{ ...made(text, 0), state: "unknown", evidence: text }]);
    const admission = { ...turn.admission, summary: text };
    void askDecision(screen, openDecision({ ...turn, admission }));
    screen.paint();
    if (screen.modal) screen.closeModal(screen.modal);
  }),
  {
    name: "the pager",
    own: drawn,
    write: (batch) => {
      let written = "";
      const stdout = { columns: 80, rows: 24, write: (text: string) => (written += text) };
      const look = { width: 80, theme: plainTheme };
      const pager = createPager(outputSource(batch[0] ?? "", batch.join("\n")), { look, height: paneHeight(400) });
      new PagerTerminal(stdout).draw(pagerPicture(pager, 390));
      return written;
    },
    batch: 100,
    count: COUNT,
  },
  {
    name: "a screen in lines",
    own: [],
    write: (batch) => {
      let written = "";
      const stdout = { columns: 80, rows: 24, write: (text: string) => (written += text) };
      const screen = testScreen(stdout, { teller: new LineTeller() });
      for (const [at, text] of batch.entries()) {
        screen.dispatch({ type: "session-changed", session: { ...session, title: text } });
        for (const event of [started, delta(text), { type: "call-changed", call: made(text, at) } as const])
          screen.dispatch(event);
        for (const event of [result(text, at), answer(at + 10, text), admitted(at, text)]) screen.dispatch(event);
        screen.dispatch({ type: "notice", text });
        screen.compose({ type: "set", text });
        void askPick(screen, { title: text, items: [pickOf(text, 0)], empty: text });
        screen.paint();
        if (screen.modal) screen.closeModal(screen.modal);
        void askPreview(screen, { title: text, files: [fileOf(text)] });
        if (screen.modal) screen.closeModal(screen.modal);
      }
      return written;
    },
    batch: 24,
    count: SINGLE,
  },
  withoutScreen(
    "the window's title",
    (text) => {
      let written = "";
      const extras = new TerminalExtras((each) => (written += each));
      extras.setTitle(titleText({ mark: "?", words: [text, text], dot: " · " }));
      return written + extras.off();
    },
    ["title"],
  ),
  withoutScreen(
    "a message on the desktop",
    (text) => desktopMessage(text, { TERM: "xterm-kitty" }) + desktopMessage(text, { TERM: "foot" }),
    ["message"],
  ),
  withoutScreen("what a command says without a screen", (text) => printed(commandResults(text), false)),
  withoutScreen("progress without a screen", (text) => {
    const words = new ProgressWords();
    const told: readonly SessionEvent[] = [
      { type: "lease-awaited", conversation: session.conversation, holder: { pid: 1, program: text } as never },
      { type: "context-files", files: [], left: [{ name: text, why: text }], changed: [text] },
      { type: "fallback", admission: 7 as never, from: text, to: text, error: error(text) },
      { type: "call-changed", call: made(text, 0) },
      { type: "call-changed", call: { ...made(text, 0), state: "failed" } },
      result(text, 0),
      { type: "ledger-problem", error: error(text) },
    ];
    return told
      .flatMap((event) => words.lines(event))
      .map(safeText)
      .join("\n");
  }),
];

function commandResults(text: string): readonly CommandResult[] {
  const { admission } = openTurnOf([]);
  const open = {
    ...openTurnOf([made(text, 0)]),
    admission: { ...admission, summary: text, status: "unknown" } as never,
  };
  return [
    { kind: "lines", lines: [text, text] },
    { kind: "rows", columns: ["a", "b"], rows: [[text, text]], empty: text, json: {} },
    { kind: "prefill", text, lines: [text] },
    { kind: "pick", title: text, items: [pickOf(text, 0)], empty: text },
    {
      kind: "preview",
      title: text,
      files: [fileOf(text)],
      json: {},
      apply: () => Promise.reject(new Error("not asked")),
    },
    {
      kind: "recovery",
      steps: [{ name: "turns", status: "warn", detail: text, ms: 1 }],
      open: [open],
      undelivered: [{ admission: { summary: text }, session } as never],
      json: {},
    },
  ];
}

function printed(results: readonly CommandResult[], json: boolean): string {
  let written = "";
  const write = (text: string): void => {
    written += text;
  };
  for (const each of results) printResult(each, { out: write, err: write }, json);
  return written;
}

describe("hostile text", () => {
  it("are strings that a terminal would act on", () => {
    const all = texts.join("");
    for (const piece of hostilePieces) expect(all).toContain(piece);
    const acting = texts.filter(
      (text) => foreignControl(text, [...drawn, "title", "message", "colours"]) !== undefined,
    );
    expect(acting.length).toBeGreaterThan(COUNT * 0.9);
  });

  it.each(surfaces)("reaches no terminal with a control of its own: $name", async (surface) => {
    const { own, write, batch, count } = surface;
    const all = hostileTexts(count, 100 + surfaces.indexOf(surface));
    for (let at = 0; at < count; at += batch) {
      const written = await write(all.slice(at, at + batch));
      expect(written).toMatch(/\w/);
      expect(foreignControl(written, own)).toBeUndefined();
      expect(written.isWellFormed()).toBe(true);
    }
  });

  it("begins no line of its own in what a command says without a screen", () => {
    const lines = ({ kind }: CommandResult): boolean => kind === "lines" || kind === "rows" || kind === "pick";
    const expected = printed(commandResults("x").filter(lines), false).split("\n").length;
    for (const text of texts) {
      expect(printed(commandResults(text).filter(lines), false).split("\n").length, JSON.stringify(text)).toBe(
        expected,
      );
    }
  });

  it("is one line of valid JSON each, with its line ends kept as text", () => {
    for (const text of texts) {
      const line = jsonLine({ [text]: [text, { text }] });
      expect(foreignControl(line, [])).toBeUndefined();
      expect(line).not.toContain("\n");
      expect(Object.keys(JSON.parse(line) as object)).toHaveLength(1);
    }
  });
});
