// What a person sees of the set-up: on a terminal one line that moves and counts seconds, elsewhere a line at the
// beginning and at the end of each step. Everything goes to one stream (stderr), so stdout stays the program's.
"use strict";

const TICK_MS = 250;

function createProgress(stream, now = Date.now) {
  const moving = Boolean(stream.isTTY) && process.env.TERM !== "dumb";
  let current;
  let shown = "";
  let timer;

  const seconds = () => Math.floor((now() - current.startedAt) / 1000);
  const draw = () => {
    const text = `${current.label}${current.note ? `: ${current.note}` : ""} ... ${seconds()} s`;
    if (moving) stream.write(`\r${text.slice(0, Math.max(1, (stream.columns || 80) - 1))}\x1b[K`);
    else if (shown !== `${current.label} ${current.note}`) stream.write(`${text.replace(/ \d+ s$/, "")}\n`);
    shown = `${current.label} ${current.note}`;
  };
  const settle = (text) => {
    clearInterval(timer);
    if (current) stream.write(`${moving ? "\r" : ""}${current.label}: ${text}${moving ? "\x1b[K" : ""}\n`);
    current = undefined;
  };

  return {
    begin(label) {
      current = { label, note: "", startedAt: now() };
      if (moving) timer = setInterval(draw, TICK_MS);
    },
    /** What the step is doing just now. */
    note(text) {
      if (!current) return;
      current.note = text;
      draw();
    },
    done: () => settle(`done, ${seconds()} s`),
    failed: (why) => settle(`${why} after ${seconds()} s`),
    /** Ends a line that only told of waiting. */
    clear() {
      clearInterval(timer);
      if (moving && current) stream.write("\r\x1b[K");
      current = undefined;
    },
    say: (text) => stream.write(`${text}\n`),
  };
}

module.exports = { createProgress };
