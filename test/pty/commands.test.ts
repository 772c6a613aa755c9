// An afternoon with the commands that have no test of their own here: each is typed as a person types it, and says what
// a person would want to read.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { registry } from "../../src/commands/registry.ts";
import { answer } from "../helpers/answer.ts";
import { openStele, type } from "../helpers/screen-program.ts";
import { workplace } from "../helpers/stele.ts";

/** What is typed, and what is seen then. */
const AFTERNOON: readonly (readonly [typed: string, seen: RegExp])[] = [
  ["say hello", /● hello/],
  ["/title first light", /The title is now “first light”/],
  ["/status", /session .* first light[\s\S]*saved +1 turn, 2 messages/],
  ["/usage", /spent +\$0\.00\n +guide\/guide: 1 answer/],
  ["/tools", /shell +external: changes the world +asks/],
  ["/approve allow shell(ls)", /Stored in .*config\.json: allow shell\(ls\)/],
  ["/approve edits", /edits: .*file/],
  ["/models guide", /guide\/guide +free +ready/],
  ["/config", /approval\.allow\.0 +"shell\(ls\)"/],
  ["/doctor", /✓ invariants +all hold/],
  ["/init", /Wrote .*AGENTS\.md/],
  ["/retry", /Asking again: say hello[\s\S]*AGENTS\.md changed[\s\S]*● hello/],
  ["/compress", /Nothing to compact/],
  ["/stop", /Nothing runs\./],
  ["/recover", /✓ turns +nothing was interrupted/],
  ["/pin", /“first light” is pinned\./],
  ["/pin --off", /“first light” is not pinned\./],
  ["/hide", /“first light” is hidden\./],
  ["/archive", /“first light” is archived\./],
];

it("each does what it says, one after the other, and /delete asks before it does", async () => {
  const place = workplace();
  const stele = openStele(place, [], { cols: 100, rows: 40 });
  for (const [typed, seen] of AFTERNOON) {
    await type(stele, typed);
    await stele.waitFor(seen);
  }
  expect(existsSync(path.join(place.folder, "AGENTS.md"))).toBe(true);
  await type(stele, "/delete");
  await stele.waitFor(/Delete “first light” for good/);
  await answer(stele, "n");
  await stele.waitFor("Nothing was changed.");
  await type(stele, "/delete");
  await stele.waitFor(/Nothing was changed\.[\s\S]*Delete “first light” for good/);
  await answer(stele, "y");
  await stele.waitFor(/Deleted “first light”, \d+ messages/);
  const listed = await place.stele(["sessions", "--all", "--json"]);
  expect(listed.out).not.toContain("first light");
});

it("no command is typed in none of these tests", () => {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const typed = files.map((name) => readFileSync(path.join(folder, name), "utf8")).join("\n");
  const untyped = registry.commands.filter(({ name }) => !new RegExp(`["\`]/${name}\\b`).test(typed));
  expect(untyped.map(({ name }) => name)).toEqual([]);
});
