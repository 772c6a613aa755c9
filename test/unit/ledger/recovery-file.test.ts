// What the checklist says of the file itself: its names and its pages.
import { linkSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { recover } from "../../../src/ledger/recovery.ts";
import { SessionDB } from "../../../src/ledger/session-db.ts";
import { openAsyncLedger } from "../../helpers/async-ledger.ts";
import { holder, temporaryFolder } from "../../helpers/ledger.ts";

const LINKED =
  "the file has another name (a hard link): opened by two of them at once, turns are lost; to find it: stele doctor";

it.each([
  ["one name and whole pages", [], ["ok", "quick check ok, same file as at the last start"]],
  ["another name", [giveName], ["warn", LINKED]],
  ["a page that is wrong", [damage], ["fail", expect.stringContaining("reelist")]],
  ["another name and a page that is wrong", [giveName, damage], ["fail", expect.stringMatching(/reelist.*; .*name/s)]],
])("a file with %s", async (_name, acts, words) => {
  const file = path.join(temporaryFolder(), "state.db");
  new SessionDB({ path: file }).close();
  for (const act of acts) act(file);
  const db = await openAsyncLedger(file);
  const world = { readBack: nothing, finishReverts: nothing, sweep: () => Promise.resolve() };
  const told: unknown[] = [];
  for await (const event of recover(db, { holder: holder(), world }))
    if (event.type === "step" && event.step.name === "integrity") told.push([event.step.status, event.step.detail]);
  expect(told).toEqual([words]);
});

const nothing = () => Promise.reject(new Error("nothing was interrupted"));

function giveName(file: string): void {
  linkSync(file, `${file}.mine`);
}

/** Pages that are free: more of them in the header than there are. */
function damage(file: string): void {
  const bytes = readFileSync(file);
  bytes.writeUInt32BE(bytes.readUInt32BE(36) + 7, 36);
  writeFileSync(file, bytes);
}
