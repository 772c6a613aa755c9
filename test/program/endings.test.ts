// How a run and a command end when something is in the way: the reader, the disk, the file, a dead program.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startModelServer } from "../helpers/model-server.ts";
import { type Workplace, workplace } from "../helpers/stele.ts";

describe("a reader that goes away", () => {
  it("stops the turn as interrupted, with exit 130, and leaves nothing unknown", async () => {
    const place = workplace();
    const ended = await place.stele(["run", "--json", "--yes", "run sleep 1 then run sleep 600"], {
      onStart: (child) => {
        let out = "";
        child.stdout?.on("data", (chunk: string) => {
          out += chunk;
          if (out.includes('"state":"running"')) child.stdout?.destroy();
        });
      },
    });
    expect(ended.code, ended.err).toBe(130);
    const recovered = JSON.parse((await place.stele(["recover", "--json"])).out) as { open: unknown };
    expect(recovered.open).toEqual([]);
  });
});

describe.skipIf(!existsSync("/dev/full"))("stdout that takes nothing", () => {
  it.each([
    ["a turn", ["run", "say hello"]],
    ["a turn's events", ["run", "--json", "say hello"]],
    ["a list", ["sessions"]],
    ["an export", ["export", "-c"]],
    ["the help", ["--help"]],
    ["the version", ["--version"]],
  ])("of %s is exit 1 with the reason, once, and not a stop", async (_, words) => {
    const place = workplace();
    await place.stele(["run", "say before"]);
    const ended = await place.stele(words, { stdoutTo: "/dev/full" });
    expect(ended.err.match(/stdout cannot be written: ENOSPC/g), ended.err).toHaveLength(1);
    expect(ended.err).not.toMatch(/^ +at /m);
    expect(ended.code).toBe(1);
    if (words[0] === "run") expect((await place.stele(["sessions", "--json"])).events).toHaveLength(2);
  });
});

describe("a reader that has gone when the answer comes", () => {
  it("is exit 130, and the answer is in the ledger", async () => {
    const place = workplace();
    const ended = await place.stele(["run", "say hello"], { onStart: (child) => child.stdout?.destroy() });
    expect(ended).toMatchObject({ code: 130, err: "" });
    expect((await place.stele(["sessions", "--json"])).events).toMatchObject([{ turns: 1 }]);
  });
});

describe("a folder for commands that cannot be one", () => {
  it("fails the command, and settles the turn", async () => {
    const place = workplace();
    await place.stele(["run", "say before"]);
    rmSync(path.join(place.home, "spool"), { recursive: true, force: true });
    writeFileSync(path.join(place.home, "spool"), "");
    const ended = await place.stele(["run", "--json", "--yes", "run true"]);
    expect(ended.events.map(({ type }) => type)).not.toContain("ledger-problem");
    expect(ended.out).toContain("could not be started: ENOTDIR");
    expect(ended.events.at(-1)).toMatchObject({ type: "turn-settled", outcome: "completed" });
    expect(ended.code).toBe(0);
  });
});

describe("undo of everything", () => {
  it("keeps the conversation: redo brings it back, and no older one is touched", async () => {
    const place = workplace();
    await place.stele(["run", "say old"]);
    await place.stele(["run", "say new"]);
    expect(await place.stele(["undo"])).toMatchObject({ code: 0 });
    expect((await place.stele(["redo"])).out).toContain("rought back 1 turn");
    const rows = (await place.stele(["sessions", "--json"])).events;
    expect(rows.map((row) => row["turns"])).toEqual([1, 1]);
  });
});

