import { describe, expect, it } from "vitest";
import { defaultTable, keysHelp } from "../../../src/ui/keys-help.ts";
import { type KeysTable, keysTable } from "../../../src/ui/keys-table.ts";

const names = ({ blocks }: KeysTable): readonly string[] =>
  blocks.flatMap((block) => (block.kind === "table" ? block.rows.map(([keys = ""]) => keys) : []));
const help = keysHelp(defaultTable);
const all = help.map(({ keys }) => keys);

describe("the keys that are printed", () => {
  it("are all where the window holds them", () => {
    const table = keysTable(help, { windowRows: 60, isAgain: false });
    expect(names(table)).toEqual(all);
    expect(table.hasMore).toBe(false);
  });

  it.each([2, 10, 20, 24])(
    "are the first ones at %i rows, the way out among them, and the others when asked again",
    (rows) => {
      const first = keysTable(help, { windowRows: rows, isAgain: false });
      const rest = keysTable(help, { windowRows: rows, isAgain: true });
      expect([first.hasMore, rest.hasMore]).toEqual([true, false]);
      expect([...names(first), ...names(rest)]).toEqual(all);
      expect(names(first)).toContain("ctrl+d");
      if (rows >= 14) expect(names(first).length).toBeLessThan(rows - 6);
    },
  );
});
