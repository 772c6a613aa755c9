import path from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionDB } from "../../../src/ledger/session-db.ts";
import type { Message, Part, Session } from "../../../src/ledger/types.ts";
import { messageLines, storedMessages } from "../../../src/ui/pager-messages.ts";
import { OutputList, type OutputReader, outputItems } from "../../../src/ui/pager-outputs.ts";
import { scroll, scrollToEnd } from "../../../src/ui/pager-scroll.ts";
import { searchPattern, searchStep } from "../../../src/ui/pager-search.ts";
import { isNeeds } from "../../../src/ui/pager-source.ts";
import { Transcript } from "../../../src/ui/pager-transcript.ts";
import { type Line, lineText } from "../../../src/ui/styled-line.ts";
import { MEMORY, newSession, openLedger, temporaryFolder } from "../../helpers/ledger.ts";
import { call, message, plainTheme } from "./view-samples.ts";

const look = { width: 80, theme: plainTheme };

describe("a conversation in the pager", () => {
  it("opens at its end and goes to its beginning with the same few reads, however long it is", async () => {
    const reads = await Promise.all([100, 1_200].map((count) => readsOfBothEnds(count)));
    expect(reads[0]?.end).toEqual(reads[1]?.end);
    expect(reads[1]?.begin).toBeLessThanOrEqual(4);
    expect(reads[1]?.messages).toBeLessThan(400);
  });

  it("scrolls from its end to its beginning over every message once, in order", async () => {
    const { transcript } = opened(230);
    const seen: string[] = [];
    let pane = { source: transcript, look, height: 7 };
    let top = await asked(transcript, () => scrollToEnd(pane));
    for (;;) {
      const { unit } = top;
      const rows = await asked<readonly Line[]>(transcript, () => transcript.rows(unit, look) ?? { needs: unit });
      seen.push(rows.map(lineText).join("|"));
      if (unit === 0) break;
      pane = { ...pane };
      top = await asked(transcript, () => scroll(pane, top, -1));
    }
    expect(seen.at(-1)).toBe("  note 0");
    expect(seen.toReversed()).toEqual(Array.from({ length: seen.length }, (_, index) => `  note ${index}`));
  });

  it("finds what was said long before, page by page", async () => {
    const { transcript } = opened(400);
    const text = { source: transcript, look };
    const pattern = searchPattern("note 17");
    let from = { unit: 399, index: 99, direction: "up" as const, left: 401 };
    for (let steps = 0; steps < 50; steps += 1) {
      const step = searchStep(text, pattern, from);
      if (isNeeds(step)) await transcript.load(step.needs);
      else if ("next" in step) from = step.next as typeof from;
      else {
        expect(step).toMatchObject({ unit: 179, index: 0 });
        return;
      }
    }
    expect.unreachable();
  });
});

describe("a message in the pager", () => {
  const thought: Part = { kind: "reasoning", text: "I think\nof two lines" };
  const output = Array.from({ length: 40 }, (_, index) => `line ${index}`).join("\n");
  const asks = message(1, "assistant", {
    parts: [
      thought,
      { kind: "text", text: "I look." },
      { kind: "tool-call", call: "c", tool: "shell", input: { command: "ls" } },
    ],
  });
  const answers = message(2, "tool", { parts: [{ kind: "tool-result", call: "c", outcome: { kind: "ok", output } }] });

  function shown(
    messages: readonly Message[],
    calls: Parameters<typeof storedMessages>[1],
    before = 0,
  ): readonly string[] {
    return storedMessages(messages, calls, before).flatMap((each) => messageLines(each, look).map(lineText));
  }

  it("has its thoughts and outputs whole", () => {
    const rows = shown([asks, answers], []);
    expect(rows.slice(0, 3)).toEqual(["  I think", "  of two lines", "● I look."]);
    expect(rows[3]).toMatch(/⎿ shell ls +ok$/);
    expect(rows.slice(4)).toEqual(output.split("\n").map((line) => `      ${line}`));
  });

  it("knows the call of a result that stands on the page before", () => {
    expect(shown([asks, answers], [], 1)[0]).toMatch(/⎿ shell ls +ok$/);
  });

  it("shows a call without a result as far as it came", () => {
    const open = call(3, { message: asks.id, call: "c", tool: "shell", input: { command: "ls" }, state: "unknown" });
    expect(shown([asks], [open]).at(-1)).toMatch(/⎿ shell ls +\? unknown$/);
  });
});

