import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { commandsPage } from "../../../src/commands/docs-page.ts";
import { registry } from "../../../src/commands/registry.ts";

describe("docs/commands.md", () => {
  it("is what the declarations say; when it is not, run: node scripts/generate-docs.mjs", () => {
    const page = readFileSync(fileURLToPath(new URL("../../../docs/commands.md", import.meta.url)), "utf8");
    expect(page).toBe(commandsPage(registry));
  });
});
