// Writes to an emulator what a program wrote, as tmux takes it: what an erasure of the whole screen erases goes into the
// scrollback, and one from the first cell on is such an erasure.
import type xterm from "@xterm/headless";

export type Write = (data: string, done: () => void) => void;

const fromHere = /(\x1b\[0?J)/;
/** What may become one with what comes next. */
const unfinished = /\x1b(?:\[0?)?$/;

/** The emulator needs `scrollOnEraseInDisplay`. */
export function keepingErased(emulator: xterm.Terminal): Write {
  let before = Promise.resolve();
  let held = "";
  const write = (text: string): Promise<void> => new Promise((resolve) => emulator.write(text, resolve));
  return (data, done) => {
    const text = held + data;
    held = unfinished.exec(text)?.[0] ?? "";
    before = before.then(async () => {
      for (const piece of text.slice(0, text.length - held.length).split(fromHere)) {
        const { cursorX, cursorY } = emulator.buffer.active;
        await write(fromHere.test(piece) && cursorX === 0 && cursorY === 0 ? "\x1b[2J" : piece);
      }
      done();
    });
  };
}
