// `stele run` is killed at every crash point it passes. Then: what it printed is stored, the command ran at most
// once, recovery settles what is open, the invariants hold, and the conversation goes on.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { MessageId } from "../../src/ledger/types.ts";
import { type Ended, type Workplace, workplace } from "../helpers/stele.ts";
import { inLedger, violations } from "../helpers/stored.ts";

const PASSED = [
  "admit",
  "put-prompt",
  "acquire-lease",
  "claim",
  "ask-model",
  "append",
  "approve-call",
  "start-call",
  "tool-run",
  "finish-call",
  "settle",
  "release-lease",
];
const POINTS = PASSED.flatMap((name) => [`before:${name}`, `after:${name}`]);
const PROMPT = "run sh -c 'echo x >> n'";
const RUN = ["run", "--json", "--yes", "--request", "r1", PROMPT];

interface OpenTurn {
  readonly admission: number;
  readonly calls: readonly { readonly id: number; readonly state: string }[];
}

describe("stele run, killed", () => {
  it.each(POINTS)("%s: tells no lie, runs nothing twice, and goes on", async (point) => {
    const place = workplace();
    const doomed = await place.stele(RUN, { env: { STELE_CRASH_AT: point } });
    expect(doomed.signal, doomed.err).toBe("SIGKILL");
    expect(effects(place)).toBeLessThanOrEqual(1);

    const recovered = await place.stele(["recover", "--json"]);
    const { open } = JSON.parse(recovered.out) as { open: readonly OpenTurn[] };
    for (const { admission } of open)
      expect(await place.stele(["recover", "settle", String(admission), "--json"])).toMatchObject({ code: 0 });
    expectStored(place, doomed);

    const before = effects(place);
    const again = await place.stele(RUN);
    expect([0, 130], again.err).toContain(again.code);
    expect(effects(place) - before, "asked again after its end, it does not run again").toBe(
      open.length > 0 ? 0 : 1 - before,
    );
    expect(effects(place)).toBeLessThanOrEqual(1);

    const next = await place.stele(["run", "--json", "--yes", "-c", "say go on"]);
    expect(next.code, next.err).toBe(0);
    expect(violations(place)).toEqual([]);
  });
});

function effects({ folder }: Workplace): number {
  const file = path.join(folder, "n");
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
}

/** Every message that was printed is in the ledger, part for part. */
function expectStored(place: Workplace, doomed: Ended): void {
  const told = doomed.events
    .filter((event) => event["type"] === "message-added")
    .map((event) => event["message"] as { id: MessageId; parts: unknown });
  const stored = inLedger(place, (db) => told.map(({ id }) => db.message(id)?.parts));
  expect(stored).toEqual(told.map(({ parts }) => parts));
}
