// Whether the invariants see what they are for: a sound ledger, damaged by raw SQL in a child with the rules of
// the schema switched off, one invariant at a time.
import { describe, expect, it } from "vitest";
import { SessionDB } from "../../../src/ledger/session-db.ts";
import type { Message, MessageId } from "../../../src/ledger/types.ts";
import { compactNow } from "../../helpers/compaction.ts";
import { newSession, prompt, requestId, runTurn, startTurn, temporaryFolder } from "../../helpers/ledger.ts";
import { LedgerProcess } from "../../helpers/ledger-process.ts";

const UNGUARDED = [
  "pragma foreign_keys = off",
  "pragma ignore_check_constraints = on",
  ...["messages_immutable", "messages_kept", "messages_fts_delete", "tool_calls_one_result", "tool_calls_edges"].map(
    drop,
  ),
  ...[
    "turn_leases_kept",
    "turn_leases_epoch",
    "admissions_edges",
    "admissions_from_queued",
    "admissions_begin_queued",
  ].map(drop),
  ...["sessions_one_open", "sessions_person_title", "admissions_one_started"].map((index) => `drop index ${index}`),
];
function drop(trigger: string): string {
  return `drop trigger ${trigger}`;
}

const copyAdmission = (status: string) =>
  `insert into admissions (request_id, conversation_id, session_id, kind, payload, digest, summary, position, status, submitter,
     ledger_generation, queued_at, owner, epoch, started_at, user_message_id)
   select 'copy', conversation_id, session_id, kind, payload, digest, '', 1, '${status}', submitter, 0, 1, owner, epoch, 1,
     user_message_id from admissions where status = 'started'`;

function keepFrom(message: string): string {
  return `update messages set parts = json_set(parts, '$[0].keptFrom', ${message}) where role = 'summary'`;
}

const DAMAGE: readonly (readonly [invariant: string, what: string, sql: string, detail: RegExp])[] = [
  ["V1", "a depth that is not its parent's plus one", "update messages set depth = 7 where id = 2", /message [23]/],
  ["V1", "a parent that is gone", "update messages set parent_id = 999, depth = 2 where id = 2", /message 2/],
  ["V1", "a node older than its parent", "update messages set created_at = 1 where id = 2", /message 2/],
  [
    "V2",
    "a head that is gone",
    "update sessions set head_id = 999 where head_id is not null",
    /head that is not there/,
  ],
  ["V3", "a shown node that is not live", "update messages set live = 0 where id = 1", /message 1 has live = 0/],
  [
    "V3",
    "an undone node that is live",
    "update sessions set head_id = 1 where id = (select session_id from messages where id = 1)",
    /has live = 1/,
  ],
  [
    "V4",
    "two open sessions",
    "insert into sessions (id, conversation_id, generation, provider, model, cwd, source, started_at, last_activity_at) select 'x', conversation_id, generation + 1, 'p', 'm', '/', 't', 1, 1 from sessions where ended_at is null limit 1",
    /2 open sessions/,
  ],
  [
    "V4",
    "a gap in the generations",
    "insert into sessions (id, conversation_id, generation, provider, model, cwd, source, started_at, last_activity_at, ended_at, end_reason) select 'x', conversation_id, 5, 'p', 'm', '/', 't', 1, 1, 1, 'closed' from sessions limit 1",
    /gaps/,
  ],
  [
    "V4",
    "a compacted session whose child is of another conversation",
    "update sessions set conversation_id = 'other', generation = 0 where edge = 'compression'",
    /does not go on in one child/,
  ],
  [
    "V4",
    "a child that begins with something else than a summary",
    "update messages set role = 'note' where role = 'summary'",
    /does not begin with the summary/,
  ],
  [
    "V4",
    "a child whose summary stands elsewhere",
    "update messages set parent_id = 1, depth = 2 where role = 'summary'",
    /does not begin with the summary/,
  ],
  [
    "V4",
    "a child of a session that goes on",
    "update sessions set ended_at = null, end_reason = null where end_reason = 'compression'",
    /does not begin with the summary/,
  ],
  ["V5", "two started turns", copyAdmission("started"), /2 started turns/],
  ["V5", "a started turn of nobody", "update admissions set owner = null where status = 'started'", /without owner/],
  ["V6", "an end without an outcome", "update admissions set outcome = null where status = 'terminal'", /does not fit/],
  [
    "V6",
    "a completed turn that ends in its prompt",
    "update admissions set last_message_id = user_message_id where outcome = 'completed'",
    /completed in a user node/,
  ],
  [
    "V6",
    "a steer that nobody took",
    "update admissions set outcome = 'steered' where outcome = 'failed'",
    /steered by nobody/,
  ],
  [
    "V6",
    "a summary that keeps from an answer",
    keepFrom("(select min(id) from messages where role = 'assistant')"),
    /is no prompt above it/,
  ],
  [
    "V6",
    "a summary that keeps from what is not above it",
    keepFrom("(select max(id) from messages where role = 'user')"),
    /is no prompt above it/,
  ],
  ["V6", "a summary that keeps from what is gone", keepFrom("999"), /is no prompt above it/],
  [
    "V7",
    "a call without its result",
    "update tool_calls set result_message_id = null",
    /has no result on the path|is open/,
  ],
  [
    "V8",
    "a message of no session",
    "update messages set session_id = 'nobody' where id = 2",
    /no session|points at nothing/,
  ],
  [
    "V8",
    "usage of no session",
    "insert into model_usage (session_id, provider, model) values ('nobody', 'p', 'm')",
    /usage of nobody/,
  ],
  ["V8", "a blob that nothing needs", "delete from blob_refs", /needed by nothing/],
  ["V8", "a blob that is needed and gone", "delete from blobs", /needed and not there/],
  ["V8", "a reference to nothing", "update sessions set fork_message_id = 999", /points at nothing in messages/],
  ["V9", "totals that differ", "update sessions set output_tokens = output_tokens + 1", /totals/],
  ["V10", "one given title twice", "update sessions set title = 'x', title_source = 'person'", /is given to 3/],
  [
    "V11",
    "an index that lost a word",
    "insert into messages_fts (messages_fts, rowid, text) values ('delete', 1, 'hello')",
    /search index/,
  ],
  ["V12", "an epoch above its lease", "update turn_leases set epoch = 0", /epoch above/],
  [
    "V13",
    "a file change without its content",
    "insert into file_changes (tool_call_id, path, kind, hash_before, origin, restorable, created_at) select id, 'p', 'deleted', 'x', 'recorded', 1, 1 from tool_calls limit 1",
    /content that is not stored/,
  ],
  [
    "V15",
    "a message with other words",
    `update messages set parts = '[{"kind":"text","text":"forged"}]' where id = 1`,
    /message 1/,
  ],
  ["V15", "a message of another time", "update messages set created_at = created_at - 1 where id = 1", /message 1/],
  ["V15", "a blob with other bytes", "update blobs set content = x'00', encoding = 'raw'", /blob/],
  ["V15", "a system prompt with other words", "update system_prompts set text = 'forged'", /system prompt/],
];

