import { linkSync } from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { parseWords } from "../../../src/commands/parse-command.ts";
import { registry } from "../../../src/commands/registry.ts";
import { runCommand } from "../../../src/commands/run-command.ts";
import { crashPointNames } from "../../../src/ledger/crash-points.ts";
import { SessionDB } from "../../../src/ledger/session-db.ts";
import { temporaryFolder } from "../../helpers/ledger.ts";
import { jsonOf, openDesk, words } from "./command-harness.ts";

describe("/doctor", () => {
  it("gives the ledger's health as one object", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    const result = await desk.type("/doctor --full --fix");
    expect(jsonOf(result)).toEqual({
      file: expect.stringMatching(/state\.db$/),
      bytes: expect.any(Number),
      walBytes: expect.any(Number),
      pages: expect.any(Number),
      freePages: expect.any(Number),
      journalMode: "wal",
      synchronous: "full",
      schema: expect.any(Number),
      searchLayout: expect.any(Number),
      sqlite: expect.stringMatching(/^3\./),
      counts: { sessions: 1, messages: 2, admissions: 1 },
      holders: [],
      leases: [],
      verify: [],
      checks: expect.arrayContaining([{ name: "invariants", status: "ok", detail: "all hold" }]),
    });
    expect(words(result)).toContain("✓ pages        quick check ok");
    expect("failure" in result).toBe(false);
  });

  it("says that the ledger is unwell when an invariant is violated", async () => {
    const file = path.join(temporaryFolder(), "state.db");
    const desk = await openDesk({ file });
    await desk.say("say one");
    const { head } = desk.runner.session;
    const other = new Database(file);
    other.prepare("update messages set live = 0 where id = ?").run(head);
    const result = await desk.type("/doctor");
    other.prepare("update messages set live = 1 where id = ?").run(head);
    other.close();
    expect(result).toMatchObject({ kind: "lines", failure: "ledger" });
    expect(jsonOf(result)["verify"]).toMatchObject([{ invariant: "V3" }]);
  });

  it("warns of another name of the file, and says how to find it", async () => {
    const file = path.join(temporaryFolder(), "state.db");
    new SessionDB({ path: file }).close();
    linkSync(file, `${file}.mine`);
    const desk = await openDesk({ file });
    expect(jsonOf(await desk.type("/doctor"))["checks"]).toContainEqual({
      name: "file",
      status: "warn",
      detail: "the file has another name (a hard link): opened by two of them at once, turns are lost",
      advice: `Find what else names it, and never open that: find / -xdev -samefile ${file}`,
    });
  });

  it("names who holds a conversation", async () => {
    const desk = await openDesk();
    const { conversation } = desk.runner.session;
    const taken = await desk.db.acquireLease({ conversation, holder: "other" as never });
    expect(jsonOf(await desk.type("/doctor"))["holders"]).toEqual([{ pid: process.pid, program: "stele test" }]);
    expect(words(await desk.type("/status"))).toContain("lease     held here");
    if (taken.kind === "acquired") await desk.db.releaseLease(taken.lease);
  });

  it("lists the crash points", async () => {
    const desk = await openDesk();
    expect(jsonOf(await desk.type("/doctor --crash-points"))).toEqual({ crashPoints: crashPointNames() });
  });
});

describe("/status", () => {
  it("says where one is and what is saved", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    const result = await desk.type("/status");
    expect(words(result)).toContain(`session   ${desk.runner.session.id} · say one`);
    expect(words(result)).toContain("saved     1 turn, 2 messages, last just now");
    expect(jsonOf(result)).toMatchObject({
      model: "guide/guide",
      state: "idle",
      queue: 0,
      messages: 2,
      approval: "auto",
    });
  });
});

describe("a command without a conversation", () => {
  it("runs when it needs none, and says what to name when it does", async () => {
    const desk = await openDesk({ surface: "argv" });
    const { runner: _, ...free } = desk.context;
    const run = async (...line: string[]) => {
      const parsed = parseWords(line, registry, "stele ");
      return parsed.ok ? runCommand(parsed, free) : parsed.usage;
    };
    expect(await run("sessions", "--all")).toMatchObject({ kind: "rows" });
    expect(await run("models")).toMatchObject({ kind: "rows" });
    expect(await run("undo")).toMatchObject({ kind: "usage", message: expect.stringContaining("-r ID") });
  });
});
