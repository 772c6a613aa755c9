// Opening, refusing and losing a file. Files are made and changed from outside while no ledger of this process
// has them open, or in a child: a descriptor that is closed here would drop SQLite's locks.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { LedgerError } from "../../../src/ledger/errors.ts";
import { checkHeader } from "../../../src/ledger/file-header.ts";
import { sha256 } from "../../../src/ledger/ids.ts";
import { APPLICATION_ID, SCHEMA_VERSION } from "../../../src/ledger/schema.ts";
import { SessionDB } from "../../../src/ledger/session-db.ts";
import { fullNumber } from "../../helpers/full-numbers.ts";
import { forget, MEMORY, newSession, openLedger, ROUTE, runTurn, temporaryFolder } from "../../helpers/ledger.ts";
import { LedgerProcess } from "../../helpers/ledger-process.ts";

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

function place(): string {
  return path.join(temporaryFolder(), "state.db");
}

/** Names, contents, modes and times of everything below a folder. */
function picture(folder: string): unknown[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
    .map((file) => {
      const { mtimeMs, mode, size } = statSync(file);
      return [file, mtimeMs, mode, size, statSync(file).isFile() ? sha256(readFileSync(file)) : "folder"];
    });
}

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

describe("a new ledger", () => {
  it("lies in a private folder, readable by its owner alone, under no other name than its own", () => {
    const file = path.join(temporaryFolder(), "deep", "er", "state.db");
    const db = openLedger({ path: file });
    newSession(db);
    expect(modeOf(path.dirname(file))).toBe("700");
    expect(modeOf(path.dirname(path.dirname(file)))).toBe("700");
    for (const name of readdirSync(path.dirname(file)))
      expect([name, modeOf(path.join(path.dirname(file), name))]).toEqual([name, "600"]);
    expect(readdirSync(path.dirname(file)).sort()).toEqual([
      "state.db",
      "state.db-shm",
      "state.db-wal",
      "state.db.guard",
    ]);
    expect(db.info()).toMatchObject({
      isNew: true,
      schema: SCHEMA_VERSION,
      generation: 0,
      journal: "wal",
      findings: [],
    });
  });

  it("is made private again when somebody opened it up", () => {
    const file = place();
    new SessionDB({ path: file }).close();
    chmodSync(file, 0o644);
    openLedger({ path: file });
    expect(modeOf(file)).toBe("600");
  });

  it("writes ahead and syncs in full, also when it is opened again", () => {
    const file = place();
    const first = new SessionDB({ path: file });
    expect(first.stats()).toMatchObject({ journalMode: "wal", synchronous: "full" });
    const { ledgerId } = first.info();
    first.close();
    expect(readFileSync(file).subarray(18, 20)).toEqual(Buffer.from([2, 2]));
    const again = openLedger({ path: file });
    expect(again.stats()).toMatchObject({ journalMode: "wal", synchronous: "full" });
    expect(again.info()).toMatchObject({ isNew: false, findings: [], ledgerId });
  });

  it("may be closed twice, and says so to whoever comes later", () => {
    const db = new SessionDB({ path: place() });
    db.close();
    db.close();
    expect(() => db.stats()).toThrow(expect.objectContaining({ code: "ledger_closed" }));
    expect(() => newSession(db)).toThrow(expect.objectContaining({ code: "ledger_closed" }));
  });

  it("is one ledger when eight processes create it at once", async () => {
    const file = place();
    const children = Array.from({ length: 8 }, () => new LedgerProcess());
    await Promise.all(children.map((child) => child.ask("self")));
    const infos = await Promise.all(children.map((child) => child.ask("open", { path: file })));
    expect(new Set(infos.map((info) => info.ledgerId)).size).toBe(1);
    expect(infos.flatMap((info) => info.findings)).toEqual([]);
    const wanted = { cwd: "/", route: { provider: "p", model: "m" }, source: "test" };
    await Promise.all(children.map((child) => child.verb("createSession", wanted)));
    expect(readdirSync(path.dirname(file)).filter((name) => name.includes(".new-"))).toEqual([]);
    expect(openLedger({ path: file }).stats().counts.sessions).toBe(8);
  });

  it("is created by the next one when a creation was killed, whatever that one left", async () => {
    const file = place();
    for (const leftover of ["half", ""]) {
      const abandoned = `${file}.new-${leftover.length + 1}-0123abcd`;
      writeFileSync(abandoned, leftover);
      writeFileSync(`${abandoned}-wal`, leftover);
    }
    for (let round = 0; round < 5; round += 1) {
      const child = new LedgerProcess();
      await child.ask("self");
      const opening = child.ask("open", { path: file }).catch(() => undefined);
      await child.kill();
      await opening;
    }
    const db = openLedger({ path: file });
    runTurn(db, newSession(db));
    expect(db.quickCheck()).toBe("ok");
  });

  it("loses the name it was built under at the next start, when its creation was killed between the two", () => {
    const file = place();
    new SessionDB({ path: file }).close();
    linkSync(file, `${file}.new-1-0123abcd`);
    expect(openLedger({ path: file }).info().otherNames).toBe(0);
    expect(readdirSync(path.dirname(file))).not.toContain("state.db.new-1-0123abcd");
  });

  it("says how many other names somebody gave it, and removes none of them", () => {
    const file = place();
    new SessionDB({ path: file }).close();
    const others = [`${file}.new-good`, path.join(temporaryFolder(), "state.db")];
    for (const other of others) linkSync(file, other);
    expect(openLedger({ path: file }).info().otherNames).toBe(2);
    expect(others.map((other) => existsSync(other))).toEqual([true, true]);
  });
});

