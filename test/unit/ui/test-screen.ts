// A screen over an output of the test's own, which wraps its rows as the emulator of the tests does.
import { PassThrough } from "node:stream";
import { Screen, type ScreenOptions } from "../../../src/ui/live-screen.ts";
import { plainTheme } from "./view-samples.ts";

export function testScreen(stdout: ScreenOptions["stdout"], more: Pick<ScreenOptions, "teller"> = {}): Screen {
  const stdin = new PassThrough() as unknown as NodeJS.ReadStream;
  return new Screen({ stdout, stdin, theme: plainTheme, reflow: "but-cursor-row", ...more });
}
