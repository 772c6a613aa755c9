// A loop without a screen, killed and taken over: every slot has one tick and what it did was done once.
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { killNow } from "../helpers/kill.ts";
import { type SteleOptions, workplace } from "../helpers/stele.ts";
import { inLedger, violations } from "../helpers/stored.ts";
import { writeConfig } from "../helpers/write-config.ts";

interface OpenTurn {
  readonly admission: number;
}

it("goes on in the next program after a kill, and fires no slot twice", async () => {
  const place = workplace();
  writeConfig(place, { loops: { minInterval: "1s" } });
  await place.stele(["run", "say begin"]);
  const { id } = JSON.parse((await place.stele(["sessions", "--json"])).out) as { id: string };
  const done = () => ranOf(place.folder).length;
  const follow = (asked: readonly string[], onStart?: SteleOptions["onStart"]) =>
    place.stele(["loop", ...asked, "--foreground", "--yes", "-r", id], onStart ? { onStart } : {});
  let pid = 0;
  const killed = follow(["1s", "run echo x >> n", "--times", "5"], (child) => {
    pid = child.pid ?? 0;
  });
  await expect.poll(done).toBeGreaterThanOrEqual(2);
  // Who may not take it fires nothing of it.
  expect((await follow(["resume"])).code).toBe(3);
  killNow(pid);
  await killed;
  // What the kill left half-way is decided as a person would.
  const { open } = JSON.parse((await place.stele(["recover", "--json"])).out) as { open: readonly OpenTurn[] };
  for (const { admission } of open) await place.stele(["recover", "settle", String(admission)]);
  expect((await follow(["resume"])).code).toBe(0);

  const ticks = inLedger(place, (db) => {
    const loop = db.loopOf(db.session(id as never).conversation);
    return loop ? db.loopTicks(loop.id, 100) : [];
  });
  const slots = ticks.map(({ slot }) => slot);
  expect(new Set(slots).size).toBe(slots.length);
  // The one that was killed in the middle may have run its command or not; none ran it twice.
  expect(done()).toBeLessThanOrEqual(slots.length);
  expect(done()).toBeGreaterThanOrEqual(slots.length - 1);
  expect(violations(place)).toEqual([]);
});

function ranOf(folder: string): readonly string[] {
  try {
    return readFileSync(path.join(folder, "n"), "utf8").trimEnd().split("\n");
  } catch {
    return []; // nothing ran yet
  }
}