it("creates a ledger beside what a person named like one that is being built, however old, and removes none of it", () => {
  const file = place();
  const mine = [`${file}.new-good`, `${file}.new-notes.txt`, `${file}.new-1-0123abcde`];
  for (const each of mine) writeFileSync(each, "mine");
  mkdirSync(`${file}.new-2-0123abcd`);
  const [abandoned, fresh] = [`${file}.new-3-0123abcd`, `${file}.new-4-0123abcd`];
  for (const each of [abandoned, fresh]) writeFileSync(each, "half");
  const longAgo = new Date(Date.now() - 2 * 3_600_000);
  for (const each of [...mine, `${file}.new-2-0123abcd`, abandoned]) utimesSync(each, longAgo, longAgo);
  openLedger({ path: file });
  expect([...mine, `${file}.new-2-0123abcd`, fresh].map((each) => existsSync(each))).not.toContain(false);
  expect(existsSync(abandoned)).toBe(false);
});

interface Refusal {
  readonly what: string;
  readonly make: (file: string) => void | Promise<void>;
  readonly code: string;
  readonly words: RegExp;
}

async function outside(file: string, statements: readonly string[]): Promise<void> {
  const child = new LedgerProcess();
  const answers = await child.ask("sql", file, statements);
  expect(answers.flatMap((each) => (each.error ? [each.error] : []))).toEqual([]);
  await child.kill();
}

