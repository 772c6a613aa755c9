import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../../src/agent/events.ts";
import type { Admission, AdmissionId, MessageId } from "../../../src/ledger/types.ts";
import { liveLines } from "../../../src/ui/live-lines.ts";
import { queueLines } from "../../../src/ui/queue-lines.ts";
import { savingOf } from "../../../src/ui/saving.ts";
import { lineText } from "../../../src/ui/styled-line.ts";
import type { UiAction, ViewState } from "../../../src/ui/view-state.ts";
import {
  admitted,
  after,
  answer,
  call,
  delta,
  message,
  openView,
  plainTheme,
  printed,
  session,
  settled,
  started,
  turnId,
} from "./view-samples.ts";

const problem: SessionEvent = {
  type: "ledger-problem",
  error: { code: "ledger_disk_full", message: "disk full (0 B free on /home)", hint: "Free some space." },
};

it("says in one quiet line what an answer stored, and where", () => {
  const kept = { type: "rule-kept", file: "~/.stele/config.json" } as const;
  const state = after(openView(), started, { ...kept, kind: "allow", rule: "write_file" });
  expect(state.blocks).toEqual([
    {
      kind: "note",
      role: "muted",
      text: "allowed from now on: write_file, in ~/.stele/config.json for every project; /approve forget takes it back",
    },
  ]);
  const denied = after(openView(), { ...kept, kind: "deny", rule: "shell(rm)" });
  expect(denied.blocks).toMatchObject([{ text: expect.stringMatching(/^denied from now on: shell\(rm\)/) }]);
});

describe("what is saved", () => {
  const entered: UiAction = { type: "submitted", key: 1, text: "words" };

  it("is not, from enter until the ledger has the prompt", () => {
    const sent = after(openView(), entered);
    expect(savingOf(sent)).toEqual({ kind: "saving" });
    expect(savingOf(after(sent, admitted(7, "words"), { type: "admitted", key: 1 }))).toEqual({ kind: "saved" });
  });

  it("is not while text stands on the screen that no message holds", () => {
    const streaming = after(openView(), admitted(7, "p"), started, delta("one\ntwo"));
    expect(savingOf(streaming)).toEqual({ kind: "saving" });
    expect(savingOf(after(streaming, answer(2, "one\ntwo")))).toEqual({ kind: "saved" });
  });

  it("is not while a running command's output is shown", () => {
    const running = after(openView(), started, { type: "call-changed", call: call(1, {}) });
    expect(savingOf(running)).toEqual({ kind: "saved" });
    const talking = after(running, { type: "call-output", call: "call-1", chunk: "working\n" });
    expect(savingOf(talking)).toEqual({ kind: "saving" });
    const done = call(1, { state: "succeeded", result: 3 as MessageId });
    expect(savingOf(after(talking, { type: "call-changed", call: done }))).toEqual({ kind: "saved" });
  });

  it("is refused in words until an event proves that writing works again", () => {
    const broken = after(openView(), problem);
    const notSaved = { kind: "not-saved", why: "disk full (0 B free on /home)" };
    expect(savingOf(broken)).toEqual(notSaved);
    expect(savingOf(after(broken, { type: "queue-changed", waiting: [] }, { type: "lease-acquired" }))).toEqual(
      notSaved,
    );
    expect(savingOf(after(broken, admitted(8, "p")))).toEqual({ kind: "saved" });
  });

  it("is refused when a prompt was not taken, and says why once", () => {
    const { error } = problem as Extract<SessionEvent, { type: "ledger-problem" }>;
    const refused = after(openView(), entered, { type: "not-admitted", key: 1, error }, problem);
    expect(savingOf(refused).kind).toBe("not-saved");
    expect(refused.unsent).toEqual([]);
    expect(printed(refused).filter((line) => line.includes("NOT SAVED"))).toHaveLength(1);
  });

  it("is unknown before the ledger is open", () => {
    const starting = { ...openView(), phase: "starting" as const };
    expect(savingOf(starting)).toEqual({ kind: "starting" });
    expect(savingOf(after(starting, entered))).toEqual({ kind: "saving" });
  });
});

