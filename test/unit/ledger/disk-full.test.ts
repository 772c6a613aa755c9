// A disk that is really full: a small file system of its own, which only root may mount.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
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

  it.skipIf(!disk)(`that takes no new ledger says so and leaves nothing of it behind${why}`, () => {
    const folder = path.join(disk ?? "", "new");
    const ballast = path.join(disk ?? "", "ballast");
    expect(() => {
      for (;;) writeFileSync(ballast, Buffer.alloc(1 << 14), { flag: "a" });
    }).toThrow(expect.objectContaining({ code: "ENOSPC" }));
    expect(() => new SessionDB({ path: path.join(folder, "state.db") })).toThrow(DiskFullError);
    expect(statSync(path.join(folder, "state.db"), { throwIfNoEntry: false })).toBeUndefined();
    rmSync(ballast);
    new SessionDB({ path: path.join(folder, "state.db") }).close();
  });
});
