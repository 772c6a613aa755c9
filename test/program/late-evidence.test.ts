// A command outlives its program and its turn, which a person ended without knowing what would become of it: its end is
// found by a later start, told once, and changes no result.
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { killNow } from "../helpers/kill.ts";
import { workplace } from "../helpers/stele.ts";
import { violations } from "../helpers/stored.ts";

const COMMAND = "touch began; until [ -e told ]; do sleep 0.05; done; echo over; exit 3";

it("is stored and told as a note, once", async () => {
  const place = workplace();
  let pid = 0;
  const killed = place.stele(["run", "--yes", `run ${COMMAND}`], {
    onStart: (child) => {
      pid = child.pid ?? 0;
    },
  });
  await expect.poll(() => existsSync(path.join(place.folder, "began"))).toBe(true);
  killNow(pid);
  await killed;
  const { open } = JSON.parse((await place.stele(["recover", "--json"])).out) as {
    open: readonly { admission: number; session: string }[];
  };
  const [turn] = open;
  if (!turn) throw new Error("no turn is open");
  await place.stele(["recover", "settle", String(turn.admission)]);
  const notes = async () => {
    await place.stele(["recover", "--json"]);
    const { out } = await place.stele(["sessions", "show", turn.session, "--json"]);
    const { messages } = JSON.parse(out) as {
      messages: readonly { role: string; parts: readonly { text?: string }[] }[];
    };
    return messages.flatMap(({ role, parts }) => (role === "note" ? [parts[0]?.text ?? ""] : []));
  };
  expect(await notes()).toHaveLength(1);
  writeFileSync(path.join(place.folder, "told"), "");
  await expect
    .poll(notes)
    .toEqual([expect.any(String), `Found out later: ${COMMAND} ended after its turn: exit 3, 1 line.`]);
  expect(await notes()).toHaveLength(2);
  const { out } = await place.stele(["sessions", "show", turn.session, "--json"]);
  expect(out).toContain('"kind":"unknown"');
  expect(violations(place)).toEqual([]);
});
