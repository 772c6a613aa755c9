import { describe, expect, it } from "vitest";
import { livenessOf, type PidProbe } from "../../../src/ledger/identity.ts";
import type { SessionDB } from "../../../src/ledger/session-db.ts";
import type { HolderId, ProcessIdentity, Session, TurnRef } from "../../../src/ledger/types.ts";
import {
  acquire,
  newSession,
  openLedger,
  prompt,
  requestId,
  startTurn,
  temporaryFolder,
} from "../../helpers/ledger.ts";
import { LedgerProcess } from "../../helpers/ledger-process.ts";

const SELF: ProcessIdentity = {
  pid: 10,
  start: "100",
  boot: "boot-1",
  pidNamespace: "pid:[1]",
  machine: "machine-1",
  host: "here",
  program: "test",
};
const HOLDER: ProcessIdentity = { ...SELF, pid: 20, start: "200" };
const THERE: PidProbe = { kind: "there", start: "200" };

interface Case {
  readonly name: string;
  readonly process: ProcessIdentity;
  readonly probe: PidProbe;
  /** While its term runs; afterwards everybody may take it. */
  readonly verdict: "held" | "acquired";
}
const without = (key: keyof ProcessIdentity): ProcessIdentity => {
  const { [key]: _, ...rest } = HOLDER;
  return rest as ProcessIdentity;
};

const CASES: readonly Case[] = [
  { name: "is the same process", process: HOLDER, probe: THERE, verdict: "held" },
  {
    name: "gave its pid to a process with another start",
    process: HOLDER,
    probe: { kind: "there", start: "201" },
    verdict: "acquired",
  },
  { name: "is from another boot", process: { ...HOLDER, boot: "boot-0" }, probe: THERE, verdict: "acquired" },
  {
    name: "is in another pid namespace",
    process: { ...HOLDER, pidNamespace: "pid:[2]" },
    probe: { kind: "gone" },
    verdict: "held",
  },
  { name: "is on another host", process: { ...HOLDER, host: "there" }, probe: { kind: "gone" }, verdict: "held" },
  {
    name: "is on another machine",
    process: { ...HOLDER, machine: "machine-2" },
    probe: { kind: "gone" },
    verdict: "held",
  },
  {
    name: "is on another machine of another boot",
    process: { ...HOLDER, machine: "machine-2", boot: "boot-0" },
    probe: { kind: "gone" },
    verdict: "held",
  },
  { name: "cannot be read", process: HOLDER, probe: { kind: "unreadable" }, verdict: "held" },
  { name: "is there, and its start is refused", process: HOLDER, probe: { kind: "there" }, verdict: "held" },
  { name: "wrote no start of its own", process: without("start"), probe: THERE, verdict: "held" },
  { name: "wrote no boot id", process: without("boot"), probe: { kind: "gone" }, verdict: "held" },
  { name: "wrote no machine", process: without("machine"), probe: { kind: "gone" }, verdict: "held" },
  { name: "is gone", process: HOLDER, probe: { kind: "gone" }, verdict: "acquired" },
];

function heldBy(holder: ProcessIdentity, probe: PidProbe) {
  const clock = { now: 1_000_000_000_000 };
  const now = () => clock.now;
  const path = `${temporaryFolder()}/state.db`;
  const theirs = openLedger({ path, now, process: holder });
  const ours = openLedger({ path, now, process: SELF, probe: () => probe });
  const session = newSession(theirs);
  acquire(theirs, session, "theirs" as HolderId);
  return { clock, ours, session };
}

const take = (db: SessionDB, { conversation }: Session) =>
  db.acquireLease({ conversation, holder: "ours" as HolderId });

describe("a lease whose holder", () => {
  for (const { name, process, probe, verdict } of CASES) {
    it(`${name} is ${verdict === "held" ? "waited for" : "taken over"} while its term runs, and taken after it`, () => {
      const { clock, ours, session } = heldBy(process, probe);
      clock.now += 299_999;
      const early = take(ours, session);
      expect(early).toMatchObject(
        verdict === "held"
          ? { kind: "held", holder: "theirs", process, expiresAt: 1_000_000_300_000, since: 1_000_000_000_000 }
          : { kind: "acquired", lease: { epoch: 2 }, reclaimedFrom: process },
      );
      clock.now += 1;
      expect(take(ours, session)).toMatchObject({ kind: "acquired", lease: { epoch: 2 } });
    });
  }

  it("wrote nothing that can be read is waited for, and taken after its term", async () => {
    const child = new LedgerProcess();
    for (const damaged of ["null", "[]", "7", "{}", '{"pid":"x"}']) {
      const path = `${temporaryFolder()}/state.db`;
      await child.ask("open", { path });
      const session = await child.verb("createSession", {
        cwd: "/",
        route: { provider: "p", model: "m" },
        source: "t",
      });
      await child.verb("acquireLease", { conversation: session.conversation, holder: "theirs" as HolderId });
      await child.ask("close");
      await child.ask("sql", path, [`update turn_leases set process = '${damaged}'`]);
      const clock = { now: Date.now() };
      const ours = openLedger({ path, now: () => clock.now, probe: () => ({ kind: "gone" }) });
      expect(take(ours, session)).toMatchObject({ kind: "held", holder: "theirs" });
      expect(ours.sessionState(session.id)).toEqual({ state: "idle" });
      clock.now += 400_000;
      expect(take(ours, session)).toMatchObject({ kind: "acquired", lease: { epoch: 2 } });
    }
  });
});