describe("a ledger that is not what it was", () => {
  it("gone, with what belongs to it still there: refused, not begun anew", async () => {
    const place = workplace();
    await place.stele(["run", "say one"]);
    rmSync(path.join(place.home, "state.db"));
    const ended = await place.stele(["run", "--json", "say two"]);
    expect(ended.code).toBe(4);
    expect(ended.err).toContain("is gone");
    expect(await place.stele(["doctor", "--fix"])).toMatchObject({ code: 4 });
    expect(await place.stele(["run", "say two"])).toMatchObject({ code: 0, out: "two\n" });
  });

  it("with another name elsewhere: every command says what that may cost", async () => {
    const place = workplace();
    await place.stele(["run", "say one"]);
    linkSync(path.join(place.home, "state.db"), path.join(place.folder, "other.db"));
    for (const words of [["run", "say two"], ["sessions"]])
      expect((await place.stele(words)).err).toMatch(/^! the file has another name \(a hard link\)[^]*stele doctor/);
  });

  it("an older copy in its place: found at the next start, and the generation rises", async () => {
    const place = workplace();
    const file = path.join(place.home, "state.db");
    await place.stele(["run", "say one"]);
    copyFileSync(file, `${file}.old`);
    await place.stele(["run", "say two"]);
    copyFileSync(`${file}.old`, file);
    const recovered = JSON.parse((await place.stele(["recover", "--json"])).out) as { steps: object[] };
    expect(JSON.stringify(recovered.steps)).toContain("older than at the last start");
  });

  it("cut short while a turn runs: the turn ends with exit 4 and nothing more is written to it", async () => {
    const place = workplace();
    await place.stele(["run", "say one"]);
    const file = path.join(place.home, "state.db");
    const ended = await place.stele(["run", "--json", "--yes", `run sh -c ': > ${file}' then say more`]);
    expect(ended.code, ended.err).toBe(4);
    expect(ended.events.filter(({ type }) => type === "ledger-problem")).toHaveLength(1);
    expect(readFileSync(file)).toHaveLength(0);
  });
});

describe("a full disk", () => {
  it.skipIf(!canMount())("ends the run with exit 4 and the advice for it", async () => {
    const place = workplace();
    mkdirSync(place.home, { mode: 0o700 });
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=3m,mode=0700", "tmpfs", place.home]);
    try {
      const codes: (number | null)[] = [];
      while (codes.length < 12 && !codes.includes(4)) {
        const ended = await place.stele(["run", "--json"], { stdin: `say ${"z".repeat(90_000)}` });
        codes.push(ended.code);
        if (ended.code === 4) expect(ended.err).toContain("ledger_disk_full");
      }
      expect(codes.at(-1), `ended with ${codes.join(", ")}`).toBe(4);
      expect(new Set(codes.slice(0, -1))).toEqual(new Set([0]));
    } finally {
      execFileSync("umount", ["-l", place.home]);
    }
  });
});

describe("a command that sets a turn going", () => {
  it("tells its answer, or that it failed, by its exit code", async () => {
    const server = await startModelServer([{ text: "first" }, { status: 500, body: "down" }, { text: "third" }]);
    onTestFinished(() => server.close());
    const place = connected(server.url);
    await place.stele(["run", "hello"]);
    expect(await place.stele(["retry"])).toMatchObject({ code: 1 });
    expect((await place.stele(["retry"])).out).toContain("third");
  });
});

describe("a turn of a dead program", () => {
  it("stands in the way as something to decide about, without a recovery before: exit 5", async () => {
    const place = workplace();
    await place.stele(["run", "say one"]);
    const killed = { env: { STELE_CRASH_AT: "after:start-call" } };
    expect(await place.stele(["run", "--yes", "-c", "run true"], killed)).toMatchObject({ signal: "SIGKILL" });
    const undone = await place.stele(["undo"]);
    expect(undone.code, undone.err).toBe(5);
    expect(undone.err).toContain("stele recover");
  });
});

describe("a folder that is none", () => {
  it.each([["/nonexistent/folder"], [""]])("--cwd %j is refused before anything is stored", async (folder) => {
    const ended = await workplace().stele(["run", "--cwd", folder, "say hi"]);
    expect(ended.code, ended.err).toBe(2);
  });
});

function connected(baseURL: string): Workplace {
  const place = workplace();
  mkdirSync(place.home, { mode: 0o700 });
  const providers = { local: { kind: "openai-compatible", baseURL, models: ["m1"] } };
  writeFileSync(path.join(place.home, "config.json"), JSON.stringify({ model: "local/m1", retries: 0, providers }));
  return place;
}

function canMount(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    execFileSync("unshare", ["-m", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false; // a system that lets nobody mount: there is no small disk to fill
  }
}
