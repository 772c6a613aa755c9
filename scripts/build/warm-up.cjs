// `node warm-up.cjs PROGRAM HOME`: one start of a built program on a terminal that is made up, a turn once its ledger is
// open, and its end. The program keeps the code that ran; its ledger goes to HOME. The exit code is the program's.
"use strict";

const { Readable, Writable } = require("node:stream");
const { stripVTControlCharacters } = require("node:util");

const [program, home] = process.argv.slice(2);
const SIZE = { isTTY: true, columns: 80, rows: 24 };
const LIMIT_MS = 10_000;

const KEY_MS = 50;
/** What is typed when something is shown. */
const steps = [
  { when: /^\s*saved\b/m, keys: "say warm\r" },
  { when: /● warm/, keys: "\x04" },
];

let shown = "";
/** Not from within its drawing: keys come later than what they answer. */
function goOn() {
  const [step] = steps;
  if (step === undefined || !step.when.test(stripVTControlCharacters(shown))) return;
  steps.shift();
  setTimeout(() => stdin.push(step.keys), KEY_MS);
}
const stdin = Object.assign(new Readable({ read() {} }), {
  isTTY: true,
  setRawMode: () => stdin,
  ref: () => stdin,
  unref: () => stdin,
});
const stdout = Object.assign(
  new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      shown += chunk;
      goOn();
      done();
    },
  }),
  SIZE,
);
Object.defineProperty(process, "stdin", { value: stdin });
Object.defineProperty(process, "stdout", { value: stdout });

Object.assign(process.env, { HOME: home, STELE_HOME: home, TERM: "xterm-256color", LANG: "C.UTF-8" });
process.chdir(home);
process.argv = [process.execPath, program];
setTimeout(() => {
  process.stderr.write(`the program did not come to its end within ${LIMIT_MS / 1_000} s and showed:\n${shown}\n`);
  process.exit(1);
}, LIMIT_MS).unref();
require(program);
