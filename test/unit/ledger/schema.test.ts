// What the file itself refuses, whoever writes to it: raw SQL of another process against a ledger with a
// conversation in it. Each statement fails by the named rule and leaves the ledger as it was.
import { describe, expect, it } from "vitest";
import { SessionDB } from "../../../src/ledger/session-db.ts";
import {
  acquire,
  envelope,
  newSession,
  openLedger,
  prompt,
  requestId,
  runTurn,
  startTurn,
  temporaryFolder,
} from "../../helpers/ledger.ts";
import { LedgerProcess } from "../../helpers/ledger-process.ts";

interface Refused {
  readonly rule: string;
  readonly sql: string;
  readonly by: RegExp;
}

const column = (names: string, from: string) =>
  names.split(" ").map((name) => ({
    rule: `a stored message keeps its ${name}`,
    sql: from.replaceAll("%", name),
    by: /a stored message never changes/,
  }));
const TRIGGER = (text: string) => new RegExp(`SQLITE_CONSTRAINT_TRIGGER.*${text}`);
const UNIQUE = /SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)/;
const CHECK = /SQLITE_CONSTRAINT_CHECK/;
const FOREIGN = /SQLITE_CONSTRAINT_(FOREIGNKEY|TRIGGER)/;
const INSERT_MESSAGE = `insert into messages (hash, session_id, parent_id, depth, turn, role, parts, text, created_at)
  select 'h', session_id, id, %DEPTH, %TURN, %ROLE, %PARTS, '', %AT from messages where depth = 1 limit 1`;
const message = (more: { [key: string]: string } = {}) =>
  Object.entries({ DEPTH: "2", TURN: "turn", ROLE: "'note'", PARTS: "'[]'", AT: "created_at + 1", ...more }).reduce(
    (sql, [key, value]) => sql.replace(`%${key}`, value),
    INSERT_MESSAGE,
  );
const admission = (status: string) => `(select seq from admissions where status = '${status}' limit 1)`;
const setStatus = (from: string, to: string, more = "") =>
  `update admissions set status = '${to}', outcome = ${to === "terminal" ? "'failed'" : "null"},
     settled_at = ${to === "terminal" ? "1" : "null"}${more} where seq = ${admission(from)}`;
const copyOf = (table: string, columns: string, values: string) =>
  `insert into ${table} (${columns}) select ${values} from ${table} limit 1`;
const ADMISSION_COLUMNS =
  "request_id, conversation_id, session_id, kind, payload, digest, summary, position, status, submitter, ledger_generation, queued_at";
const SESSION_COLUMNS = "id, conversation_id, generation, provider, model, cwd, source, started_at, last_activity_at";
const CALL_COLUMNS = "message_id, admission_id, call_id, tool, input, effect, effect_key, state";

