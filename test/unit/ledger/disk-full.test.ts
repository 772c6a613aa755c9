// A disk that is really full: a small file system of its own, which only root may mount.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { DiskFullError } from "../../../src/ledger/errors.ts";
import { SessionDB } from "../../../src/ledger/session-db.ts";
import { newSession, startTurn } from "../../helpers/ledger.ts";

const disk = mountSmallDisk("8m");
afterAll(() => {
  if (!disk) return;
  execFileSync("umount", ["--lazy", disk]); // a failed test may have left a handle open
  rmSync(disk, { recursive: true, force: true });
});

function mountSmallDisk(size: string): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return undefined;
  const folder = mkdtempSync(path.join(tmpdir(), "stele-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=700`, "stele-test", folder], { stdio: "ignore" });
    return folder;
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return undefined; // not allowed in this container: the test says that it was skipped
  }
}

const why = disk ? "" : " (skipped: mounting a small disk needs root)";

describe("a full disk", () => {
  it.skipIf(!disk)(`is named, keeps what was saved, and takes more when there is room again${why}`, () => {
    const file = path.join(disk ?? "", "state.db");
    const db = new SessionDB({ path: file });
    const session = newSession(db);
    const { turn, message } = startTurn(db, session);
    const stored: { id: number; text: string }[] = [];
    let parent = message.id;
    const append = (n: number) => {
      const text = `${n} ${"x".repeat(20_000)}`;
      const parts = [{ kind: "text", text }] as const;
      parent = db.append(turn, { parent, role: "assistant", parts, at: Date.now() }).message.id;
      stored.push({ id: parent, text });
    };
    const ballast = path.join(disk ?? "", "ballast");
    writeFileSync(ballast, Buffer.alloc(4 << 20));
    expect(() => {
      for (let n = 0; n < 1_000; n += 1) append(n);
    }).toThrow(DiskFullError);
    expect(stored.length).toBeGreaterThan(5);
    expect(() => append(-1)).toThrow(DiskFullError);
    const texts = () =>
      db
        .path(session.id, { limit: 2_000 })
        .messages.slice(1)
        .map(({ id, parts }) => ({ id, text: parts[0]?.kind === "text" ? parts[0].text : "" }));
    expect(texts()).toEqual(stored);
    // Nothing can be recorded about this open, and it reads all the same.
    const reader = new SessionDB({ path: file });
    expect(reader.path(session.id, { limit: 1 }).messages[0]?.id).toBe(parent);
    reader.close();
    rmSync(ballast);
    append(-2);
    db.settle(turn, { outcome: "completed", at: Date.now() });
    expect(texts()).toEqual(stored);
    expect(db.verify({ full: true })).toEqual([]);
    db.close();
    // The close moved the log into the file, which needs as much room again; without it both would have stayed.
    const again = new SessionDB({ path: file });
    expect(again.path(session.id, { limit: 2_000 }).messages).toHaveLength(stored.length + 1);
    expect(again.quickCheck()).toBe("ok");
    again.close();
  });

  it.skipIf(!disk)(`that takes no new ledger, wherever it ends, says so and leaves no part of one${why}`, () => {
    const folder = path.join(disk ?? "", "new");
    const file = path.join(folder, "state.db");
    const ballast = path.join(disk ?? "", "ballast");
    const outcomes = new Set<string>();
    for (let free = 0; free <= 1 << 20; free += 1 << 14) {
      rmSync(folder, { recursive: true, force: true });
      expect(() => {
        for (;;) writeFileSync(ballast, Buffer.alloc(1 << 14), { flag: "a" });
      }).toThrow(expect.objectContaining({ code: "ENOSPC" }));
      truncateSync(ballast, statSync(ballast).size - free);
      let outcome = "made";
      try {
        new SessionDB({ path: file }).close();
      } catch (error) {
        expect(error).toBeInstanceOf(DiskFullError);
        expect((error as Error).message).toContain(file);
        outcome = existsSync(file) ? "made, not opened" : "nothing";
      }
      outcomes.add(outcome);
      const left = existsSync(folder) ? readdirSync(folder) : [];
      expect(left.filter((name) => name.includes(".new-"))).toEqual([]);
      rmSync(ballast);
      const again = new SessionDB({ path: file });
      expect(again.verify({ full: true })).toEqual([]);
      expect(again.quickCheck()).toBe("ok");
      again.close();
    }
    expect([...outcomes]).toEqual(expect.arrayContaining(["nothing", "made"]));
  });
});