describe("an answer", () => {
  it("leaves line by line, and the message brings only the rest", () => {
    const streaming = after(openView(), started, delta("first li"), delta("ne\nsecond"));
    expect(printed(streaming)).toEqual(["● first line"]);
    const done = after(
      streaming,
      { type: "printed", count: streaming.blocks.length },
      answer(2, "first line\nsecond line"),
    );
    expect(printed(done)).toEqual(["  second line"]);
    expect(done.turn?.answer.text).toBe("");
  });

  it("is shown whole where the stored text is another one", () => {
    const state = after(openView(), started, delta("wrong\nhalf"), answer(2, "right"));
    expect(printed(state)).toEqual(["● wrong", "  this is what was stored:", "● right"]);
  });

  it("is marked where it was interrupted, with the line that was being written", () => {
    const state = after(
      openView(),
      started,
      delta("one\ntw"),
      answer(2, "one\ntw", { finishReason: "interrupted" }),
      settled({ outcome: "interrupted" }),
    );
    expect(printed(state)).toEqual(["● one", "  tw", "  interrupted: the answer ends here"]);
    expect(state.turn).toBeUndefined();
  });

  it("says that the model's limit cut it, though it is stored as it came", () => {
    const error = { code: "model_length", message: "The answer was cut off at the model's limit." };
    const cut = answer(2, "one", { finishReason: "length" });
    const state = after(
      openView(),
      started,
      delta("one"),
      cut,
      settled({ outcome: "completed", message: 2 as MessageId, error }),
    );
    expect(printed(state).join("\n")).toMatch(/● one[\s\S]*limit/);
    expect(printed(state).join("\n").match(/limit/g)).toHaveLength(1);
  });

  it("is marked as not stored when the ledger gave up on it", () => {
    const state = after(openView(), started, delta("one\ntw"), problem);
    expect(printed(state).slice(0, 3)).toEqual(["● one", "  tw", "  not saved: the answer above is not in the ledger"]);
    expect(state.turn).toBeUndefined();
  });

  it("looks the same restored as streamed", () => {
    const text = "# Head\n\npara **bold**\n\n- a\n- b\n\n```ts\nlet x;\n```\nend";
    const streamed = after(openView(), started, ...[...text].map(delta), answer(2, text));
    expect(printed(streamed)).toEqual(printed(after(openView(), answer(2, text))));
  });

  it("says once that there was reasoning", () => {
    const thinking = after(openView(), started, { type: "reasoning-delta", text: "hmm" });
    expect(savingOf(thinking)).toEqual({ kind: "saving" });
    const parts = [
      { kind: "reasoning", text: "hmm" },
      { kind: "text", text: "so" },
    ] as const;
    expect(printed(after(thinking, delta("so"), answer(2, "so", { parts })))).toEqual([
      "  thought, 3 characters",
      "● so",
    ]);
    expect(printed(after(thinking, answer(2, "so", { parts })))).toEqual(["  thought, 3 characters", "● so"]);
  });
});

describe("a tool call", () => {
  const result = (outcome: object, id = 3): SessionEvent => ({
    type: "message-added",
    message: message(id, "tool", { parts: [{ kind: "tool-result", call: "call-1", outcome: outcome as never }] }),
  });

  it("is live until its result is stored, and is printed with it", () => {
    const live = after(openView(), started, { type: "call-changed", call: call(1, { startedAt: 1_000 }) });
    expect(live.turn?.calls).toHaveLength(1);
    const ended = call(1, { state: "succeeded", startedAt: 1_000, finishedAt: 4_100, result: 3 as MessageId });
    const state = after(
      live,
      { type: "call-changed", call: ended },
      result({ kind: "ok", output: "fine", exitCode: 0 }),
    );
    expect(state.turn?.calls).toEqual([]);
    expect(printed(state)[0]).toMatch(/^ {2}⎿ shell npm test {2,}exit 0 · 3.1 s$/);
    expect(printed(state)[1]).toBe("      fine");
  });

  it("keeps only the end of a long output", () => {
    const chunk = "x".repeat(3_000);
    const state = after(
      openView(),
      started,
      { type: "call-changed", call: call(1, {}) },
      ...Array.from({ length: 5 }, (): SessionEvent => ({ type: "call-output", call: "call-1", chunk })),
    );
    expect(state.turn?.calls[0]?.output.length).toBe(4_000);
  });

  it("stands as it was written over, wherever its pieces part", () => {
    const chunks = ["begin\n", "\r[ 1%]", "\r[ 50", "%]\r", "[100%]", "\r"];
    const state = after(
      openView(),
      started,
      { type: "call-changed", call: call(1, { state: "running" }) },
      ...chunks.map((chunk): SessionEvent => ({ type: "call-output", call: "call-1", chunk })),
    );
    const shown = liveLines(state, { width: 40, theme: plainTheme }).map(lineText);
    expect(shown.slice(1)).toEqual(["      begin", "      [100%]"]);
  });

  it("decided about while no turn runs is known when its result comes", () => {
    const decided = call(1, { state: "cancelled", result: 3 as MessageId });
    const state = after(
      openView(),
      { type: "call-changed", call: decided },
      result({ kind: "cancelled", output: "no" }),
    );
    expect(printed(state)[0]).toMatch(/shell npm test +cancelled/);
  });
});

