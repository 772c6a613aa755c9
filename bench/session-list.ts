// Does a list cost more where there are more sessions? The first page, each filter of it, and a keystroke behind a command
// that completes their names: 10,000 sessions beside 100.
import path from "node:path";
import { modelRegistry } from "../src/agent/models/registry.ts";
import { createFileGate } from "../src/agent/tools/files.ts";
import { AsyncSessionDB } from "../src/ledger/async-session-db.ts";
import { canonicalJson, newRequestId, sha256 } from "../src/ledger/ids.ts";
import { SessionDB } from "../src/ledger/session-db.ts";
import type { SessionFilter } from "../src/ledger/session-list.ts";
import type { MessageId, Session } from "../src/ledger/types.ts";
import { openCompletion } from "../src/ui/completion.ts";
import { composerReducer, createComposer } from "../src/ui/composer-state.ts";
import { InputMenu } from "../src/ui/input-menu.ts";
import { menuCommands } from "../src/ui/screen-commands.ts";
import { type Bench, compare, type Figure, interleave } from "./harness.ts";
import { type Database, insertInto, openBare, requireSound, rowUnder } from "./ledgers.ts";

const FEW = "100 sessions";
const MANY = "10,000 sessions";
const JUDGED = { side: MANY, base: FEW, target: 1.5 } as const;

const DAY = 86_400_000;
const NOW = Date.now();

/** A page that both sides fill: then it is the sessions beyond it that make the difference. */
const LIMIT = 10;
const FILTERS: Readonly<Record<string, SessionFilter>> = {
  "the first page": {},
  "of a folder": { folder: "/app/1" },
  "of pinned ones": { pinned: true },
  "of archived ones": { archived: true },
  "of interrupted ones": { state: "interrupted" },
  "of what runs": { state: "running" },
  "of a model": { model: "bench/m1" },
  "of an hour": { since: NOW - DAY / 24 },
};

export async function benchSessionList(bench: Bench): Promise<Figure[]> {
  const sides = [
    { name: FEW, ledger: await openLedger(bench, 100) },
    { name: MANY, ledger: await openLedger(bench, 10_000) },
  ];
  const rounds = { rounds: bench.isQuick ? 30 : 100, warmUp: 10 };
  const figures: Figure[] = [];
  for (const [what, filter] of Object.entries(FILTERS)) {
    const lists = sides.map(({ name, ledger }) => ({ name, measure: () => timeList(ledger, filter) }));
    figures.push(compare(await interleave(lists, rounds), { ...JUDGED, unit: "ms", what: `list, ${what}` }));
  }
  const keys = [];
  for (const { name, ledger } of sides) keys.push({ name, measure: await keystroke(ledger) });
  const typed = await interleave(keys, rounds);
  figures.push(compare(typed, { ...JUDGED, unit: "µs", what: "a key behind /resume" }));
  for (const { ledger } of sides) await ledger.close();
  return figures;
}

async function timeList(db: AsyncSessionDB, filter: SessionFilter): Promise<number> {
  const start = performance.now();
  await db.listSessions({ ...filter, limit: LIMIT });
  return performance.now() - start;
}

/** Typing one more letter of a name, with what is offered for it. */
async function keystroke(db: AsyncSessionDB): Promise<() => number> {
  const [listing] = await db.listSessions({ limit: 1 });
  if (!listing) throw new Error("there is no session");
  const context = {
    ...{ db, files: createFileGate({ ledgerFiles: [] }), runner: { session: listing.session }, now: () => NOW },
    models: modelRegistry({ env: {}, providers: {} }),
  };
  const menu = new InputMenu();
  menu.commands = menuCommands();
  const type = (text: string) => composerReducer(createComposer({ width: 80 }), { type: "insert", text });
  await new Promise<void>((resolve) => {
    menu.completion = openCompletion(context, resolve);
    menu.offer(type("/resume fix the"));
  });
  menu.forget();
  return () => {
    menu.offer(type("/resume fix"));
    const start = performance.now();
    const offer = menu.offer(type("/resume fix t"));
    const took = (performance.now() - start) * 1_000;
    if (!offer || offer.items.length === 0) throw new Error("nothing is offered");
    return took;
  };
}

