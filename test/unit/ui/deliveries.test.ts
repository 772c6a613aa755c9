import { spawn } from "node:child_process";
import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import type { Undelivered } from "../../../src/ledger/recovery.ts";
import type { MessageId } from "../../../src/ledger/types.ts";
import { Deliveries } from "../../../src/ui/deliveries.ts";
import { FlushWatch } from "../../../src/ui/flush-watch.ts";
import { lineText } from "../../../src/ui/styled-line.ts";
import { blockLines } from "../../../src/ui/transcript.ts";
import { tellUndelivered } from "../../../src/ui/undelivered.ts";
import { message, plainTheme, session } from "./view-samples.ts";

describe("a stream that is watched", () => {
  it("says that all was taken only after the stream took it", async () => {
    let take: () => void = () => {};
    const stream = new Writable({
      write(_chunk, _encoding, done) {
        take = done;
      },
    });
    const watch = new FlushWatch(stream);
    stream.write("text");
    let isFlushed: boolean | undefined;
    const flushed = watch.flushed().then((is) => {
      isFlushed = is;
    });
    await Promise.resolve();
    expect(isFlushed).toBeUndefined();
    take();
    // The empty write behind it.
    await new Promise(setImmediate);
    take();
    await flushed;
    expect(isFlushed).toBe(true);
  });

  it("is broken for good once a write has failed, as a pipe whose reader went away", async () => {
    const child = spawn(process.execPath, ["-e", ""], { stdio: ["pipe", "ignore", "ignore"] });
    await new Promise((resolve) => child.once("exit", resolve));
    const watch = new FlushWatch(child.stdin);
    child.stdin.write("to nobody");
    expect(await watch.flushed()).toBe(false);
    expect(await watch.flushed()).toBe(false);
  });
});

describe("deliveries", () => {
  const one = 1 as MessageId;

  it("are marked with the terminal's name after the text was taken, never before", async () => {
    const marked: string[] = [];
    let flush: (isFlushed: boolean) => void = () => {};
    const deliveries = new Deliveries({
      deliver: async (id, channel) => marked.push(`${id} ${channel}`),
      flushed: () =>
        new Promise((resolve) => {
          flush = resolve;
        }),
      channel: "/dev/pts/1",
    });
    deliveries.told([one]);
    await Promise.resolve();
    expect(marked).toEqual([]);
    flush(true);
    await deliveries.settled();
    expect(marked).toEqual(["1 /dev/pts/1"]);
  });

  it("are not marked on a broken terminal, and a ledger that cannot be written is no error", async () => {
    const broken = new Deliveries({
      deliver: () => Promise.reject(new Error("marked")),
      flushed: () => Promise.resolve(false),
      channel: "t",
    });
    broken.told([one]);
    await broken.settled();
    const busy = new Deliveries({
      deliver: () => Promise.reject(new Error("busy")),
      flushed: () => Promise.resolve(true),
      channel: "t",
    });
    busy.told([one]);
    await expect(busy.settled()).resolves.toBeUndefined();
  });
});

describe("what finished while nobody was looking", () => {
  const answer = (id: number): Undelivered => ({
    admission: { summary: `prompt ${id}` } as never,
    session: { ...session, title: `title ${id}` },
    message: message(id, "assistant", { parts: [{ kind: "text", text: `answer ${id}` }] }),
  });
  const text = (all: readonly Undelivered[], isShown = () => false): { text: string; messages: readonly number[] } => {
    const { others, shown, messages } = tellUndelivered(all, isShown);
    const lines = [...others, ...shown]
      .flatMap((block) => blockLines(block, { width: 80, theme: plainTheme }))
      .map(lineText);
    return { text: lines.join("\n"), messages };
  };

  it("is nothing to say where there is none", () => {
    expect(tellUndelivered([], () => false)).toEqual({ others: [], shown: [], messages: [] });
  });

  it("is told whole with its title, its prompt and how to open it", () => {
    const told = text([answer(1)]);
    expect(told.text).toMatch(
      /finished while nobody was looking ─[\s\S]*› prompt 1\n● answer 1\n {2}title 1: \/resume 20260101-000000-aaaaaa opens it/,
    );
    expect(told.messages).toEqual([1]);
  });

  it("is a line for all but the newest three", () => {
    const told = text([1, 2, 3, 4, 5].map(answer));
    expect(told.text).not.toContain("answer 2");
    expect(told.text).toContain('title 2: "prompt 2"  /resume 20260101-000000-aaaaaa');
    for (const id of [3, 4, 5]) expect(told.text).toContain(`● answer ${id}`);
    expect(told.messages.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5]);
  });

  it("does not mark what there was no room to tell", () => {
    const told = text(Array.from({ length: 20 }, (_, index) => answer(index + 1)));
    expect(told.text).toContain("7 older answers");
    expect(told.messages).toHaveLength(13);
    expect(told.messages).not.toContain(7);
  });

  it("is one line for an answer that stands on the screen", () => {
    const told = text([answer(1)], () => true);
    expect(told.text).toBe('  finished while nobody was looking: the answer to "prompt 1"');
    expect(told.messages).toEqual([1]);
  });
});