describe("the queue", () => {
  it("names one prompt as the next, the first that waits for no key", () => {
    const [held, ...others] = [waiting(8, "stopped"), waiting(9), waiting(10)];
    const shown = (state: ViewState) => queueLines(state, { width: 80, theme: plainTheme }).map(lineText);
    const state = after(openView(), started, { type: "queue-changed", waiting: held ? [held, ...others] : [] });
    expect(shown(state)).toEqual(["› p8  (waits · /queue run)", "› p9  (next)", "› p10  (after that)"]);
    const idle = after(openView(), { type: "queue-changed", waiting: others });
    expect(shown(idle)).toEqual(["› p9  (starts)", "› p10  (after that)"]);
  });

  it("has what goes into the turn first, and as a prompt like others when the turn is over", () => {
    const asked = (id: number, isSteer: boolean) => ({ ...admitted(id, `p${id}`), isSteer }) as SessionEvent;
    const shown = (state: ViewState) => queueLines(state, { width: 80, theme: plainTheme }).map(lineText);
    const state = after(openView(), started, asked(8, false), asked(9, true), asked(10, true));
    expect(shown(state)).toEqual([
      "› p9  (steers at the next step)",
      "› p10  (steers at the next step)",
      "› p8  (next)",
    ]);
    const taken = after(state, { type: "prompt-steered", admission: 9 as AdmissionId, by: turnId });
    expect(shown(taken)).toEqual(["› p10  (steers at the next step)", "› p8  (next)"]);
    const over = after(taken, { type: "turn-settled", admission: turnId, outcome: "completed" });
    expect(shown(over)).toEqual(["› p8  (starts)", "› p10  (after that)"]);
  });

  it("says which one is in the input", () => {
    const state = after(openView(), started, admitted(8, "p8"), { type: "editing", admission: 8 as AdmissionId });
    const shown = (each: ViewState) => queueLines(each, { width: 80, theme: plainTheme }).map(lineText);
    expect(shown(state)).toEqual(["› p8  (in the input · esc leaves it as it is)"]);
    expect(shown(after(state, { type: "editing" }))).toEqual(["› p8  (next)"]);
  });
  const waiting = (id: number, held?: string) =>
    ({
      id,
      summary: `p${id}`,
      status: "queued",
      conversation: openView().session?.conversation,
      ...(held && { held }),
    }) as Admission;

  it("holds what was admitted until its turn starts", () => {
    const queued = after(openView(), admitted(7, "one"), admitted(8, "two"), admitted(8, "two"));
    expect(queued.queue.map(({ text }) => text)).toEqual(["one", "two"]);
    expect(after(queued, started).queue.map(({ text }) => text)).toEqual(["two"]);
  });

  it("takes over what the ledger says, of this conversation only", () => {
    const other = { ...waiting(9), conversation: "other" } as Admission;
    const state = after(openView(), { type: "queue-changed", waiting: [waiting(8, "stopped"), other] });
    expect(state.queue).toEqual([{ id: 8, text: "p8", held: "stopped" }]);
  });

  it("says who holds the conversation until it is ours", () => {
    const holder = { pid: 7, host: "h", program: "stele" };
    const state = after(openView(), { type: "lease-awaited", conversation: "c" as never, holder, since: 5 });
    expect(state.awaited).toEqual({ holder, since: 5 });
    expect(after(state, { type: "lease-acquired" }).awaited).toBeUndefined();
  });

  it("is blocked by an interrupted turn until that one is over", () => {
    const blocked = after(openView(), { type: "turn-blocked", admission: { id: turnId } as Admission });
    expect(blocked.blocked).toBe(turnId);
    expect(after(blocked, settled()).blocked).toBeUndefined();
    expect(after(blocked, settled({ admission: 99 as never })).blocked).toBe(turnId);
  });

  it("is blocked as long as the ledger has a turn that is unknown, whoever decides about it", () => {
    const unknown = { ...waiting(7), status: "unknown" } as Admission;
    const blocked = after(openView(), { type: "queue-changed", waiting: [unknown, waiting(8)] });
    expect(blocked).toMatchObject({ blocked: 7, queue: [{ id: 8 }] });
    const resumed = { ...unknown, status: "started" } as Admission;
    expect(after(blocked, { type: "queue-changed", waiting: [resumed, waiting(8)] }).blocked).toBeUndefined();
    expect(after(blocked, { type: "queue-changed", waiting: [waiting(8)] }).blocked).toBeUndefined();
  });
});

