// A person who knows nothing: every key and command they use must stand on the screen at that moment. What they wrote
// themselves, in the input or as a prompt, tells them nothing; neither does what an answer repeats of it.
import { expect } from "vitest";
import { answer } from "./answer.ts";
import type { Terminal } from "./pty.ts";

const keys = {
  enter: "\r",
  up: "\x1b[A",
  down: "\x1b[B",
  esc: "\x1b[27u",
  "ctrl+c": "\x03",
  "ctrl+d": "\x04",
  "/": "/",
  "?": "?",
  y: "y",
} as const;

export type NewcomerKey = keyof typeof keys;

export interface Newcomer {
  readonly terminal: Terminal;
  see(condition: string | RegExp): Promise<void>;
  /** Rejects unless the screen names the key. */
  press(key: NewcomerKey): Promise<void>;
  /** Free words and enter: that one may write is what an empty input says. */
  ask(words: string): Promise<void>;
  /** Opens the menu, goes down to the command and runs it, all of it by keys that are named. */
  command(name: string): Promise<void>;
}

export function newcomer(terminal: Terminal): Newcomer {
  const see = (condition: string | RegExp): Promise<void> => terminal.waitFor(condition);
  const press = async (key: NewcomerKey): Promise<void> => {
    expectNamed(terminal, key);
    await answer(terminal, keys[key]);
  };
  /** No prompt is open that could take it for an answer: it need not wait until one could be read. */
  const pressInMenu = (key: NewcomerKey): void => {
    expectNamed(terminal, key);
    terminal.write(keys[key]);
  };
  return {
    terminal,
    see,
    press,
    ask: async (words) => {
      expect(words, "a prompt that could name keys or commands").not.toMatch(/\/|enter|esc|ctrl/);
      await terminal.waitFor((each) => each.screen().some((line) => /^❯ Ask/.test(line)));
      terminal.write(`${words}\r`);
    },
    command: async (name) => {
      await see(/\bsaved\b/);
      pressInMenu("/");
      await see(/^❯ \/\w+ {2,}/m);
      expectNamed(terminal, name);
      for (let moves = 0; !chosen(terminal, name); moves++) {
        if (moves > 60) throw new Error(`the list never came to ${name}\n${terminal.screen().join("\n")}`);
        const before = selectedRow(terminal);
        pressInMenu("down");
        await terminal.waitFor((each) => selectedRow(each) !== before);
      }
      pressInMenu("enter");
      await see(new RegExp(`^❯ ${name} `, "m"));
      await see(/enter runs it/);
      pressInMenu("enter");
    },
  };
}

function chosen(terminal: Terminal, name: string): boolean {
  return selectedRow(terminal)?.startsWith(`❯ ${name} `) === true;
}

/** Of the menu: its rows stand under the lower rule. */
function selectedRow(terminal: Terminal): string | undefined {
  const lines = terminal.screen();
  const rule = lines.findLastIndex(isRule);
  return lines.slice(rule + 1).find((line) => line.startsWith("❯ "));
}

function expectNamed(terminal: Terminal, word: string): void {
  const seen = told(terminal.screen());
  const escaped = word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const isNamed = new RegExp(`(^|[\\s(])${escaped}(?=$|[\\s,;:.)])`, "m").test(seen);
  if (!isNamed) throw new Error(`nothing on the screen names ${word}:\n${terminal.screen().join("\n")}`);
}

/** What stands there without having been written by the person: no prompts, and nothing of the input. */
function told(lines: readonly string[]): string {
  const rules = lines.flatMap((line, index) => (isRule(line) ? [index] : []));
  const [above = -1, below = -1] = rules.slice(-2);
  const isInput = (index: number) => rules.length > 1 && index > above && index < below && !isEmptyInput(lines[index]);
  return lines.filter((line, index) => !isInput(index) && !line.startsWith("› ")).join("\n");
}

function isRule(line: string): boolean {
  return /^ ?─{10,}$/.test(line);
}

function isEmptyInput(line: string | undefined): boolean {
  return line?.startsWith("❯ Ask") === true;
}