describe("the outputs of a conversation", () => {
  it("come newest first, the first to open being one that is not whole in the scrollback", async () => {
    const long = Array.from({ length: 40 }, (_, index) => `long ${index}`).join("\n");
    const reader = readerOf([
      ...pair(1, "old", long),
      ...pair(3, "folded", long),
      ...pair(5, "whole", "one line"),
      ...pair(7, "silent", ""),
    ]);
    const list = new OutputList({ db: reader, session: "s" as Session["id"], head: 8 as Message["id"] });
    expect(await list.newestFolded()).toBe(1);
    expect(outputItems(list.found).map(({ label, detail }) => [label, detail])).toEqual([
      ["shell whole", "ok"],
      ["shell folded", "ok · folded"],
      ["shell old", "ok · folded"],
    ]);
    expect(list.isWhole).toBe(true);
  });

  it("have the long prompts among them, which open whole", async () => {
    const prompt = "please look\n".repeat(40);
    const reader = readerOf([
      ...pair(1, "old", "one line"),
      message(3, "user", { parts: [{ kind: "text", text: prompt }] }),
      message(4, "user", { parts: [{ kind: "text", text: "short" }] }),
    ]);
    const list = new OutputList({ db: reader, session: "s" as Session["id"], head: 4 as Message["id"] });
    expect(await list.newestFolded()).toBe(0);
    expect(outputItems(list.found).map(({ label, detail }) => [label, detail])).toEqual([
      ["prompt please look", "[40 lines] · folded"],
      ["shell old", "ok"],
    ]);
    const [output] = list.found;
    expect((output && (await list.source(output)))?.units).toBe(40);
  });

  it("are read on only as far as they are asked for", async () => {
    const reader = readerOf(
      Array.from({ length: 100 }, (_, index) => pair(index * 2 + 1, `c${index}`, "x\n".repeat(30))).flat(),
    );
    const list = new OutputList({ db: reader, session: "s" as Session["id"], head: 200 as Message["id"] });
    expect(await list.newestFolded()).toBe(0);
    expect(list.found).toHaveLength(20);
    await list.more();
    expect(list.found).toHaveLength(40);
    expect(outputItems(list.found).map(({ label }) => label)).toEqual(
      Array.from({ length: 40 }, (_, index) => `shell c${99 - index}`),
    );
  });

  it("open whole from the blob where the stored output is only head and tail", async () => {
    const reader = readerOf(pair(1, "big", "head\n[… left out …]\ntail", "the whole\nof it"));
    const list = new OutputList({ db: reader, session: "s" as Session["id"], head: 2 as Message["id"] });
    await list.newestFolded();
    const [output] = list.found;
    const source = output && (await list.source(output));
    expect(source?.title).toMatch(/^shell big/);
    expect([0, 1].map((unit) => source?.rows(unit, look)?.map(lineText))).toEqual([["the whole"], ["of it"]]);
  });
});

// ---- a conversation of notes in a real ledger ----

interface Reads {
  calls: number;
  messages: number;
}

function opened(count: number): { readonly transcript: Transcript; readonly reads: Reads } {
  const db = openLedger({ path: path.join(temporaryFolder(MEMORY), "state.db") });
  const session = newSession(db);
  let head: Message | undefined;
  for (let index = 0; index < count; index += 1) {
    const added = db.appendNote(session.id, { text: `note ${index}`, at: index + 1 });
    if ("role" in added) head = added;
  }
  if (!head) throw new Error("no note was stored");
  const reads: Reads = { calls: 0, messages: 0 };
  return { transcript: new Transcript({ db: counted(db, reads), session: session.id, head, title: "t" }), reads };
}

function counted(db: SessionDB, reads: Reads): Pick<OutputReader, "path" | "callsOfMessages"> {
  return {
    path: async (id, window) => {
      const found = db.path(id, window);
      reads.calls += 1;
      reads.messages += found.messages.length;
      return found;
    },
    callsOfMessages: async (ids) => db.callsOfMessages(ids),
  };
}

async function readsOfBothEnds(count: number) {
  const { transcript, reads } = opened(count);
  const pane = { source: transcript, look, height: 23 };
  await asked(transcript, () => scrollToEnd(pane));
  const end = reads.calls;
  await asked(transcript, () => scroll(pane, { unit: 0, row: 0 }, 0));
  return { end, begin: reads.calls - end, messages: reads.messages };
}

async function asked<T extends object>(transcript: Transcript, ask: () => T | { readonly needs: number }): Promise<T> {
  for (;;) {
    const answer = ask();
    if (!isNeeds(answer)) return answer as T;
    await transcript.load(answer.needs);
  }
}

// ---- outputs without a ledger: messages by their ids ----

function pair(id: number, command: string, output: string, whole?: string): readonly Message[] {
  const outcome = {
    kind: "ok" as const,
    ...(output !== "" && { output }),
    ...(whole !== undefined && { truncated: true, blob: whole as never }),
  };
  const parent = id > 1 ? { parent: (id - 1) as Message["id"] } : {};
  return [
    message(id, "assistant", {
      ...parent,
      parts: [{ kind: "tool-call", call: "c", tool: "shell", input: { command } }],
    }),
    message(id + 1, "tool", { parent: id as Message["id"], parts: [{ kind: "tool-result", call: "c", outcome }] }),
  ];
}

/** Blobs are their own names. */
function readerOf(messages: readonly Message[]): OutputReader {
  return {
    path: async (_session, { from, limit }) => {
      const upTo = messages.filter(({ id }) => from === undefined || id <= from);
      return { messages: upTo.slice(-limit), earlier: Math.max(0, upTo.length - limit) };
    },
    callsOfMessages: async () => [],
    blob: async (hash) => new TextEncoder().encode(hash),
  };
}