it("marks what another program wrote, and takes it for no proof that we can write", () => {
  const state = after(openView(), problem, { ...answer(2, "theirs"), elsewhere: true } as SessionEvent);
  expect(printed(state).slice(-2)).toEqual(["● theirs", "  from another window"]);
  expect(savingOf(state).kind).toBe("not-saved");
});

it("begins anew with another session", () => {
  const state = after(openView(), started, admitted(8, "x"), {
    type: "session",
    session: { ...session, title: "t" },
    resumed: true,
  });
  expect(state.turn).toBeUndefined();
  expect(state.queue).toEqual([]);
  expect(state.session?.title).toBe("t");
});

describe("an answer that broke off", () => {
  const text = "No answer: the stream was cut. /retry asks again.";
  const failed: SessionEvent = {
    type: "message-added",
    message: message(3, "note", { parts: [{ kind: "note", text }] }),
  };

  it("is shown before the note about it, and marked as not kept, once", () => {
    const error = { code: "model_stream_cut", message: "the stream was cut" };
    const end = settled({ outcome: "failed", message: 3 as MessageId, error });
    const state = after(openView(), started, delta("one\nhalf a"), failed, end);
    expect(printed(state)).toEqual(["● one", "  half a", "  not kept", `  ${text}`]);
    expect(savingOf(state)).toEqual({ kind: "saved" });
  });

  it("leaves a note alone that comes without any text", () => {
    expect(printed(after(openView(), started, failed, settled()))).toEqual([`  ${text}`]);
  });
});

describe("what another window writes", () => {
  const elsewhere = (id: number): SessionEvent => ({
    type: "message-added",
    message: message(id, "assistant", { parts: [{ kind: "text", text: `a${id}` }] }),
    elsewhere: true,
  });

  it("is said to be from there once for a run of messages", () => {
    const run = after(openView(), elsewhere(2), elsewhere(3));
    expect(printed(run)).toEqual(["● a2", "  from another window", "● a3"]);
    const again = after(run, answer(4, "own"), elsewhere(5), elsewhere(6));
    expect(printed(again).filter((line) => line.includes("another window"))).toHaveLength(2);
  });
});

describe("how long a call ran", () => {
  const done = (more: Partial<Parameters<typeof call>[1]>): string =>
    printed(
      after(
        openView(),
        started,
        { type: "call-changed", call: call(1, { state: "succeeded", startedAt: 0, finishedAt: 61_000, ...more }) },
        {
          type: "message-added",
          message: message(3, "tool", {
            parts: [{ kind: "tool-result", call: "call-1", outcome: { kind: "ok", exitCode: 0 } }],
          }),
        },
      ),
    ).join("\n");

  it("is shown where it is known, and not where a person decided what became of it", () => {
    expect(done({})).toContain("exit 0 · 1 min 1 s");
    expect(done({ evidence: "a person decided: it happened" })).toMatch(/exit 0$/);
  });

  it("is counted while it runs", () => {
    const state = after(openView(), started, { type: "call-changed", call: call(1, { startedAt: 1_000 }) });
    const look = { width: 80, theme: plainTheme };
    expect(
      liveLines({ ...state, now: 13_999 }, look)
        .map(lineText)
        .join(),
    ).toMatch(/shell npm test +running 12 s/);
  });
});

describe("a turn that cannot go on as it was", () => {
  it("leaves the screen with the reason, and waits for a decision", () => {
    const event: SessionEvent = {
      type: "turn-blocked",
      admission: { id: turnId } as Admission,
      why: "The request would differ.",
    };
    const state = after(openView(), started, event);
    expect(state.turn).toBeUndefined();
    expect(state.blocked).toBe(turnId);
    expect(printed(state)).toContain("  The request would differ.");
  });
});
