// The front end for a screen reader or a terminal that can only print: the same conversation and the same prompts, told
// in lines and answered in lines. Loaded only where it is asked for.
import { LineEntry } from "./line-entry.ts";
import { guardLines } from "./line-guard.ts";
import { LineTeller } from "./line-teller.ts";
import type { Screen } from "./live-screen.ts";
import type { KeyActions } from "./screen-keys.ts";
import type { GuardOptions, TerminalGuard } from "./terminal-guard.ts";

export interface LineFront {
  readonly teller: LineTeller;
  open(screen: Screen, options: GuardOptions, actions: KeyActions): TerminalGuard;
}

export function lineFront(): LineFront {
  const teller = new LineTeller();
  return {
    teller,
    open(screen, options, actions) {
      const entry = new LineEntry({ screen, teller, actions });
      screen.onPainted = () => entry.told();
      return guardLines(options, {
        onLine: (line) => entry.line(line),
        onInterrupt: () => entry.interrupt(),
        onEnd: () => entry.end(),
      });
    },
  };
}