const REFUSED: readonly Refused[] = [
  ...column(
    "parts text role depth turn created_at hash session_id parent_id admission_id provider model finish_reason usage",
    "update messages set % = %",
  ),
  { rule: "a message is not deleted", sql: "delete from messages", by: TRIGGER("deleted only by a purge") },
  { rule: "a hash is stored once", sql: message().replace("'h'", "hash"), by: UNIQUE },
  { rule: "a message stands one below its parent", sql: message({ DEPTH: "3" }), by: TRIGGER("parent must be") },
  { rule: "a message skips no turn", sql: message({ TURN: "turn + 2" }), by: TRIGGER("parent must be") },
  { rule: "a message takes no turn back", sql: message({ TURN: "turn - 1" }), by: /parent must be|CHECK/ },
  { rule: "a message is younger than its parent", sql: message({ AT: "created_at" }), by: TRIGGER("parent must be") },
  { rule: "a role is one of five", sql: message({ ROLE: "'system'" }), by: CHECK },
  { rule: "parts are JSON", sql: message({ PARTS: "'['" }), by: CHECK },
  { rule: "live is a bit", sql: "update messages set live = 2", by: CHECK },
  { rule: "a head is a message", sql: "update sessions set head_id = 4711", by: FOREIGN },
  { rule: "a message has a session", sql: message().replace("session_id, id", "'nobody', id"), by: FOREIGN },
  {
    rule: "a conversation has one open session",
    sql: copyOf("sessions", SESSION_COLUMNS, "'x', conversation_id, 1, provider, model, cwd, source, 1, 1"),
    by: UNIQUE,
  },
  {
    rule: "a generation is there once",
    sql: copyOf(
      "sessions",
      `${SESSION_COLUMNS}, ended_at, end_reason`,
      "'x', conversation_id, 0, provider, model, cwd, source, 1, 1, 1, 'closed'",
    ),
    by: UNIQUE,
  },
  { rule: "an end has a reason", sql: "update sessions set ended_at = 1", by: CHECK },
  { rule: "an end has one of two reasons", sql: "update sessions set ended_at = 1, end_reason = 'quit'", by: CHECK },
  { rule: "a title has a source", sql: "update sessions set title = 'x', title_source = null", by: CHECK },
  {
    rule: "a title has at most 100 characters",
    sql: `update sessions set title = '${"x".repeat(101)}', title_source = 'person'`,
    by: CHECK,
  },
  {
    rule: "two open conversations do not have one given title",
    sql: "update sessions set title = 'x', title_source = 'person'",
    by: UNIQUE,
  },
  {
    rule: "a deleted session has no head",
    sql: "update sessions set deleted_at = 1 where head_id is not null",
    by: CHECK,
  },
  ...[
    "queued>unknown",
    "started>queued",
    "unknown>queued",
    "terminal>queued",
    "terminal>started",
    "terminal>unknown",
  ].map((edge) => {
    const [from = "", to = ""] = edge.split(">");
    return {
      rule: `an admission does not go ${from} → ${to}`,
      sql: setStatus(from, to),
      by: /no such (edge|outcome)|SQLITE_CONSTRAINT/,
    };
  }),
  {
    rule: "a conversation has one started turn",
    sql: `update admissions set status = 'started', owner = 'x', epoch = 1, started_at = 1, user_message_id = (select id from messages limit 1)
      where status = 'queued' and conversation_id = (select conversation_id from admissions where status = 'started')`,
    by: UNIQUE,
  },
  {
    rule: "a started turn has an owner",
    sql: `update admissions set owner = null where status = 'started'`,
    by: CHECK,
  },
  {
    rule: "a started prompt has its message",
    sql: `update admissions set user_message_id = null where status = 'started'`,
    by: CHECK,
  },
  {
    rule: "what waits is not completed",
    sql: `update admissions set status = 'terminal', outcome = 'completed', settled_at = 1, last_message_id = 1 where status = 'queued'`,
    by: TRIGGER("no such outcome"),
  },
  {
    rule: "what is unknown is not completed",
    sql: `update admissions set status = 'terminal', outcome = 'completed', settled_at = 1, last_message_id = 1 where status = 'unknown'`,
    by: TRIGGER("no such outcome"),
  },
  {
    rule: "what runs is not cancelled",
    sql: `update admissions set status = 'terminal', outcome = 'cancelled', settled_at = 1 where status = 'started'`,
    by: TRIGGER("no such outcome"),
  },
  {
    rule: "an outcome is final",
    sql: "update admissions set outcome = 'failed' where outcome = 'completed'",
    by: TRIGGER("no such outcome"),
  },
  {
    rule: "an end has an outcome",
    sql: "update admissions set status = 'terminal', settled_at = 1 where status = 'started'",
    by: CHECK,
  },
  {
    rule: "a completed turn names its answer",
    sql: "update admissions set last_message_id = null where outcome = 'completed'",
    by: CHECK,
  },
  {
    rule: "a steered one names who took it",
    sql: `update admissions set status = 'terminal', outcome = 'steered', settled_at = 1 where status = 'queued'`,
    by: CHECK,
  },
  ...["payload = '{}'", "digest = 'x'", "request_id = 'x'", "queued_at = 1", "principal = 'x'"].map((change) => ({
    rule: `what was asked never changes: ${change}`,
    sql: `update admissions set ${change} where status = 'queued'`,
    by: TRIGGER("what was asked never changes"),
  })),
  {
    rule: "an admission begins as queued",
    sql: copyOf(
      "admissions",
      `${ADMISSION_COLUMNS}, owner, epoch, started_at`,
      "'x', conversation_id, session_id, 'shell', payload, digest, '', 1, 'started', submitter, 0, 1, 'o', 1, 1",
    ),
    by: TRIGGER("begin as queued"),
  },
  {
    rule: "a request is admitted once",
    sql: copyOf(
      "admissions",
      ADMISSION_COLUMNS,
      "request_id, conversation_id, session_id, kind, payload, digest, '', 1, 'queued', submitter, 0, 1",
    ),
    by: UNIQUE,
  },
  {
    rule: "a request id has a length",
    sql: copyOf(
      "admissions",
      ADMISSION_COLUMNS,
      "'', conversation_id, session_id, kind, payload, digest, '', 1, 'queued', submitter, 0, 1",
    ),
    by: CHECK,
  },
  { rule: "a lease row stays", sql: "delete from turn_leases", by: TRIGGER("rows are kept") },
  { rule: "an epoch never falls", sql: "update turn_leases set epoch = epoch - 1", by: TRIGGER("never falls") },
  {
    rule: "a holder is a process with a term",
    sql: "update turn_leases set process = null where holder is not null",
    by: CHECK,
  },
  {
    rule: "a call begins as proposed",
    sql: copyOf("tool_calls", CALL_COLUMNS, "message_id, admission_id, 'x', tool, input, effect, 'x', 'approved'"),
    by: TRIGGER("begin as proposed"),
  },
  {
    rule: "a call of a message is there once",
    sql: copyOf("tool_calls", CALL_COLUMNS, "message_id, admission_id, call_id, tool, input, effect, 'x', 'proposed'"),
    by: UNIQUE,
  },
  {
    rule: "an effect key is there once",
    sql: copyOf(
      "tool_calls",
      CALL_COLUMNS,
      "message_id, admission_id, 'x', tool, input, effect, effect_key, 'proposed'",
    ),
    by: UNIQUE,
  },
  ...[
    "proposed>running",
    "proposed>succeeded",
    "proposed>unknown",
    "approved>succeeded",
    "approved>denied",
    "approved>proposed",
    "running>denied",
    "running>skipped",
    "running>proposed",
    "unknown>running",
    "unknown>denied",
    "unknown>skipped",
    "succeeded>failed",
    "succeeded>running",
    "succeeded>unknown",
  ].map((edge) => {
    const [from = "", to = ""] = edge.split(">");
    return {
      rule: `a call does not go ${from} → ${to}`,
      by: TRIGGER("no such edge"),
      sql: `update tool_calls set state = '${to}', process = '{}', started_at = 1, result_message_id = coalesce(result_message_id, (select max(id) from messages)) where state = '${from}'`,
    };
  }),
  {
    rule: "a result is final",
    sql: "update tool_calls set result_message_id = 1 where state = 'succeeded'",
    by: TRIGGER("a result is final"),
  },
  {
    rule: "a result answers one call",
    sql: `update tool_calls set state = 'failed', result_message_id = (select result_message_id from tool_calls where state = 'succeeded') where state = 'running'`,
    by: UNIQUE,
  },
  { rule: "an end has a result", sql: "update tool_calls set state = 'failed' where state = 'running'", by: CHECK },
  {
    rule: "what is open has no result",
    sql: "update tool_calls set result_message_id = (select max(id) from messages) where state = 'approved'",
    by: CHECK,
  },
  { rule: "a blob that is needed stays", sql: "delete from blobs", by: FOREIGN },
  { rule: "a reference has a blob", sql: "insert into blob_refs (hash, message_id) values ('x', 1)", by: FOREIGN },
  {
    rule: "a reference has one referrer",
    sql: "insert into blob_refs (hash, message_id, admission_id) select hash, 1, 1 from blobs",
    by: CHECK,
  },
  {
    rule: "only an undo can be redone",
    sql: "insert into head_moves (session_id, kind, at, redoable) select id, 'redo', 1, 1 from sessions limit 1",
    by: CHECK,
  },
  {
    rule: "a loop fires a slot once",
    sql: "insert into loop_ticks (loop_id, slot, due_at) values ('l', 0, 1), ('l', 0, 1)",
    by: /SQLITE_CONSTRAINT/,
  },
  { rule: "a number is a number", sql: "update sessions set generation = 'x'", by: /SQLITE_CONSTRAINT_DATATYPE/ },
];

