// What /compress says when it has to wait: only of what runs before it, and only while it has not.
import { describe, expect, it } from "vitest";
import { waitWords } from "../../../src/commands/compress.ts";
import { newRequestId } from "../../../src/ledger/ids.ts";
import type { Admission, AdmissionId } from "../../../src/ledger/types.ts";
import { prompt } from "../../helpers/ledger.ts";
import { openDesk, words } from "./command-harness.ts";

type Row = Pick<Admission, "kind" | "status" | "held">;

const running: Row = { kind: "prompt", status: "started" };
const queued: Row = { kind: "prompt", status: "queued" };
const held: Row = { kind: "prompt", status: "queued", held: "the turn before it was stopped" };
const interrupted: Row = { kind: "prompt", status: "unknown" };
const steer: Row = { kind: "steer", status: "queued" };
const compacting: Row = { kind: "compact", status: "started" };
const compaction: Row = { kind: "compact", status: "queued" };

function said(ahead: readonly Row[], behind: readonly Row[] = []): string | undefined {
  const rows = [...ahead, compaction, ...behind].map((row, at) => ({ ...row, id: (at + 1) as AdmissionId }));
  return waitWords(rows, (ahead.length + 1) as AdmissionId);
}

describe("what a compaction waits for", () => {
  it.each([
    ["nothing", [], undefined],
    ["a prompt that is held", [held], undefined],
    ["a turn that waits for a decision", [interrupted, held], undefined],
    ["the turn that runs", [running], "Compacts after 1 turn."],
    ["the turn that runs, with words on its way to it", [running, steer], "Compacts after 1 turn."],
    ["turns, of which one is held", [running, held, queued], "Compacts after 2 turns."],
    ["another compaction", [compacting], "Waits for the compaction that runs."],
    ["another compaction and what is held", [compacting, held], "Waits for the compaction that runs."],
    ["a turn and a compaction", [running, compaction], "Compacts after 1 turn."],
  ] as const)("is told where it is %s", (_, ahead, words) => {
    expect(said(ahead)).toBe(words);
  });

  it("is nothing that comes after it, and nothing once it is over", () => {
    expect(said([], [queued, compaction])).toBeUndefined();
    expect(waitWords([{ ...running, id: 1 as AdmissionId }], 2 as AdmissionId)).toBeUndefined();
  });
});

describe("/compress", () => {
  it.each(["screen", "argv"] as const)("behind a prompt that is held says of no turn (%s)", async (surface) => {
    const desk = await openDesk({ surface });
    const { id } = desk.runner.session;
    const payload = prompt("say one", desk.folder);
    const target = { kind: "session", asked: id } as const;
    const { admission } = await desk.db.admit({
      request: newRequestId(),
      kind: "prompt",
      payload,
      target,
      session: id,
    });
    await desk.db.hold(admission.id, "a test holds it");
    expect(words(await desk.type("/compress"))).toBe("");
  });

  it("says nothing of waiting where its words come when it is over", async () => {
    const desk = await openDesk({ surface: "argv" });
    await desk.runner.submit([{ kind: "text", text: "say 300 lines" }]);
    expect(words(await desk.type("/compress"))).toBe("");
  });
});
