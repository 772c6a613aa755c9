// `stele run` is killed at every crash point it passes. Then: what it printed is stored, the command ran at most
// once, recovery settles what is open, the invariants hold, and the conversation goes on.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Ended, type Workplace, workplace } from "../helpers/stele.ts";

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
    await expectStored(place, doomed);

    const before = effects(place);
    const again = await place.stele(RUN);
    expect([0, 130], again.err).toContain(again.code);
    expect(effects(place) - before, "asked again after its end, it does not run again").toBe(
      open.length > 0 ? 0 : 1 - before,
    );
    expect(effects(place)).toBeLessThanOrEqual(1);

    const next = await place.stele(["run", "--json", "--yes", "-c", "say go on"]);
    expect(next.code, next.err).toBe(0);
    const doctor = JSON.parse((await place.stele(["doctor", "--json", "--full"])).out) as { verify: unknown };
    expect(doctor.verify).toEqual([]);
  });
});

function effects({ folder }: Workplace): number {
  const file = path.join(folder, "n");
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
}

/** Every message that was printed is in the ledger, part for part. */
async function expectStored(place: Workplace, doomed: Ended): Promise<void> {
  const told = doomed.events.filter((event) => event["type"] === "message-added");
  const session = doomed.events.find((event) => event["type"] === "session")?.["session"];
  if (told.length === 0 || typeof session !== "string") return;
  const shown = await place.stele(["sessions", "show", session, "--json"]);
  const { messages } = JSON.parse(shown.out) as { messages: readonly { id: number; parts: unknown }[] };
  for (const event of told) {
    const { id, parts } = event["message"] as { id: number; parts: unknown };
    expect(messages.find((message) => message.id === id)?.parts).toEqual(parts);
  }
}
