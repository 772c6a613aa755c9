// The scenes whose screens are kept under docs/screens: what is typed, and what must stand there when a screen is kept.
// A scene plays on an empty home. Its first size is the one that the test plays again.
import { existsSync, renameSync } from "node:fs";
import path from "node:path";
import { answer } from "../helpers/answer.ts";
import { type ModelScript, startModelServer } from "../helpers/model-server.ts";
import type { Terminal } from "../helpers/pty.ts";
import { markdownAnswer } from "./markdown-answer.ts";
import { allow, ready, type ShotSize, type Stage } from "./stage.ts";

export interface Scene {
  readonly name: string;
  readonly sizes: readonly ShotSize[];
  readonly play: (stage: Stage) => Promise<void>;
}

const usual = { cols: 80, rows: 24 };
const small = { cols: 40, rows: 12 };
const wide = { cols: 120, rows: 35 };
const tiny = { cols: 20, rows: 10 };
/** An approval, with a row for each choice or without. */
const asks = /y(?: {2}|=)yes/;

const escape = "\x1b[27u";

export const scenes: readonly Scene[] = [
  {
    name: "start",
    sizes: [usual, small, wide, tiny],
    play: async (stage) => stage.shot(await stage.open(), "start", /saved/),
  },
  {
    name: "help",
    sizes: [usual, wide],
    play: async (stage) => {
      const stele = await stage.open();
      await stage.say(stele, "hello");
      await stage.shot(stele, "guide-help", /say <text>[\s\S]*saved/);
      stele.write("?");
      await stage.shot(stele, "keys", /this list|again:/);
      stele.write("?");
      await stage.shot(stele, "keys-all", /this list/);
      await stage.say(stele, "/help");
      await stage.shot(stele, "help", /Commands \(\d+\)[\s\S]*saved/);
    },
  },
  {
    name: "markdown",
    sizes: [usual, small, wide],
    play: async (stage) => {
      let goOn = (): void => {};
      const held = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const half = markdownAnswer.findIndex((piece) => piece.includes("return"));
      const reply = { text: markdownAnswer, faults: [{ kind: "hold", after: half, until: held }] } as const;
      await withServer(stage, [reply], async () => {
        const stele = await stage.open();
        await stage.say(stele, "How does the clock work?");
        await stage.shot(stele, "answer-streams", /export function now\(\)/);
        goOn();
        await stage.shot(stele, "answer", /whole story[\s\S]*saved/);
      });
    },
  },
  {
    name: "approve-command",
    sizes: [usual, small, tiny],
    play: async (stage) => {
      const stele = await stage.open();
      await stage.say(stele, "run seq 1 60");
      await stage.shot(stele, "approve-command", asks);
      await answer(stele, "y");
      await stage.shot(stele, "output-folded", /Done: 1 step\.[\s\S]*saved/);
      stele.write("\x0f");
      await stage.shot(stele, "pager", /^1\n2\n3\n/);
      stele.write("t");
      await stage.shot(stele, "pager-conversation", /Done: 1 step\.\n.*3-4/);
    },
  },
  {
    name: "approve-edit",
    sizes: [usual, small, wide],
    play: async (stage) => {
      const stele = await stage.open();
      await stage.say(stele, "edit src/clock.ts: new Date().toISOString() => new Date().toLocaleTimeString()");
      await stage.shot(stele, "approve-edit", asks);
      await allow(stele);
      await stage.shot(stele, "edit-done", /Done: 1 step\.[\s\S]*saved/);
      await stage.order(stele, "write notes.txt: remember the milk", { calls: 1 });
      await stage.order(stele, "run rm README.md", { calls: 1 });
      await stage.say(stele, "/undo 3");
      await stage.shot(stele, "undo-preview", /enter: /);
      await answer(stele, "\r");
      await stage.shot(stele, "undo-done", /clears it\.[\s\S]*saved/);
      stele.write("\x15");
      await stage.say(stele, "/redo");
      await stage.shot(stele, "redo-done", /Brought back[\s\S]*saved/);
    },
  },
  {
    name: "typing",
    sizes: [usual, small, tiny],
    play: async (stage) => {
      const stele = await stage.open();
      stele.write("/");
      await stage.shot(stele, "menu", /\/help/);
      stele.write("un");
      await stage.shot(stele, "menu-filtered", /❯ \/un[\s\S]*\/undo/);
      stele.write("\x15look at @clo");
      await stage.shot(stele, "paths", /test\/clock/);
      stele.write("\x15\x1b[27u!git status");
      await stage.shot(stele, "shell-mode", /git status/);
      stele.write("\x15");
      // Too narrow for a command and how long it ran, which is never the same.
      if (stage.size === tiny) return;
      await stage.say(stele, "!ls");
      await stage.shot(stele, "shell-done", /README\.md[\s\S]*saved/);
    },
  },
  {
    name: "conversations",
    sizes: [usual, small, wide],
    play: async (stage) => {
      const stele = await stage.open();
      await stage.order(stele, "say make the clock tell the time in Bern");
      await stele.waitFor(/● make the clock/);
      await ready(stele);
      await stage.order(stele, "/branch other way");
      await stage.shot(stele, "branch", /other way[\s\S]*saved/);
      await stage.order(stele, "say only in the branch");
      await stele.waitFor(/● only in the branch/);
      await stage.order(stele, "/new");
      await stage.order(
        stele,
        "say a third conversation, with a title that is longer than most of the titles that people give",
      );
      await stele.waitFor(/● a third conversation/);
      await stage.say(stele, "/resume");
      await stage.shot(stele, "resume-picker", /Resume a conversation/);
      stele.write("\r");
      await stage.shot(stele, "resumed", /only in the branch[\s\S]*saved/);
      stele.write("\x12");
      stele.write("clock");
      await stage.shot(stele, "history-search", /tell the time[^\n]*\nenter/);
      stele.write(escape);
      await stage.say(stele, "/model");
      await stage.shot(stele, "model-picker", /guide/);
      stele.write(escape);
      await stage.say(stele, "/delete");
      await stage.shot(stele, "confirm", /y yes/);
      await answer(stele, "n");
      await stage.say(stele, "/quit");
      await stage.shot(stele, "quit", /stele -r/);
    },
  },
  {
    name: "branches",
    sizes: [usual, small, wide],
    play: async (stage) => {
      const stele = await stage.open();
      await stage.order(stele, "say tell the time in Bern");
      await stage.order(stele, "say and in Zurich");
      await stele.waitFor(/● and in Zurich/);
      await stage.order(stele, "/branch other way");
      await stage.order(stele, "say only in the branch");
      await stele.waitFor(/● only in the branch/);
      await stage.say(stele, "/undo --chat");
      await stele.waitFor(/^❯ say only in the branch/m);
      stele.write("\x03");
      await stage.order(stele, "say something else here");
      await stele.waitFor(/● something else here/);
      await stage.say(stele, "/tree");
      await stage.shot(stele, "tree", /else here\n[\s\S]*enter/);
      stele.write(escape);
      await stage.order(stele, '/compare "say tell the time in Bern"');
      await stage.shot(stele, "compare", /\(nothing more\)[\s\S]*saved/);
      await stage.say(stele, "/edit");
      await stage.shot(stele, "edit-picker", /enter/);
      stele.write(escape);
    },
  },
  {
    name: "lists",
    sizes: [usual, small, wide],
    play: async (stage) => {
      const stele = await stage.open();
      await stage.order(stele, "edit src/clock.ts: new Date().toISOString() => new Date().toLocaleTimeString()", {
        calls: 1,
      });
      await stage.order(stele, "write notes.txt: remember the milk then run rm README.md", { calls: 2 });
      await stage.order(stele, "say that was all");
      await stele.waitFor(/● that was all/);
      await ready(stele);
      stele.write(escape);
      await stele.waitFor(/esc again/);
      stele.write(escape);
      await stage.shot(stele, "turn-picker", /❯ 3 {2}say that was all/);
      stele.write(escape);
      await stage.say(stele, "/files");
      await stage.shot(stele, "file-picker", /❯ README\.md/);
      stele.write(escape);
      await stage.say(stele, "/help");
      stele.write("sess");
      await stage.shot(stele, "help-filtered", /\/ sess[\s\S]*\/sessions/);
    },
  },
  {
    name: "queue",
    sizes: [usual, small],
    play: async (stage) => {
      await withServer(stage, [{ text: ["I am ", "thinking"], faults: [{ kind: "stall", after: 2 }] }], async () => {
        const stele = await stage.open();
        await stage.say(stele, "think about it");
        await stele.waitFor(/thinking/);
        stele.write("and then write it down\r");
        await stage.shot(stele, "queue", /write it down {2}\(next\)/);
        // In a low window it depends on the moment how far the start has scrolled.
        if (stage.size === usual) {
          const other = await stage.open(["-c"], { isReady: false });
          await stage.shot(other, "busy-elsewhere", /running in/);
        }
        stele.write(escape);
        await stage.shot(stele, "stopped", /interrupted[\s\S]*\/que/);
      });
    },
  },
  {
    name: "compaction",
    sizes: [usual, small],
    play: async (stage) => {
      const long = "and why it is so ".repeat(400);
      const summary = { text: ["The person wants", " two things."], faults: [{ kind: "stall", after: 1 }] } as const;
      const answers = [
        { text: `${long}The first.` },
        { text: "The second." },
        summary,
        { text: "They want two things." },
      ];
      await withServer(stage, answers, async () => {
        const stele = await stage.open();
        await stage.say(stele, "Explain the first");
        await stele.waitFor(/first\./);
        await stage.say(stele, "Explain the second");
        await stele.waitFor(/second\.[\s\S]*saved/);
        await stage.say(stele, "/compress the second");
        await stage.shot(stele, "compacting", /compacting about/);
        stele.write(escape);
        await stele.waitFor((each) => !each.screen().join("\n").includes("compacting"));
        await stage.say(stele, "/compress the second");
        await stage.shot(stele, "compacted", /takes it back/);
        stele.write("\x0f");
        await stage.shot(stele, "compacted-summary", /They want two things/);
        stele.write("q");
        await stage.say(stele, "/undo");
        await stage.shot(stele, "compaction-undone", /everything\s+again/);
      });
    },
  },
  {
    name: "recovery",
    sizes: [usual, small, wide],
    play: async (stage) => {
      const doomed = await stage.open();
      await stage.say(doomed, "write notes.txt: hello then run echo begun > begun; sleep 1000");
      await answerWhenAsked(doomed, /Allow write_file/);
      await answerWhenAsked(doomed, /Allow shell/);
      await doomed.waitFor(() => existsSync(path.join(stage.folder, "begun")));
      stage.crash();
      await doomed.exit;
      const next = await stage.open(["-c"], { isReady: false });
      await stage.shot(next, "recovery", /Later/);
      next.write(escape);
      await stage.shot(next, "recovery-later", /waits for your decision|\/recover/);
    },
  },
  {
    name: "faults",
    sizes: [usual, small],
    play: async (stage) => {
      const wait = { status: 429, headers: { "retry-after": "300" }, body: "slow down" };
      await withServer(stage, [{ status: 400, body: "no such thing" }, wait], async () => {
        const stele = await stage.open();
        await stage.say(stele, "are you there?");
        await stage.shot(stele, "model-refuses", /400|retry[\s\S]*saved/);
        await stage.say(stele, "and now?");
        await stage.shot(stele, "model-waits", /rate limited · again in/);
      });
    },
  },
  {
    name: "not-saved",
    sizes: [usual, small],
    play: async (stage) => {
      const stele = await stage.open();
      await stage.order(stele, "say this is kept");
      await stele.waitFor(/● this is kept/);
      renameSync(path.join(stage.ledgerFolder, "state.db"), path.join(stage.ledgerFolder, "moved.db"));
      await stage.say(stele, "say more");
      await stage.shot(stele, "not-saved", /NOT SAVED/);
    },
  },
];

async function answerWhenAsked(stele: Terminal, about: RegExp): Promise<void> {
  await stele.waitFor(about);
  await allow(stele);
}

async function withServer(stage: Stage, script: ModelScript, play: () => Promise<void>): Promise<void> {
  const server = await startModelServer(script);
  const local = { kind: "openai-compatible", baseURL: server.url, models: ["qwen3"] };
  stage.configure({ model: "local/qwen3", providers: { local }, titles: "off" });
  try {
    await play();
  } finally {
    await server.close();
  }
}
