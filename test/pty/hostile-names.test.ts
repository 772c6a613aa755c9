// A folder, its files, a title and an answer that all want more of a terminal than to be read, in the built program: on
// the screen, and as what it prints where there is none.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { foreignControl, hostileTexts, type OwnSequence } from "../helpers/hostile-text.ts";
import { type ModelServer, startModelServer } from "../helpers/model-server.ts";
import { everything, openStele, ready, type } from "../helpers/screen-program.ts";
import { type Workplace, workplace } from "../helpers/stele.ts";
import { writeConfig } from "../helpers/write-config.ts";

const own: readonly OwnSequence[] = ["cursor", "erase", "rows", "modes", "keys", "questions", "colours", "title"];
const texts = hostileTexts(40, 9);
/** What a file system takes: neither `/` nor NUL, whole characters, not too long. */
const names = [...new Set(texts.map((text) => text.replace(/[/\0]/g, "").toWellFormed().slice(0, 40)))].filter(
  (name) => name !== "" && name !== "." && name !== "..",
);
const title = "\x1b]0;owned\x07\x1b[777Atitle\r\x9b31m\u202e of it";

function hostilePlace(server: ModelServer): Workplace {
  const place = workplace();
  const folder = path.join(place.folder, "w\x1b[777A\x1b]0;owned\x07\u202e\r\nx");
  mkdirSync(folder);
  for (const name of names) writeFileSync(path.join(folder, name), name);
  writeFileSync(path.join(folder, "AGENTS.md"), texts.join("\n"));
  const providers = { local: { kind: "openai-compatible", baseURL: server.url, models: ["m"] } };
  writeConfig(place, { model: "local/m", providers });
  return { ...place, folder, stele: (args, options) => place.stele(args, { ...options, cwd: folder }) };
}

function listing(asked: string): object {
  const calls = [{ name: "list_dir", arguments: { path: "." } }, ...texts.slice(0, 9).map(reading)];
  return asked.includes('"tool"') ? { text: texts } : { reasoning: texts.slice(0, 5), calls };
}
function reading(text: string): { name: string; arguments: object } {
  return { name: "read_file", arguments: { path: text } };
}

describe("hostile names and words", () => {
  it("put nothing into the terminal but text, wherever the screen shows them", async () => {
    const server = await startModelServer(({ messages }) => listing(JSON.stringify(messages.at(-1))));
    const place = hostilePlace(server);
    await place.stele(["run", "--yes", `look around ${title}`]);
    await place.stele(["title", title, "-c"]);
    const stele = openStele(place, ["-c"], { cols: 100, rows: 30 });
    await type(stele, "look again");
    await stele.waitFor((each) => everything(each).split("list_dir").length > 2);
    await ready(stele);
    stele.write("see @");
    await stele.waitFor(/^\s*❯? ?@?x/mu);
    stele.write("\x15");
    await type(stele, "/sessions");
    await stele.waitFor("Conversations (");
    stele.write("\t\x1b");
    await ready(stele);
    stele.write("\x0f");
    await stele.waitFor("100%");
    stele.write("q");
    await type(stele, "/quit");
    await stele.exit;
    expect(foreignControl(stele.raw(), own)).toBeUndefined();
    await server.close();
  });

  it("are text, and JSON, in what is printed where there is no screen", async () => {
    const server = await startModelServer(({ messages }) => listing(JSON.stringify(messages.at(-1))));
    const place = hostilePlace(server);
    const ran = await place.stele(["run", "--yes", `look around ${title}`]);
    expect(ran.out).toContain("word");
    const titled = await place.stele(["title", title, "-c"]);
    const listed = await place.stele(["sessions"]);
    expect(listed.out).toContain("of it");
    const id = /\d{8}-\d{6}-\w+/.exec(listed.out)?.[0] ?? "";
    const shown = await place.stele(["sessions", "show", id]);
    expect(shown.out).toContain("list_dir");
    const others = [await place.stele(["status", "-c"]), await place.stele(["recover"])];
    for (const { out, err } of [ran, titled, listed, shown, ...others])
      expect(foreignControl(out + err, [])).toBeUndefined();
    for (const args of [["run", "--yes", "look around"], ["sessions"], ["sessions", "show", id], ["recover"]]) {
      const { out, err } = await place.stele([...args, "--json"]);
      expect(foreignControl(out + err, [])).toBeUndefined();
      for (const line of out.trimEnd().split("\n")) expect(JSON.parse(line)).toBeTypeOf("object");
    }
    await server.close();
  });
});
