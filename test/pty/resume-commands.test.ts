// Every command that is printed to go on with a conversation does so: pasted into a shell in another folder.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { openTerminal, type Terminal } from "../helpers/pty.ts";
import { ready, type } from "../helpers/screen-program.ts";
import { cleanEnvironment, type Workplace, workplace } from "../helpers/stele.ts";

const BIN = path.dirname(fileURLToPath(new URL("../../bin/stele", import.meta.url)));

/** As a person types it into a shell in this folder. */
function shell(place: Workplace, line: string, folder = place.folder): Terminal {
  const clean = cleanEnvironment(place.home);
  const env = { ...clean, PATH: `${BIN}:${clean["PATH"] ?? ""}` };
  const terminal = openTerminal({ command: "sh", args: ["-c", line], cwd: folder, env, cols: 120, rows: 30 });
  onTestFinished(() => terminal.dispose());
  return terminal;
}

function elsewhere(place: Workplace): string {
  const folder = path.join(place.folder, "..", "else where");
  mkdirSync(folder, { recursive: true });
  return folder;
}

async function opens(place: Workplace, line: string, answer: string): Promise<Terminal> {
  const again = shell(place, line, elsewhere(place));
  await again.waitFor(`● ${answer}`);
  await again.waitFor(/It works in its own folder/);
  await ready(again);
  return again;
}

/** The last line of a program that has ended. */
async function lastLine(terminal: Terminal): Promise<string> {
  await terminal.exit;
  return terminal.scrollback().findLast((line) => line.trim() !== "") ?? "";
}

const pasted = (line: string) => line.replace(/^resume with: /, "");

it.each([
  ["", "stele -r "],
  ["--profile work", "stele --profile work -r "],
  ["--home 'my home'", "stele --home '/"],
  ["--ledger own.db", "stele --ledger /"],
])("the last line of the screen, started with %j", async (flags, begins) => {
  const place = workplace();
  const stele = shell(place, `stele ${flags}`);
  await type(stele, "say apples");
  await stele.waitFor("● apples");
  await type(stele, "/quit");
  const line = await lastLine(stele);
  expect(line.startsWith(`resume with: ${begins}`)).toBe(true);
  await opens(place, pasted(line), "apples");
});

it("the last line of a run on a terminal, and the ids that a list, a branch and /new print", async () => {
  const place = workplace();
  const line = await lastLine(shell(place, "stele run 'say apples'"));
  await opens(place, pasted(line), "apples");
  const [, listed = ""] = /(\d{8}-\d{6}-[0-9a-f]{6})/.exec((await place.stele(["sessions"])).out) ?? [];
  await opens(place, `stele -r ${listed}`, "apples");
  const branched = (await place.stele(["branch", "side", "-r", listed])).out.trim().split("\n").at(-1) ?? "";
  const side = await opens(place, `stele -r ${branched}`, "apples");
  await type(side, "say pears");
  await side.waitFor("● pears");
  await type(side, "/new");
  await side.waitFor("The old one: /resume ");
  const [, old = ""] = /The old one: (\/resume \S+)/.exec(side.scrollback().join("\n")) ?? [];
  await type(side, old);
  await side.waitFor(/“side” · 2 turns/);
  await type(side, "/branch another");
  await side.waitFor("Back: /resume ");
  const [, back = ""] = /Back: (\/resume \S+)/.exec(side.scrollback().join("\n")) ?? [];
  await type(side, back);
  await side.waitFor(/saved · side ·/);
});

it("the last line of a loop that a signal paused", async () => {
  const place = workplace();
  await place.stele(["run", "say apples"]);
  const loop = shell(place, "exec stele loop 1h say pears -c --foreground");
  await loop.waitFor("pears");
  loop.write("\x03");
  const line = await lastLine(loop);
  expect(line).toMatch(/^resume with: stele loop resume --foreground -r \S+$/);
  const again = shell(place, `cd / && exec ${pasted(line)}`);
  await again.waitFor(/“say pears”[\s\S]*active, next in 5s/);
});
