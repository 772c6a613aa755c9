// A conversation goes from one home to another: exported on the screen of the built program, imported on that of another.
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openStele, ready, type } from "../helpers/screen-program.ts";
import { workplace } from "../helpers/stele.ts";
import { violations } from "../helpers/stored.ts";

describe("/export and /import on the screen", () => {
  it("bring a conversation to another home, where it goes on", async () => {
    const [from, to] = [workplace(), workplace()];
    const first = openStele(from);
    await type(first, "say what was said");
    await first.waitFor(/● what was said/);
    await type(first, "/export talk.jsonl");
    await first.waitFor(/Exported 2 messages to/);
    await type(first, "/export talk.jsonl");
    await first.waitFor(/is there already/);
    const file = path.join(from.folder, "talk.jsonl");
    expect(existsSync(file)).toBe(true);

    const second = openStele(to, [], { cols: 120, rows: 24 });
    await type(second, `/import ${file}`);
    await second.waitFor(/Imported 1 conversation, 2 messages/);
    await type(second, `/import ${file}`);
    await second.waitFor(/Nothing was imported; 1 was here already/);
    await type(second, "/resume latest");
    await second.waitFor(/● what was said/);
    await type(second, "say it goes on");
    await second.waitFor(/● it goes on/);
    await ready(second);
    await type(second, "/quit");
    await second.exit;
    expect(violations(to)).toEqual([]);
  });
});