/** A settled turn with a call, an output and a failed one; a compacted conversation; one with a running turn; all indexed. */
function fill(path: string): void {
  const db = new SessionDB({ path });
  const session = newSession(db);
  runTurn(db, session, "hello");
  const { turn, message, lease } = startTurn(db, session, "call");
  const asked = { call: "c", tool: "t", input: null } as const;
  const parts = [{ kind: "tool-call", ...asked }] as const;
  db.append(turn, { parent: message.id, role: "assistant", parts, at: Date.now() }, [{ ...asked, effect: "none" }]);
  const [call] = db.callsOf(turn.admission);
  if (!call) throw new Error("no call");
  db.approveCall(turn, call.id, "mode");
  db.startCall(turn, call.id);
  db.finishCall(turn, {
    id: call.id,
    end: "succeeded",
    outcome: { kind: "ok" },
    wholeOutput: Uint8Array.of(7),
    at: Date.now(),
  });
  db.settle(turn, { outcome: "failed", at: Date.now() });
  db.releaseLease(lease);
  const compacted = newSession(db);
  compactNow(db, compacted, { keptFrom: promptOf(runTurn(db, compacted, "folded")) });
  const other = newSession(db);
  startTurn(db, other, "running");
  db.admit({
    request: requestId(),
    kind: "prompt",
    payload: prompt("waits"),
    target: { kind: "new" },
    session: other.id,
  });
  while (!db.indexStep());
  db.close();
}

function promptOf({ parent }: Message): MessageId {
  if (parent === undefined) throw new Error("an answer without a prompt");
  return parent;
}

describe("verify", () => {
  it("finds nothing in a sound ledger", () => {
    const path = `${temporaryFolder()}/state.db`;
    fill(path);
    const db = new SessionDB({ path });
    expect(db.verify({ full: true })).toEqual([]);
    db.close();
  });

  for (const [invariant, what, sql, detail] of DAMAGE)
    it(`finds ${what} as ${invariant}`, async () => {
      const path = `${temporaryFolder()}/state.db`;
      fill(path);
      const child = new LedgerProcess();
      const answers = await child.ask("sql", path, [...UNGUARDED, sql]);
      expect(answers.flatMap(({ error }) => (error ? [error] : []))).toEqual([]);
      const db = new SessionDB({ path });
      const found = db.verify({ full: true });
      db.close();
      expect(found).toContainEqual({ invariant, detail: expect.stringMatching(detail) });
    });
});
