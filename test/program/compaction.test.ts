// `stele compress` in several programs at once, and killed: one conversation is compacted by one of them, the others say
// by whom, and what was cut off changed nothing and stands in nobody's way.
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { rowsOf } from "../helpers/ledger-rows.ts";
import { type ModelServer, startModelServer } from "../helpers/model-server.ts";
import { type Ended, type Workplace, workplace } from "../helpers/stele.ts";
import { writeConfig } from "../helpers/write-config.ts";

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** A request that waits at the endpoint until it is let go. */
class Gate {
  readonly reached: Promise<void>;
  readonly opened: Promise<void>;
  reach = (): void => {};
  open = (): void => {};

  constructor() {
    this.reached = new Promise((resolve) => {
      this.reach = resolve;
    });
    this.opened = new Promise((resolve) => {
      this.open = resolve;
    });
  }
}

interface Scene {
  readonly place: Workplace;
  readonly session: string;
  /** The next summary, or the next answer, waits for this one. */
  hold(what: "summary" | "answer"): Gate;
  readonly summaries: () => number;
}

/** Two turns in a conversation, at an endpoint that answers everything at once unless it is told to hold. */
async function scene(): Promise<Scene> {
  const gates = new Map<"summary" | "answer", Gate>();
  let summaries = 0;
  const server = await startModelServer((body) => {
    const what = JSON.stringify(body.messages[0]).includes("You sum up") ? "summary" : "answer";
    const gate = gates.get(what);
    gates.delete(what);
    gate?.reach();
    if (what === "summary") summaries += 1;
    const text = what === "summary" ? "the summary" : "a long answer. ".repeat(200);
    return { text, ...(gate && { faults: [{ kind: "hold", after: 0, until: gate.opened }] }) };
  });
  servers.push(server);
  const place = workplace();
  const providers = { local: { kind: "openai-compatible", baseURL: server.url, models: ["m1"] } };
  writeConfig(place, { model: "local/m1", providers });
  const first = await place.stele(["run", "--json", "one"]);
  expect(first.code, first.err).toBe(0);
  expect(await place.stele(["run", "--json", "-c", "two"])).toMatchObject({ code: 0 });
  const hold = (what: "summary" | "answer") => {
    const gate = new Gate();
    gates.set(what, gate);
    return gate;
  };
  return { place, session: String(first.events[0]?.["session"]), hold, summaries: () => summaries };
}

/** Started, with its pid. */
function started(place: Workplace, args: readonly string[]): { readonly ended: Promise<Ended>; readonly pid: number } {
  let pid = 0;
  const ended = place.stele(args, {
    onStart: (child) => {
      pid = child.pid ?? 0;
    },
  });
  return { ended, pid };
}

interface Shown {
  readonly session: string;
  readonly generation: number;
  readonly messages: readonly { readonly id: number; readonly role: string }[];
}

async function show(place: Workplace, session: string): Promise<Shown> {
  const { out } = await place.stele(["sessions", "show", session, "--json"]);
  return JSON.parse(out) as Shown;
}

async function generations(place: Workplace, session: string): Promise<readonly unknown[]> {
  return (await place.stele(["sessions", "tree", session, "--json"])).events;
}

async function expectSound(place: Workplace): Promise<void> {
  const doctor = JSON.parse((await place.stele(["doctor", "--json", "--full"])).out) as { verify: unknown };
  expect(doctor.verify).toEqual([]);
}

const compress = (session: string) => ["compress", "--json", "-r", session];

describe("several programs that compact one conversation", () => {
  it("make one child: who comes while it goes on is told by whom, who waited before it is told that it is done", async () => {
    const { place, session, hold, summaries } = await scene();
    const [answer, summary] = [hold("answer"), hold("summary")];
    const turn = started(place, ["run", "--json", "-r", session, "three"]);
    await answer.reached;
    const file = path.join(place.home, "state.db");
    const stored = () => rowsOf(file, "select seq from admissions where kind = 'compact'");
    const waiting = [];
    for (const count of [1, 2]) {
      waiting.push(started(place, compress(session)));
      await vi.waitFor(() => expect(stored()).toHaveLength(count), { timeout: 20_000 });
    }
    answer.open();
    expect(await turn.ended).toMatchObject({ code: 0 });
    await summary.reached;

    const late = await place.stele(compress(session));
    expect(late.code, late.err).toBe(3);
    const said = (JSON.parse(late.err) as { error: { code: string; message: string } }).error;
    expect(said.message).toMatch(
      /^Compaction skipped: .*, pid \d+, has been compacting this conversation for \d+ s\.$/,
    );
    expect(waiting.map(({ pid }) => pid)).toContain(Number(/pid (\d+)/.exec(said.message)?.[1]));

    summary.open();
    const ends = await Promise.all(waiting.map(({ ended }) => ended));
    const results = ends.map(({ events, code }) => ({ code, ...events.at(-1) }) as Record<string, unknown>);
    const made = results.findIndex(({ outcome }) => outcome === "completed");
    expect(results[made], JSON.stringify(ends)).toMatchObject({ code: 0 });
    const why = `pid ${waiting[made]?.pid}, has just compacted this conversation.`;
    expect(results[1 - made]).toMatchObject({
      code: 1,
      outcome: "rejected",
      error: { code: "compaction_skipped", message: expect.stringContaining(why) },
    });
    expect(summaries()).toBe(1);
    expect(await generations(place, session)).toMatchObject([{ live: false }, { parent: session, live: true }]);
    const tree = (await place.stele(["sessions", "tree", session])).out.trimEnd().split("\n");
    expect(tree).toEqual([expect.stringMatching(/ · 3 turns · .* · compacted once, last after turn 3 · /)]);
    const roles = (await show(place, session)).messages.map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "user", "assistant", "user", "assistant", "summary"]);
    await expectSound(place);
  });
});

describe("a program that dies while it sums up", () => {
  it("changed nothing, leaves nothing to decide, and the next one compacts at once", async () => {
    const { place, session, hold } = await scene();
    const before = await show(place, session);
    const summary = hold("summary");
    const doomed = started(place, compress(session));
    await summary.reached;
    process.kill(doomed.pid, "SIGKILL");
    expect(await doomed.ended).toMatchObject({ signal: "SIGKILL" });

    const recovered = JSON.parse((await place.stele(["recover", "--json"])).out) as { open: unknown };
    expect(recovered.open).toEqual([]);
    expect((await show(place, session)).messages).toEqual(before.messages);
    expect(await generations(place, session)).toHaveLength(1);

    const next = await place.stele(compress(session));
    expect(next.code, next.err).toBe(0);
    expect(next.events.at(-1)).toMatchObject({ outcome: "completed" });
    expect(await generations(place, session)).toHaveLength(2);
    await expectSound(place);
  });
});
