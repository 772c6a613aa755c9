// What the screen knows about commands before one is run: which text is one, and how the menu shows them.
import { usageOf } from "../commands/args.ts";
import { registry } from "../commands/registry.ts";
import type { MenuCommand } from "./command-menu.tsx";

/** `/usr/bin is missing` is a prompt. */
export function isCommand(text: string): boolean {
  return /^\/[^\s/]*(\s|$)/.test(text);
}

/** As many as a menu of eight rows shows at once: what a first session needs, the way out too. */
const first = ["help", "undo", "redo", "branch", "resume", "new", "quit"];

/** The commands as the menu shows them. */
export function menuCommands(): readonly MenuCommand[] {
  const { commands } = registry;
  const needed = first.flatMap((name) => commands.find((each) => each.name === name) ?? []);
  return [...new Set([...needed, ...commands])].map((command) => {
    const { name, aliases, summary, args } = command;
    const usage = usageOf("", command).trim();
    const argument = args?.[0]?.name;
    return {
      name,
      summary,
      ...(aliases && { aliases }),
      ...(usage !== "" && { usage }),
      ...(argument && { argument }),
    };
  });
}