const REFUSALS: readonly Refusal[] = [
  {
    what: "a newer schema",
    make: async (file) => {
      new SessionDB({ path: file }).close();
      await outside(file, [`pragma user_version = ${SCHEMA_VERSION + 1}`]);
    },
    code: "ledger_newer",
    words: /newer stele: schema 33, this one knows 32/,
  },
  {
    what: "an older schema than any that was ever written",
    make: async (file) => {
      new SessionDB({ path: file }).close();
      await outside(file, ["pragma user_version = 7"]);
      rmSync(`${file}.guard`);
    },
    code: "ledger_foreign",
    words: /schema 7; ledgers begin at 32/,
  },
  {
    what: "a database of another program",
    make: (file) =>
      outside(file, ["create table notes (text)", "pragma application_id = 77", "insert into notes values ('x')"]),
    code: "ledger_foreign",
    words: /database of another program/,
  },
  {
    what: "a database of no program",
    make: (file) => outside(file, ["create table notes (text)"]),
    code: "ledger_foreign",
    words: /database of another program/,
  },
  {
    what: "a ledger of Hermes",
    make: (file) => outside(file, ["create table sessions (id text)", "create table session_turn_leases (id text)"]),
    code: "ledger_foreign",
    words: /state\.db of Hermes/,
  },
  {
    what: "zero bytes",
    make: (file) => writeFileSync(file, ""),
    code: "ledger_unreadable",
    words: /empty \(0 bytes\)/,
  },
  {
    what: "a text",
    make: (file) => writeFileSync(file, "dear diary\n".repeat(1000)),
    code: "ledger_unreadable",
    words: /not begin as an SQLite/,
  },
  {
    what: "one byte",
    make: (file) => writeFileSync(file, "S"),
    code: "ledger_unreadable",
    words: /not begin as an SQLite/,
  },
  {
    what: "a torn header",
    make: (file) => writeFileSync(file, "SQLite format 3\0"),
    code: "ledger_unreadable",
    words: /cut to 16 bytes/,
  },
  {
    what: "a pipe",
    make: (file) => void execFileSync("mkfifo", [file]),
    code: "ledger_unreadable",
    words: /device, a pipe or a socket/,
  },
  { what: "a folder", make: (file) => mkdirSync(file), code: "ledger_unreadable", words: /is a folder/ },
  {
    what: "a ledger that lost a table",
    make: async (file) => {
      new SessionDB({ path: file }).close();
      await outside(file, ["drop table loop_ticks", "drop table turn_leases"]);
      rmSync(`${file}.guard`);
    },
    code: "ledger_corrupt",
    words: /no such table/,
  },
];

describe("a file that is no ledger of ours", () => {
  for (const { what, make, code, words } of REFUSALS)
    it(`and holds ${what} is refused as ${code}, with every byte, name and time kept`, async () => {
      const file = place();
      await make(file);
      const before = picture(path.dirname(file));
      const error = failureOf(() => new SessionDB({ path: file }));
      expect(error).toMatchObject({ code, message: expect.stringMatching(words) });
      expect(error.hint).not.toBe("");
      const isGuard = (each: unknown) => (each as [string])[0].endsWith(".guard");
      const after = picture(path.dirname(file));
      // What a table is missing from is noticed only behind the guard; the ledger itself is as it was.
      expect(code === "ledger_corrupt" ? after.filter((each) => !isGuard(each)) : after).toEqual(before);
    });

  it("and lies below something that is no folder is refused", () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, "file"), "x");
    const before = picture(folder);
    for (const below of ["file/state.db", "file/deeper/state.db"]) {
      const error = failureOf(() => new SessionDB({ path: path.join(folder, below) }));
      expect(error).toMatchObject({ code: "ledger_read_only", message: expect.stringContaining("no folder") });
    }
    expect(picture(folder)).toEqual(before);
  });

  it.each([
    ["to nothing", "elsewhere.db", /a link to elsewhere\.db, and nothing is there/],
    ["to itself", "state.db", /leads back to itself/],
  ])("and is a link %s is refused and stays", (_, to, words) => {
    const file = place();
    symlinkSync(to, file);
    const error = failureOf(() => new SessionDB({ path: file }));
    expect(error).toMatchObject({ code: "ledger_unreadable", message: expect.stringMatching(words) });
    expect(readdirSync(path.dirname(file))).toEqual(["state.db"]);
  });

  it("and whose guard cannot be one names the guard", () => {
    const file = place();
    new SessionDB({ path: file }).close();
    rmSync(`${file}.guard`);
    mkdirSync(`${file}.guard`);
    const error = failureOf(() => new SessionDB({ path: file }));
    expect(error).toMatchObject({ code: "ledger_read_only", message: expect.stringContaining(`${file}.guard`) });
  });

  it("and is only looked for is not created", () => {
    const file = place();
    expect(failureOf(() => new SessionDB({ path: file, readOnly: true })).code).toBe("not_found");
    expect(readdirSync(path.dirname(file))).toEqual([]);
  });

  it.skipIf(!isRoot)("and lies in a folder that may not be written is refused (asked as another user)", async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, "state.db");
    new SessionDB({ path: file }).close();
    chmodSync(folder, 0o755);
    const before = picture(folder);
    const child = new LedgerProcess();
    await child.ask("becomeIn", NOBODY, folder);
    for (const name of ["state.db", "none.db"])
      await expect(child.ask("open", { path: name })).rejects.toMatchObject({
        code: "ledger_read_only",
        message: expect.stringContaining("cannot be written"),
      });
    expect(picture(folder)).toEqual(before);
  });

  it("and was damaged in its first page is called damaged", async () => {
    const file = place();
    new SessionDB({ path: file }).close();
    const bytes = readFileSync(file);
    bytes.fill(0xff, 100, 4096);
    writeFileSync(file, bytes);
    expect(failureOf(() => new SessionDB({ path: file })).code).toBe("ledger_corrupt");
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  it("is recognised by its header", () => {
    const file = place();
    expect(checkHeader(file)).toBeUndefined();
    new SessionDB({ path: file }).close();
    expect(checkHeader(file)).toEqual({ hasLog: true });
    expect(readFileSync(file).readInt32BE(68)).toBe(APPLICATION_ID);
  });
});

