// Writes the pages under docs/ that are made from code: docs/commands.md, docs/events.md.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { importBundled, root } from "./import-bundled.mjs";

const source = `export { commandsPage } from "./src/commands/docs-page.ts";
export { registry } from "./src/commands/registry.ts";
export { eventsPage } from "./src/ui/events-page.ts";`;

await importBundled(source, ({ commandsPage, eventsPage, registry }) => {
  mkdirSync(join(root, "docs"), { recursive: true });
  writeFileSync(join(root, "docs", "commands.md"), commandsPage(registry));
  writeFileSync(join(root, "docs", "events.md"), eventsPage());
});
