import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { eventsPage } from "../../../src/ui/events-page.ts";

describe("docs/events.md", () => {
  it("is what the table of events gives", () => {
    const page = readFileSync(fileURLToPath(new URL("../../../docs/events.md", import.meta.url)), "utf8");
    expect(page).toBe(eventsPage());
  });
});
