// The keys, once: `?` and the help page show this table.

export interface KeyHelp {
  readonly keys: string;
  readonly does: string;
}

export const keysHelp: readonly KeyHelp[] = [
  { keys: "enter", does: "send; while a turn runs: queue" },
  { keys: "alt+enter, ctrl+j, \\ enter", does: "new line" },
  { keys: "esc", does: "stop the turn" },
  { keys: "ctrl+c", does: "stop the turn, clear the text, then twice: quit" },
  { keys: "ctrl+d", does: "quit, when nothing is written" },
  { keys: "shift+tab", does: "approval mode: plan, ask, edits" },
  { keys: "up, down", does: "move, then earlier prompts" },
  { keys: "tab", does: "complete a command" },
  { keys: "y, a, n, t", does: "answer an approval: yes, always, no, no and tell why" },
  { keys: "pgdn, pgup", does: "the rest of a long command or diff, before y (ctrl+d, ctrl+u too)" },
  { keys: "space, a, d", does: "in a preview of files: tick, tick all, show what changes" },
  { keys: "ctrl+a, ctrl+e", does: "start and end of the line" },
  { keys: "alt+b, alt+f", does: "a word back, a word on" },
  { keys: "ctrl+w, ctrl+u, ctrl+k", does: "cut a word, to the start, to the end" },
  { keys: "ctrl+y", does: "put back what was cut" },
  { keys: "ctrl+_", does: "undo typing" },
  { keys: "ctrl+l", does: "draw the screen again" },
  { keys: "ctrl+z", does: "suspend; fg comes back" },
  { keys: "?", does: "this list, when nothing is written" },
];