describe("the word about a process", () => {
  it("never calls another boot dead where the machine is not known", () => {
    const { machine: _, ...nameless } = SELF;
    const gone = (): PidProbe => ({ kind: "gone" });
    expect(livenessOf({ ...nameless, pid: 20, boot: "boot-0" }, nameless, gone)).toBe("unproven");
    expect(livenessOf({ ...nameless, pid: 20 }, nameless, gone)).toBe("dead");
  });

  it("is asked of nobody when the identity is missing", () => {
    expect(livenessOf(undefined, SELF, () => ({ kind: "gone" }))).toBe("unproven");
  });
});

/** C 17.3. */
describe("a write of a turn", () => {
  const answer = (db: SessionDB, turn: TurnRef, parent: number) =>
    db.append(turn, {
      parent: parent as NonNullable<Parameters<SessionDB["append"]>[1]["parent"]>,
      role: "assistant",
      parts: [{ kind: "text", text: "hi" }],
      at: Date.now(),
    });

  it("is lost when nobody holds the lease", () => {
    const db = openLedger();
    const { turn, lease, message } = startTurn(db, newSession(db));
    db.releaseLease(lease);
    expect(() => answer(db, turn, message.id)).toThrow(expect.objectContaining({ code: "lease_lost" }));
    expect(db.stats().counts.messages).toBe(1);
  });

  it("is lost when another one holds the lease", () => {
    const db = openLedger();
    const session = newSession(db);
    const { turn, lease, message } = startTurn(db, session);
    db.releaseLease(lease);
    acquire(db, session);
    expect(() => answer(db, turn, message.id)).toThrow(expect.objectContaining({ code: "lease_lost" }));
    expect(db.stats().counts.messages).toBe(1);
  });

  it("is written under my lease, and under my expired one too, which it renews", () => {
    const clock = { now: 1_000_000_000_000 };
    const db = openLedger({ now: () => clock.now });
    const session = newSession(db);
    const { turn, message } = startTurn(db, session);
    const first = answer(db, turn, message.id).message;
    expect(db.lease(session.conversation)?.expiresAt).toBe(1_000_000_300_000);
    clock.now += 10_000_000;
    answer(db, turn, first.id);
    expect(db.lease(session.conversation)?.expiresAt).toBe(1_000_010_300_000);
    expect(db.session(session.id).messages).toBe(3);
  });

  it("is lost when the same holder took the lease again under a later epoch", () => {
    const db = openLedger();
    const session = newSession(db);
    const { turn, lease, message } = startTurn(db, session);
    db.releaseLease(lease);
    const later = acquire(db, session, lease.holder);
    expect(later.epoch).toBe(lease.epoch + 1);
    expect(() => answer(db, turn, message.id)).toThrow(expect.objectContaining({ code: "lease_lost" }));
    db.releaseLease(lease);
    expect(db.lease(session.conversation)?.holder).toBe(lease.holder);
    expect(db.renewLease(lease)).toBe(false);
  });

  it("is lost for a turn of another conversation of the same holder and epoch", () => {
    const db = openLedger();
    const [one, two] = [newSession(db), newSession(db)];
    const a = startTurn(db, one);
    acquire(db, two, a.lease.holder);
    const crossed = { ...a.turn, conversation: two.conversation, session: two.id };
    expect(() => answer(db, crossed, a.message.id)).toThrow(expect.objectContaining({ code: "lease_lost" }));
    expect(db.session(two.id).messages).toBe(0);
  });
});

describe("a real process", () => {
  it("that is killed while it holds a lease is followed at once, and its turn is unknown", async () => {
    const path = `${temporaryFolder()}/state.db`;
    const child = new LedgerProcess();
    await child.ask("open", { path });
    const db = openLedger({ path });
    const session = newSession(db);
    await child.verb("admit", {
      request: requestId(),
      kind: "prompt",
      payload: prompt("hello"),
      target: { kind: "session", asked: session.id },
      session: session.id,
    });
    const theirs = await child.verb("acquireLease", {
      conversation: session.conversation,
      holder: "theirs" as HolderId,
    });
    if (theirs.kind !== "acquired") throw new Error(theirs.kind);
    const systemPrompt = db.putSystemPrompt("test");
    const route = { provider: "guide", model: "guide" };
    const claimed = await child.verb("claim", theirs.lease, {
      at: Date.now(),
      envelope: { systemPrompt, tools: [], route, projection: 1, program: "test" },
    });
    expect(claimed.kind).toBe("claimed");
    expect(take(db, session)).toMatchObject({ kind: "held", process: { pid: child.pid } });
    expect(db.sessionState(session.id)).toMatchObject({ state: "running", holder: { pid: child.pid } });
    await child.kill();
    expect(db.sessionState(session.id)).toEqual({ state: "unknown" });
    const ours = take(db, session);
    expect(ours).toMatchObject({ kind: "acquired", lease: { epoch: 2 }, reclaimedFrom: { pid: child.pid } });
    expect(db.openAdmissions(session.conversation)[0]?.status).toBe("unknown");
  });

  it("that left a zombie behind counts as gone", async () => {
    const { probePid } = await import("../../../src/ledger/identity.ts");
    const { spawn } = await import("node:child_process");
    // The child ends once the shell has turned into cat, which never reaps anything and waits for its input.
    const child = `sh -c 'until [ "$(cat /proc/$PPID/comm)" = cat ]; do :; done'`;
    const shell = spawn("sh", ["-c", `${child} & echo "$!"; exec cat`], { stdio: ["pipe", "pipe", "ignore"] });
    const [printed] = (await new Promise<Buffer[]>((resolve) =>
      shell.stdout.once("data", (data) => resolve([data])),
    )) as [Buffer];
    const pid = Number(String(printed).trim());
    await expect.poll(() => probePid(pid)).toEqual({ kind: "gone" });
    expect(() => process.kill(pid, 0)).not.toThrow();
    shell.stdin.end();
  });
});