async function openLedger(bench: Bench, count: number): Promise<AsyncSessionDB> {
  const file = path.join(bench.folder, `${count}-sessions.db`);
  buildSessions(file, count);
  const db = new AsyncSessionDB({ path: file, program: "bench", workerFile: path.join(bench.folder, "worker.cjs") });
  await db.opened;
  return db;
}

/** An answered turn each, a minute apart; of ten one is pinned, and one archived. */
function buildSessions(file: string, count: number): void {
  const made = new SessionDB({ path: file, program: "bench" });
  const route = { provider: "bench", model: "m0" };
  const first = made.createSession({ cwd: "/app/0", route, source: "bench" });
  made.deleteConversation(first.id);
  while (!made.purgeStep());
  made.close();
  const db = openBare(file);
  const write = writerOf(db);
  db.transaction(() => {
    for (let at = 0; at < count; at += 1) write(at, NOW - (count - at) * 60_000);
  })();
  db.close();
  requireSound(file);
}

function writerOf(db: Database): (seed: number, at: number) => void {
  const message = insertInto(db);
  const session = db.prepare(
    `insert into sessions (id, conversation_id, generation, title, title_source, provider, model, cwd, source, started_at,
       last_activity_at, pinned, archived, ended_at, end_reason)
     values (@id, @id, 0, @title, 'derived', 'bench', @model, @cwd, 'bench', @at, @at, @pinned, @archived,
       case @archived when 1 then @at end, case @archived when 1 then 'closed' end)`,
  );
  const lease = db.prepare("insert into turn_leases (conversation_id, epoch) values (@id, 1)");
  const turn = db.prepare(
    `insert into admissions (request_id, conversation_id, session_id, kind, payload, digest, summary, position, status,
       submitter, ledger_generation, queued_at)
     values (@request, @id, @id, 'prompt', @payload, @digest, @title, 1, 'queued', '{}', 1, @at)`,
  );
  const start = db.prepare(
    `update admissions set status = 'started', owner = 'bench', epoch = 1, user_message_id = @user, started_at = @at
     where seq = @seq`,
  );
  const settle = db.prepare(
    `update admissions set status = 'terminal', outcome = @outcome, last_message_id = @last, settled_at = @at
     where seq = @seq`,
  );
  const setHead = db.prepare("update sessions set head_id = @last where id = @id");
  return (seed, at) => {
    const id = idOf(seed);
    const title = `fix the clock of part ${seed}`;
    const flags = { pinned: seed % 10 === 3 ? 1 : 0, archived: seed % 10 === 7 ? 1 : 0 };
    session.run({ id, title, model: `m${seed % 3}`, cwd: `/app/${seed % 4}`, at, ...flags });
    const parts = [{ kind: "text", text: title }] as const;
    const asked = rowUnder(undefined, { session: id, role: "user", parts, at });
    const user = Number(message.run(asked).lastInsertRowid) as MessageId;
    const answered = rowUnder({ ...asked, id: user }, { session: id, role: "assistant", parts, at: at + 1 });
    const last = Number(message.run(answered).lastInsertRowid);
    const payload = canonicalJson({ prompt: [{ kind: "text", text: title }], approval: "ask", cwd: "/app" });
    const outcome = seed % 7 === 5 ? "interrupted" : "completed";
    lease.run({ id });
    const row = { request: newRequestId(), id, payload, digest: sha256(payload), title, at };
    const seq = Number(turn.run(row).lastInsertRowid);
    start.run({ seq, user, at });
    settle.run({ seq, outcome, last, at });
    setHead.run({ last, id });
  };
}

function idOf(seed: number): Session["id"] {
  return `20260101-000000-${seed.toString(16).padStart(6, "0")}` as Session["id"];
}
