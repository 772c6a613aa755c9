// The live part of the terminal: draws it through Ink, prints finished text above it, and takes it away again. A
// new size starts a new Ink: the old frame is erased as the terminal shows it now, so that nothing of it is left in
// the scrollback. All state is the owner's; a frame can be thrown away at any time.
import { render } from "ink";
import type { ReactNode } from "react";
import { FrameStream, type TerminalOutput } from "./frame-stream.ts";
import type { Reflow } from "./terminal-reflow.ts";

export interface Frame {
  /** `print` ends in a newline and goes above the live part, in the same write. */
  draw(node: ReactNode, print?: string): void;
  /** Takes the live part away; the next `draw` begins anew at the size of that moment. */
  clear(): void;
}

interface Mounted {
  readonly stream: FrameStream;
  readonly instance: ReturnType<typeof render>;
}

export interface FrameOptions {
  readonly stdout: TerminalOutput;
  readonly stdin: NodeJS.ReadStream;
  readonly reflow: Reflow;
}

export function openFrame({ stdout, stdin, reflow }: FrameOptions): Frame {
  let mounted: Mounted | undefined;

  function mount(node: ReactNode): Mounted {
    const stream = new FrameStream({ terminal: stdout, columns: stdout.columns || 80, reflow });
    const options = {
      stdout: stream as unknown as NodeJS.WriteStream,
      stdin,
      exitOnCtrlC: false,
      patchConsole: false,
      // The owner sets the pace; each drawing is on the screen when `draw` returns.
      maxFps: 0,
    };
    let instance: Mounted["instance"] | undefined;
    stream.batch(undefined, () => {
      instance = render(node, options);
    });
    if (!instance) throw new Error("Ink did not start");
    return { stream, instance };
  }

  return {
    draw(node, print) {
      if (!mounted) {
        if (print) stdout.write(print);
        mounted = mount(node);
        return;
      }
      const { stream, instance } = mounted;
      stream.batch(print, () => instance.rerender(node));
    },
    clear() {
      if (!mounted) return;
      const { stream, instance } = mounted;
      mounted = undefined;
      stdout.write(stream.erase());
      stream.mute();
      instance.unmount();
    },
  };
}
