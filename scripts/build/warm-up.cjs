// `node warm-up.cjs PROGRAM HOME`: one start of a built program on a terminal that is made up, until its ledger is
// open, then its end. The program keeps the code that ran; its ledger goes to HOME. The exit code is the program's.
"use strict";

const { Readable, Writable } = require("node:stream");
const { stripVTControlCharacters } = require("node:util");

const [program, home] = process.argv.slice(2);
const SIZE = { isTTY: true, columns: 80, rows: 24 };
const CTRL_D = "\x04";
const LIMIT_MS = 10_000;

const KEY_MS = 50;

let shown = "";
const isSaved = () => /^\s*saved\b/m.test(stripVTControlCharacters(shown));
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
      const wasSaved = isSaved();
      shown += chunk;
      // Not from within its drawing: keys come later than what they answer.
      if (!wasSaved && isSaved()) setTimeout(() => stdin.push(CTRL_D), KEY_MS);
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
  process.stderr.write(`the program did not open its ledger within ${LIMIT_MS / 1_000} s and showed:\n${shown}\n`);
  process.exit(1);
}, LIMIT_MS).unref();
require(program);