/** Every state that a rule needs: a settled turn with ended calls, one that runs, one that is unknown, a queue. */
function fill(path: string): void {
  const db = new SessionDB({
    path,
    process: { pid: 1, start: "1", boot: "b", pidNamespace: "n", machine: "m", host: "h", program: "t" },
  });
  const session = newSession(db);
  runTurn(db, session);
  const turn = startTurn(db, session);
  const names = ["c0", "c1", "c2", "c3", "c4"];
  const { calls } = db.append(
    turn.turn,
    {
      parent: turn.message.id,
      role: "assistant",
      at: Date.now(),
      parts: names.map((call) => ({ kind: "tool-call", call, tool: "t", input: null })),
    },
    names.map((call) => ({ call, tool: "t", input: null, effect: "external" })),
  );
  for (const [at, { id }] of calls.entries()) {
    if (at > 0) db.approveCall(turn.turn, id, "mode");
    if (at > 1) db.startCall(turn.turn, id);
    if (at === 3) db.markCallUnknown(turn.turn, id, "x");
    if (at === 4)
      db.finishCall(turn.turn, {
        id,
        end: "succeeded",
        outcome: { kind: "ok" },
        wholeOutput: Uint8Array.of(1),
        at: Date.now(),
      });
  }
  queue(db, session.id);
  const other = newSession(db);
  db.markUnknown(startTurn(db, other).turn);
  queue(db, other.id);
  acquire(db, newSession(db));
  envelope(db);
  db.close();
}

