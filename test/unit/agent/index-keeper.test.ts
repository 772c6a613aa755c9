// The index is filled while nobody waits: after a start and after a turn, never during one, and never after the end.
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { keepIndex } from "../../../src/agent/index-keeper.ts";
import { catchUp, indexSome, searchAll } from "../../../src/agent/search-all.ts";
import { ledgerError } from "../../../src/ledger/errors.ts";
import { openDesk } from "../commands/command-harness.ts";

const QUICK = { restMs: 1, pauseMs: 1 };

describe("the index", () => {
  it("is caught up after a start and after each turn, until the window closes", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    expect(await desk.db.searchLag()).toBe(2);
    const stop = keepIndex(desk.db, desk.runner, QUICK);
    await vi.waitFor(async () => expect(await desk.db.searchLag()).toBe(0), { timeout: 30_000 });
    await desk.say("say two");
    await vi.waitFor(async () => expect(await desk.db.searchLag()).toBe(0), { timeout: 30_000 });
    stop();
    await desk.say("say three");
    expect(await desk.db.searchLag()).toBe(2);
  });

  it("waits for the end of a turn", async () => {
    const steps: boolean[] = [];
    const listeners = new Set<(event: never) => void>();
    const runner = {
      isRunning: true,
      listen: (listener: (event: never) => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
    const db = {
      searchLag: () => Promise.resolve(steps.length === 0 ? 1 : 0),
      indexStep: () => {
        steps.push(runner.isRunning);
        return Promise.resolve(true);
      },
    };
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const stop = keepIndex(db, runner);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(steps).toEqual([]);
    runner.isRunning = false;
    for (const listener of listeners) listener({ type: "turn-settled" } as never);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(steps).toEqual([false]);
    stop();
    expect(listeners.size).toBe(0);
  });
});

describe("a step of the index", () => {
  const busy = () => Promise.reject(ledgerError("ledger_busy", "busy"));

  it("is left to others while the ledger is busy, and told where it is broken", async () => {
    expect(await indexSome({ searchLag: () => Promise.resolve(9), indexStep: busy }, 3)).toBe(false);
    const broken = () => Promise.reject(ledgerError("ledger_corrupt", "broken"));
    await expect(indexSome({ searchLag: () => Promise.resolve(9), indexStep: broken }, 3)).rejects.toThrow("broken");
  });

  it("is one of a bounded number", async () => {
    const indexStep = vi.fn<() => Promise<boolean>>(() => Promise.resolve(false));
    expect(await indexSome({ searchLag: () => Promise.resolve(9), indexStep }, 3)).toBe(false);
    expect(indexStep).toHaveBeenCalledTimes(3);
  });
});

describe("a search far ahead of the index", () => {
  it("waits for it, and finds what there is so far when it is stopped", async () => {
    const stop = new AbortController();
    let rest = 3;
    const db = {
      searchLag: () => Promise.resolve(rest),
      searchMessages: () => Promise.resolve({ hits: [], rest }),
      indexStep: () => {
        rest -= 1;
        if (rest === 1) stop.abort();
        return Promise.resolve(rest === 0);
      },
    };
    expect(await searchAll(db, { words: "x", limit: 1 }, { signal: stop.signal })).toEqual({ hits: [], rest: 1 });
    expect(await searchAll(db, { words: "x", limit: 1 })).toEqual({ hits: [], rest: 0 });
    expect(
      await catchUp(
        { searchLag: () => Promise.resolve(9), indexStep: () => Promise.reject(ledgerError("ledger_busy", "")) },
        {},
      ),
    ).toBe(false);
  });
});
