// Lost or replaced, each as it can happen, seen by one look at the folder as by a look at every file. The clock is set:
// a folder that has been quiet for long is remembered, one of this moment is not.
import {
  copyFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { FileWatch, SETTLED_MS } from "../../../src/ledger/file-watch.ts";
import { LOG_LIMIT_BYTES } from "../../../src/ledger/open.ts";
import { temporaryFolder } from "../../helpers/ledger.ts";

interface Place {
  readonly folder: string;
  readonly file: string;
  readonly wal: string;
  readonly shm: string;
}

function place(): Place {
  const folder = path.join(temporaryFolder(), "home");
  mkdirSync(folder);
  const file = path.join(folder, "state.db");
  writeFileSync(file, "the ledger");
  writeFileSync(`${file}-wal`, "its log");
  writeFileSync(`${file}-shm`, "its index");
  return { folder, file, wal: `${file}-wal`, shm: `${file}-shm` };
}

/** Two changes within one tick of the file system may bear one time; that is what the settling is for. */
function passTick({ folder }: Place): void {
  const before = statSync(folder).ctimeMs;
  const clock = path.join(path.dirname(folder), "clock");
  do writeFileSync(clock, "");
  while (statSync(clock).ctimeMs <= before + 10);
}

const LOSSES: readonly (readonly [what: string, code: string, lose: (at: Place) => void])[] = [
  ["the log is removed", "ledger_lost_wal", ({ wal }) => rmSync(wal)],
  ["the log is moved away", "ledger_lost_wal", ({ wal }) => renameSync(wal, `${wal}.old`)],
  [
    "another log lies in its place",
    "ledger_lost_wal",
    ({ wal }) => {
      copyFileSync(wal, `${wal}.new`);
      renameSync(`${wal}.new`, wal);
    },
  ],
  ["the index of the log is removed", "ledger_lost_wal", ({ shm }) => rmSync(shm)],
  ["the file is removed", "ledger_replaced", ({ file }) => rmSync(file)],
  [
    "another file lies in its place",
    "ledger_replaced",
    ({ file }) => {
      copyFileSync(file, `${file}.new`);
      renameSync(`${file}.new`, file);
    },
  ],
  [
    "another folder lies in its place",
    "ledger_replaced",
    ({ folder, file, wal, shm }) => {
      renameSync(folder, `${folder}.old`);
      mkdirSync(folder);
      for (const each of [file, wal, shm]) copyFileSync(path.join(`${folder}.old`, path.basename(each)), each);
    },
  ],
];

describe.each([
  ["was quiet for long", SETTLED_MS + 1_000],
  ["has just changed", 0],
  ["changed in the future, for the clock was set back", -3_600_000],
])("in a folder that %s", (_, ahead) => {
  let elapsed = 0;
  const watchOf = ({ file }: Place, askedPath = file) =>
    new FileWatch({ path: file, askedPath, journal: "wal" }, { now: () => Date.now() + ahead, elapsed: () => elapsed });

  it.each(LOSSES)("before and after a commit one is told that %s", (_what, code, lose) => {
    for (const look of ["problem", "problemSince"] as const) {
      const at = place();
      const watch = watchOf(at);
      expect([watch.problem(), watch.problemSince()]).toEqual([undefined, undefined]);
      passTick(at);
      lose(at);
      expect(watch[look]()?.code).toBe(code);
    }
  });

  it("what else happens in it is no loss", () => {
    const at = place();
    const watch = watchOf(at);
    expect(watch.problem()).toBeUndefined();
    passTick(at);
    writeFileSync(path.join(at.folder, "config.json"), "{}");
    writeFileSync(at.wal, "its log, longer");
    expect([watch.problemSince(), watch.problem(), watch.problemSince()]).toEqual([undefined, undefined, undefined]);
  });

  it("a file that was cut is told before the next commit", () => {
    const at = place();
    const watch = watchOf(at);
    expect(watch.problem()).toBeUndefined();
    truncateSync(at.file, 3);
    expect(watch.problem()?.code).toBe("ledger_corrupt");
  });

  it("a log that was cut is told before the next commit, but not looked at for each of many", () => {
    const at = place();
    const watch = watchOf(at);
    expect(watch.problem()).toBeUndefined();
    truncateSync(at.wal, 3);
    elapsed += 900;
    expect(watch.problem()).toBeUndefined();
    elapsed += 200;
    expect(watch.problem()).toMatchObject({ code: "ledger_lost_wal", message: expect.stringContaining("cut short") });
  });

  it("a log that SQLite cut to its limit is none that was cut", () => {
    const at = place();
    truncateSync(at.wal, 3 * LOG_LIMIT_BYTES);
    const watch = watchOf(at);
    for (const size of [2 * LOG_LIMIT_BYTES, LOG_LIMIT_BYTES]) {
      truncateSync(at.wal, size);
      elapsed += 1_100;
      expect(watch.problem()).toBeUndefined();
    }
    truncateSync(at.wal, LOG_LIMIT_BYTES - 1);
    elapsed += 1_100;
    expect(watch.problem()?.code).toBe("ledger_lost_wal");
  });

  it.each([
    ["removed", (link: string) => rmSync(link)],
    [
      "led elsewhere",
      (link: string) => {
        rmSync(link);
        symlinkSync(place().file, link);
      },
    ],
  ])("a link to the file that is %s is told before and after a commit", (_what, change) => {
    for (const look of ["problem", "problemSince"] as const) {
      const at = place();
      const link = path.join(temporaryFolder(), "state.db");
      symlinkSync(at.file, link);
      const watch = watchOf(at, link);
      expect([watch.problem(), watch.problemSince()]).toEqual([undefined, undefined]);
      change(link);
      expect(watch[look]()?.code).toBe("ledger_replaced");
    }
  });
});

it("a log that comes with the first use is not taken for another one", () => {
  const at = place();
  rmSync(at.wal);
  const quiet = { now: () => Date.now() + SETTLED_MS + 1_000, elapsed: () => 0 };
  const watch = new FileWatch({ path: at.file, askedPath: at.file, journal: "wal" }, quiet);
  expect(watch.problem()).toBeUndefined();
  passTick(at);
  writeFileSync(at.wal, "its log");
  expect(watch.problem()).toBeUndefined();
  passTick(at);
  rmSync(at.wal);
  expect(watch.problem()?.code).toBe("ledger_lost_wal");
});

it("without a log only the file is looked at", () => {
  const at = place();
  const watch = new FileWatch({ path: at.file, askedPath: at.file, journal: "delete" });
  rmSync(at.wal);
  expect([watch.problem(), watch.problemSince()]).toEqual([undefined, undefined]);
  rmSync(at.file);
  expect(watch.problemSince()?.code).toBe("ledger_replaced");
});