function queue(db: SessionDB, session: Parameters<SessionDB["session"]>[0]): void {
  db.admit({ request: requestId(), kind: "prompt", payload: prompt("q"), target: { kind: "new" }, session });
}

describe("the file refuses", () => {
  it("every statement against its rules, and stays as it was", async () => {
    const path = `${temporaryFolder()}/state.db`;
    fill(path);
    const child = new LedgerProcess();
    const tables = [
      "sessions",
      "messages",
      "admissions",
      "tool_calls",
      "turn_leases",
      "blobs",
      "blob_refs",
      "head_moves",
      "loop_ticks",
    ];
    const contents = () =>
      child.ask(
        "sql",
        path,
        tables.map((table) => `select * from ${table}`),
      );
    const before = await contents();
    const answers = await child.ask(
      "sql",
      path,
      REFUSED.map(({ sql }) => sql),
    );
    for (const [at, { rule, by }] of REFUSED.entries()) {
      const { error } = answers[at] ?? {};
      expect(`${rule}: ${error?.code ?? "nothing was refused"} ${error?.message}`).toMatch(by);
    }
    expect(await contents()).toEqual(before);
    openLedger({ path, probe: () => ({ kind: "gone" }) });
  });

  it("has states for all of these statements to work on", async () => {
    const path = `${temporaryFolder()}/state.db`;
    fill(path);
    const child = new LedgerProcess();
    const [calls, admissions] = await child.ask("sql", path, [
      "select group_concat(distinct state) as found from (select state from tool_calls order by state)",
      "select group_concat(distinct status) as found from (select status from admissions order by status)",
    ]);
    expect(calls?.rows).toEqual([{ found: "approved,proposed,running,succeeded,unknown" }]);
    expect(admissions?.rows).toEqual([{ found: "queued,started,terminal,unknown" }]);
    openLedger({ path, probe: () => ({ kind: "gone" }) });
  });
});