function failureOf(action: () => unknown): LedgerError {
  try {
    action();
  } catch (error) {
    if (error instanceof LedgerError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe.skipIf(process.platform !== "linux")("opening", () => {
  const times = fullNumber(1_000, 100);
  it(`leaves no descriptor and no thread behind, ${times} times at each step that can fail and ${times} times as a pair`, async () => {
    const file = path.join(temporaryFolder(MEMORY), "state.db");
    const child = new LedgerProcess();
    await child.ask("openAndClose", file, 5);
    const before = await child.ask("countOpenFiles");
    expect(await child.ask("failAtEachStep", file, times)).toBe(0);
    expect(await child.ask("countOpenFiles")).toEqual(before);
    await child.ask("openAndClose", file, times);
    expect(await child.ask("countOpenFiles")).toEqual(before);
    openLedger({ path: file });
  }, 120_000);
});

describe("a handle whose file is", () => {
  /** What a handle that lost its file says to every write, now and later. */
  function expectHalt(db: SessionDB, code: string): void {
    for (let again = 0; again < 3; again += 1) expect(() => newSession(db)).toThrow(expect.objectContaining({ code }));
  }

  it("replaced writes to neither file any more, also when the old one comes back", () => {
    const file = place();
    const spare = place();
    new SessionDB({ path: spare }).close();
    const db = new SessionDB({ path: file });
    newSession(db);
    renameSync(file, `${file}.old`);
    cpSync(spare, file);
    const mine = readFileSync(file);
    const sizes = statSync(`${file}-wal`).size;
    expectHalt(db, "ledger_replaced");
    expect(readFileSync(file).equals(mine)).toBe(true);
    expect(statSync(`${file}-wal`).size).toBe(sizes);
    rmSync(file);
    renameSync(`${file}.old`, file);
    expectHalt(db, "ledger_replaced");
    expect(db.stats().counts.sessions).toBe(1);
    db.close();
  });

  it("removed writes nothing any more", () => {
    const file = place();
    const db = new SessionDB({ path: file });
    newSession(db);
    rmSync(file);
    expectHalt(db, "ledger_replaced");
    expect(existsSync(file)).toBe(false);
    db.close();
  });

  it("without its write-ahead log writes nothing any more", () => {
    const file = place();
    const db = new SessionDB({ path: file });
    newSession(db);
    rmSync(`${file}-wal`);
    expectHalt(db, "ledger_lost_wal");
    expect(existsSync(`${file}-wal`)).toBe(false);
    db.close();
  });

  it.each([
    ["when it writes again", true],
    ["when it only closes", false],
  ])("without the index of that log takes away nothing that others wrote since, %s", async (_, writesAgain) => {
    const file = place();
    const [first, third] = [new LedgerProcess(), new LedgerProcess()];
    const wanted = { cwd: "/", route: ROUTE, source: "test" };
    await first.ask("open", { path: file });
    const { id } = await first.verb("createSession", wanted);
    rmSync(`${file}-shm`);
    // Another program, which knows nothing of the guard.
    await outside(file, ["insert into state_meta (key, value) values ('mark', 'theirs')"]);
    if (writesAgain)
      await expect(first.verb("createSession", wanted)).rejects.toMatchObject({ code: "ledger_lost_wal" });
    await first.ask("close");
    await third.ask("open", { path: file });
    expect((await third.verb("session", id)).id).toBe(id);
    expect(await third.verb("verify", { full: true })).toEqual([]);
    await third.ask("close");
    const marks = await new LedgerProcess().ask("sql", file, ["select value from state_meta where key = 'mark'"]);
    expect(marks).toMatchObject([{ rows: [{ value: "theirs" }] }]);
  });

  it.each([[["-wal"]], [["-shm"]], [["-wal", "-shm"]]])(
    "without its %s is refused to others until it closes, and loses nothing",
    async (lost) => {
      const file = place();
      const [first, second] = [new LedgerProcess(), new LedgerProcess()];
      const wanted = { cwd: "/", route: ROUTE, source: "test" };
      await first.ask("open", { path: file });
      const { id } = await first.verb("createSession", wanted);
      for (const end of lost) rmSync(`${file}${end}`);
      await expect(second.ask("open", { path: file })).rejects.toMatchObject({
        code: "ledger_lost_wal",
        message: expect.stringContaining(`${file}${lost[0]} is gone`),
      });
      for (const end of lost) expect(existsSync(`${file}${end}`)).toBe(false);
      await first.ask("close");
      await second.ask("open", { path: file });
      expect((await second.verb("session", id)).id).toBe(id);
      expect(await second.verb("verify", { full: true })).toEqual([]);
      await second.ask("close");
    },
  );

  it("under another name too is refused by this one while the newest work is in the other's log", async () => {
    const file = place();
    const other = path.join(path.dirname(file), "other.db");
    const [first, second] = [new LedgerProcess(), new LedgerProcess()];
    const wanted = { cwd: "/", route: ROUTE, source: "test" };
    await first.ask("open", { path: file });
    const { id } = await first.verb("createSession", wanted);
    linkSync(file, other);
    const isRefused = () =>
      expect(second.ask("open", { path: other })).rejects.toMatchObject({
        code: "ledger_lost_wal",
        message: expect.stringContaining(`${file} is the same file`),
      });
    await isRefused();
    await first.kill();
    await isRefused(); // what was killed left its log
    const third = new LedgerProcess();
    await third.ask("open", { path: file });
    await third.ask("close");
    await second.ask("open", { path: other });
    expect((await second.verb("session", id)).id).toBe(id);
    await second.ask("close");
  });

  it("opened through a link has its log and its guard beside the file itself", () => {
    const file = place();
    const link = place();
    new SessionDB({ path: file }).close();
    symlinkSync(file, link);
    const db = new SessionDB({ path: link });
    newSession(db);
    expect(readdirSync(path.dirname(link))).toEqual(["state.db"]);
    rmSync(`${file}-wal`);
    expectHalt(db, "ledger_lost_wal");
    db.close();
  });

  const CHANGES = [
    [
      "upgraded",
      `pragma user_version = ${SCHEMA_VERSION + 1}`,
      `pragma user_version = ${SCHEMA_VERSION}`,
      "ledger_newer",
    ],
    [
      "repaired or restored",
      "update state_meta set value = '9' where key = 'ledger_generation'",
      "update state_meta set value = '0' where key = 'ledger_generation'",
      "ledger_replaced",
    ],
  ] as const;
  for (const [what, change, back, code] of CHANGES)
    it(`${what} by another process writes nothing any more, also when that is taken back`, async () => {
      const file = place();
      const db = openLedger({ path: file });
      const session = newSession(db);
      await outside(file, [change]);
      expectHalt(db, code);
      await outside(file, [back]);
      expectHalt(db, code);
      expect(db.session(session.id)).toEqual(session);
      expect(db.stats().counts.sessions).toBe(1);
    });

  it("copied is a finding at the next start, and the copy is a new generation, once", () => {
    const [file, copy] = [place(), place()];
    const original = new SessionDB({ path: file });
    newSession(original);
    original.close();
    cpSync(file, copy);
    cpSync(`${file}.guard`, `${copy}.guard`);
    const first = new SessionDB({ path: copy });
    expect(first.info().findings).toEqual([expect.stringContaining("replaced or copied")]);
    first.close();
    const second = openLedger({ path: copy });
    expect(second.info()).toMatchObject({ findings: [], generation: 1 });
    expect(openLedger({ path: file }).info()).toMatchObject({ findings: [], generation: 0 });
  });

  it("copied is a finding until it was acted upon, whatever stops that", () => {
    const [file, copy] = [place(), place()];
    new SessionDB({ path: file }).close();
    cpSync(file, copy);
    cpSync(`${file}.guard`, `${copy}.guard`);
    const stop = (step: string) => {
      if (step === "identity") throw new Error("killed here");
    };
    expect(() => new SessionDB({ path: copy, onStep: stop })).toThrow("killed here");
    expect(openLedger({ path: copy }).info().findings).toEqual([expect.stringContaining("replaced or copied")]);
  });

  it("exchanged for another ledger is a finding", () => {
    const [file, other] = [place(), place()];
    new SessionDB({ path: file }).close();
    new SessionDB({ path: other }).close();
    renameSync(other, file);
    const db = openLedger({ path: file });
    expect(db.info().findings).toEqual([expect.stringContaining("another ledger")]);
  });

  it("put back from an older copy is a finding", async () => {
    const file = place();
    new SessionDB({ path: file }).close();
    const old = readFileSync(file);
    await outside(file, ["update state_meta set value = '4' where key = 'ledger_generation'"]);
    new SessionDB({ path: file }).close();
    writeFileSync(file, old);
    const db = openLedger({ path: file });
    expect(db.info().findings).toEqual([expect.stringContaining("older generation")]);
  });

  it("guarded by a damaged record names that file and stays as it was", () => {
    const file = place();
    new SessionDB({ path: file }).close();
    writeFileSync(`${file}.guard`, "garbage ".repeat(1000));
    const error = failureOf(() => new SessionDB({ path: file }));
    expect(error).toMatchObject({
      code: "ledger_unreadable",
      message: expect.stringContaining("state.db.guard is damaged"),
    });
    rmSync(`${file}.guard`);
    expect(openLedger({ path: file }).info().findings).toEqual([]);
  });

  it("kept by a repair for a moment is waited for, and for long is named busy", async () => {
    const file = place();
    new SessionDB({ path: file }).close();
    const [repair, other] = [new LedgerProcess(), new LedgerProcess()];
    await repair.ask("lock", `${file}.guard`);
    const opening = other.ask("open", { path: file });
    await repair.ask("unlockAfter", 300);
    expect((await opening).findings).toEqual([]);
    await other.ask("close");
    await repair.ask("lock", `${file}.guard`);
    await expect(other.ask("open", { path: file })).rejects.toMatchObject({
      code: "ledger_busy",
      message: expect.stringContaining("repairs, restores or migrates"),
    });
    await repair.ask("unlockAfter", 0);
    expect((await other.ask("open", { path: file })).findings).toEqual([]);
  });

  it.skipIf(process.platform !== "linux")("opened a second time by this process keeps its lock", () => {
    const file = place();
    const first = openLedger({ path: file });
    const session = newSession(first);
    const before = locksOn(file);
    expect(before).toBeGreaterThan(0);
    const second = new SessionDB({ path: file });
    expect(locksOn(file)).toBe(before);
    second.close();
    expect(locksOn(file)).toBe(before);
    runTurn(first, session);
    forget(first);
    expect(first.verify({ full: true })).toEqual([]);
    first.close();
    expect(locksOn(file)).toBe(0);
    expect(existsSync(`${file}-wal`)).toBe(false);
  });
});

/** Locks of this process on the file, as the kernel lists them. */
function locksOn(file: string): number {
  const inode = `:${statSync(file).ino}`;
  const lines = readFileSync("/proc/locks", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  return lines.filter((fields) => fields[4] === String(process.pid) && fields[5]?.endsWith(inode)).length;
}
