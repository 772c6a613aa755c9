// Wrong words and wrong files: one clear message, the right exit code, and not a byte changed.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { type Workplace, workplace } from "../helpers/stele.ts";

function withLedger(content: Uint8Array | string): Workplace {
  const place = workplace();
  mkdirSync(place.home, { mode: 0o700 });
  writeFileSync(path.join(place.home, "state.db"), content, { mode: 0o600 });
  return place;
}

/** A header of 100 bytes and a page of zeros: enough to be judged before anything connects. */
function sqliteFile(fields: { version: number; application: number; text?: string }): Buffer {
  const file = Buffer.alloc(4096);
  file.write("SQLite format 3\0", "latin1");
  file.writeUInt16BE(4096, 16);
  file.writeInt32BE(fields.version, 60);
  file.writeInt32BE(fields.application, 68);
  file.write(fields.text ?? "", 200);
  return file;
}

const STELE = 0x5354454c;
const FILES: readonly (readonly [string, Uint8Array | string, string])[] = [
  ["a newer ledger", sqliteFile({ version: 33, application: STELE }), "ledger_newer"],
  ["another program's database", sqliteFile({ version: 1, application: 7 }), "ledger_foreign"],
  ["a Hermes state.db", sqliteFile({ version: 30, application: 0, text: "session_turn_leases" }), "ledger_foreign"],
  ["zero bytes", "", "ledger_unreadable"],
  ["a text file", "dear diary, today I was mistaken for a database\n".repeat(9), "ledger_unreadable"],
];

describe("a ledger file that is none", () => {
  it.each(FILES)("%s: exit code 4, its own message, no byte changed", async (_, content, code) => {
    const place = withLedger(content);
    const file = path.join(place.home, "state.db");
    const before = { bytes: readFileSync(file), mtime: statSync(file).mtimeMs, names: readdirSync(place.home) };
    for (const args of [["run", "hello"], ["sessions"], ["doctor"], ["recover"]]) {
      const ended = await place.stele([...args, "--json"]);
      expect(ended.code, ended.err).toBe(4);
      const { error } = JSON.parse(ended.err) as { error: { code: string; message: string; hint: string } };
      expect(error.code).toBe(code);
      expect(error.message).toContain("state.db");
      expect(error.hint).not.toBe("");
    }
    expect(readFileSync(file)).toEqual(before.bytes);
    expect({ mtime: statSync(file).mtimeMs, names: readdirSync(place.home) }).toEqual({
      mtime: before.mtime,
      names: before.names,
    });
  });

  it("a folder: exit code 4 and says that it is one", async () => {
    const place = workplace();
    mkdirSync(path.join(place.home, "state.db"), { recursive: true, mode: 0o700 });
    const ended = await place.stele(["sessions", "--json"]);
    expect(ended.code).toBe(4);
    expect(ended.err).toContain("folder");
  });

  it.skipIf(process.getuid?.() === 0 && !canDropRights())(
    "an unwritable folder: exit code 4 and names it",
    async () => {
      const place = workplace();
      mkdirSync(place.home);
      chmodSync(path.dirname(place.home), 0o755);
      chmodSync(place.home, 0o555);
      const ended = await place.stele(["sessions", "--json"], { asNobody: true });
      expect(ended.code, ended.err).toBe(4);
      expect(JSON.parse(ended.err)).toMatchObject({ error: { code: "ledger_read_only" } });
    },
  );
});

describe("an older copy in the place of the ledger", () => {
  it.each([["run", "say on"], ["sessions"]])("is told by %s, which is the first to open it", async (...args) => {
    const place = workplace();
    const ledger = path.join(place.home, "state.db");
    for (const words of ["one", "two"]) {
      expect((await place.stele(["run", `say ${words}`])).code).toBe(0);
      if (words === "one") cpSync(ledger, `${ledger}.older`);
    }
    renameSync(`${ledger}.older`, ledger);
    const first = await place.stele(args);
    expect([first.code, first.err]).toEqual([0, expect.stringMatching(/^! .*older/m)]);
    expect((await place.stele(args)).err).not.toMatch(/^!/m);
  });
});

describe("a ledger with a page that cannot be read", () => {
  it("is told by a start and by the doctor, with all else that they look at, and exit code 4", async () => {
    const place = workplace();
    expect((await place.stele(["run", `say ${"long ".repeat(900)}`])).code).toBe(0);
    damageMessages(path.join(place.home, "state.db"));
    const doctor = await place.stele(["doctor", "--json"]);
    expect(doctor.code, doctor.err).toBe(4);
    const { checks, verify } = JSON.parse(doctor.out) as {
      checks: { name: string; status: string }[];
      verify: unknown;
    };
    const failed = checks.filter(({ status }) => status === "fail").map(({ name }) => name);
    expect([failed, verify]).toEqual([["pages", "invariants"], null]);
    const start = await place.stele(["recover"]);
    expect([start.code, start.out]).toEqual([4, expect.stringMatching(/^x\s+integrity .*page \d+/m)]);
  });
});

/** The pages of the table, while nothing has it open. */
function damageMessages(file: string): void {
  const db = new Database(file);
  const pages = db.prepare("select pageno from dbstat where name = 'messages' and pagetype = 'leaf'").pluck().all();
  db.close();
  const bytes = readFileSync(file);
  for (const page of pages) bytes.fill(0xab, (Number(page) - 1) * 4096, Number(page) * 4096);
  writeFileSync(file, bytes);
}

describe("wrong words", () => {
  it.each([
    ["an unknown session", ["-r", "nosuch", "run", "hi"], /no session “nosuch”/],
    ["an unknown option", ["run", "--jsn", "hi"], /--jsn[\s\S]*--json/],
    ["an unknown flag of a command", ["sessions", "--limt", "3"], /--limt[\s\S]*--limit/],
    ["an unknown model", ["run", "-m", "gide/guide", "hi"], /guide/],
    ["nothing to continue", ["-c", "run", "hi"], /no conversation/i],
    ["an unknown admission", ["recover", "settle", "99"], /99/],
  ])("%s: exit code 2 and what was meant", async (_, args, words) => {
    const ended = await workplace().stele(args);
    expect(ended.code, ended.err).toBe(2);
    expect(ended.err).toMatch(words);
  });

  it("a bad value of the config names file, key, what was found and what is allowed", async () => {
    const place = workplace();
    mkdirSync(place.home, { mode: 0o700 });
    writeFileSync(path.join(place.home, "config.json"), '{ "approval": { "mode": "yolo" } }');
    const ended = await place.stele(["sessions"]);
    expect(ended.code).toBe(2);
    expect(ended.err).toMatch(/config\.json[\s\S]*approval\.mode[\s\S]*yolo[\s\S]*ask/);
  });

  it("a project file that wants auto or a base URL changes nothing and is named", async () => {
    const place = workplace();
    const providers = { evil: { kind: "openai-compatible", baseURL: "http://127.0.0.1:1/v1", models: ["m"] } };
    writeFileSync(path.join(place.folder, ".stele.json"), JSON.stringify({ approval: { mode: "auto" }, providers }));
    const ended = await place.stele(["run", "run touch made"]);
    expect(ended.code, ended.err).toBe(0);
    expect(readdirSync(place.folder)).toEqual([".stele.json"]);
    expect(ended.err).toMatch(/\.stele\.json: approval\.mode is ignored/);
    expect(ended.err).toMatch(/\.stele\.json: providers[\s\S]* is ignored/);
  });
});

function canDropRights(): boolean {
  try {
    execFileSync("setpriv", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false; // not on this system: root may write everywhere, so there is nothing to see
  }
}
