// The whole shape of a ledger file at SCHEMA_VERSION. What can be a constraint is one: edges of the two
// state machines, immutability of messages, one started turn, one open session a conversation.
// `migrations.ts` brings older files here; a fresh file is created from this text.

/** `PRAGMA application_id`: "STEL". */
export const APPLICATION_ID = 0x5354454c;
export const SCHEMA_VERSION = 32;
export const FTS_STORAGE_VERSION = 3;

const TABLES = `
create table state_meta (
  key   text primary key,
  value text not null
) strict, without rowid;

create table system_prompts (
  hash text primary key,
  text text not null
) strict, without rowid;

create table sessions (
  id               text primary key,
  conversation_id  text not null,
  generation       integer not null check (generation >= 0),
  parent_id        text references sessions (id),
  edge             text check (edge in ('compression', 'branch', 'import')),
  fork_message_id  integer references messages (id),
  head_id          integer references messages (id),
  title            text check (length(title) between 1 and 100),
  title_source     text check (title_source in ('derived', 'model', 'person')),
  provider         text not null,
  model            text not null,
  model_options    text check (json_valid(model_options)),
  cwd              text not null,
  git_root         text,
  git_branch       text,
  source           text not null,
  started_at       integer not null,
  last_activity_at integer not null,
  ended_at         integer,
  end_reason       text check (end_reason in ('compression', 'closed')),
  deleted_at       integer,
  archived         integer not null default 0 check (archived in (0, 1)),
  pinned           integer not null default 0 check (pinned in (0, 1)),
  hidden           integer not null default 0 check (hidden in (0, 1)),
  opened_by_new    integer not null default 0 check (opened_by_new in (0, 1)),
  rewind_count     integer not null default 0,
  input_tokens       integer not null default 0,
  output_tokens      integer not null default 0,
  cache_read_tokens  integer not null default 0,
  cache_write_tokens integer not null default 0,
  reasoning_tokens   integer not null default 0,
  cost_usd           real,
  revision         integer not null default 0,
  compaction_cooldown_until    integer,
  compaction_error             text,
  compaction_fallback_streak   integer not null default 0,
  compaction_ineffective_count integer not null default 0,
  unique (conversation_id, generation),
  check ((ended_at is null) = (end_reason is null)),
  check ((title is null) = (title_source is null)),
  check ((parent_id is null) = (edge is null)),
  check (deleted_at is null or head_id is null)
) strict, without rowid;
create unique index sessions_one_open on sessions (conversation_id) where ended_at is null and deleted_at is null;
create index sessions_by_head     on sessions (head_id) where head_id is not null;
create index sessions_by_fork     on sessions (fork_message_id) where fork_message_id is not null;
create index sessions_by_parent   on sessions (parent_id, started_at) where parent_id is not null;
-- Without the closed generations of compacted conversations: finding one costs the same after a thousand of them.
create index sessions_by_activity on sessions (last_activity_at desc)
  where deleted_at is null and end_reason is not 'compression';
create index sessions_by_folder   on sessions (cwd, last_activity_at desc)
  where deleted_at is null and end_reason is not 'compression';
create index sessions_pinned   on sessions (last_activity_at desc) where pinned = 1;
create index sessions_archived on sessions (last_activity_at desc) where archived = 1;
create index sessions_hidden   on sessions (last_activity_at desc) where hidden = 1;
create index sessions_by_title    on sessions (title)
  where deleted_at is null and end_reason is not 'compression';
create unique index sessions_person_title on sessions (title)
  where title_source = 'person' and ended_at is null and deleted_at is null;

create table messages (
  id            integer primary key autoincrement,
  hash          text not null unique,
  session_id    text not null references sessions (id),
  parent_id     integer references messages (id),
  depth         integer not null check (depth >= 1),
  turn          integer not null check (turn >= 0),
  admission_id  integer, -- no foreign key: a deleted conversation's queue goes before nodes a branch still shows
  role          text not null check (role in ('user', 'assistant', 'tool', 'summary', 'note')),
  parts         text not null check (json_valid(parts)),
  text          text not null,
  provider      text,
  model         text,
  finish_reason text,
  usage         text check (json_valid(usage)),
  created_at    integer not null,
  live          integer not null default 1 check (live in (0, 1)),
  check ((parent_id is null) = (depth = 1))
) strict;
create index messages_by_parent    on messages (parent_id) where parent_id is not null;
create index messages_by_session   on messages (session_id, id);
create index messages_roots        on messages (session_id) where parent_id is null;
create index messages_by_admission on messages (admission_id) where admission_id is not null;

create table blobs (
  hash       text primary key,
  bytes      integer not null check (bytes >= 0),
  encoding   text not null check (encoding in ('raw', 'deflate')),
  content    blob not null,
  created_at integer not null
) strict, without rowid;

create table blob_refs (
  hash       text not null references blobs (hash),
  message_id integer references messages (id),
  change_id  integer references file_changes (id),
  revert_id  integer references file_reverts (id),
  admission_id integer references admissions (seq),
  check ((message_id is not null) + (change_id is not null) + (revert_id is not null) + (admission_id is not null) = 1)
) strict;
create index blob_refs_by_hash      on blob_refs (hash);
create index blob_refs_by_message   on blob_refs (message_id) where message_id is not null;
create index blob_refs_by_change    on blob_refs (change_id) where change_id is not null;
create index blob_refs_by_revert    on blob_refs (revert_id) where revert_id is not null;
create index blob_refs_by_admission on blob_refs (admission_id) where admission_id is not null;

create table turn_envelopes (
  hash text primary key,
  json text not null check (json_valid(json))
) strict, without rowid;

create table admissions (
  seq               integer primary key autoincrement,
  request_id        text not null check (length(request_id) between 1 and 1024),
  principal         text not null default 'local',
  conversation_id   text not null,
  session_id        text not null references sessions (id),
  kind              text not null check (kind in ('prompt', 'retry', 'loop', 'shell', 'compact', 'steer')),
  payload           text not null check (json_valid(payload)),
  digest            text not null,
  summary           text not null,
  position          integer not null,
  held              text,
  status            text not null check (status in ('queued', 'started', 'unknown', 'terminal')),
  outcome           text check (outcome in ('completed', 'interrupted', 'failed', 'rejected', 'cancelled', 'steered')),
  submitter         text not null check (json_valid(submitter)),
  owner             text,
  epoch             integer,
  ledger_generation integer not null,
  base_head_id      integer,
  envelope_hash     text references turn_envelopes (hash),
  user_message_id   integer references messages (id),
  last_message_id   integer references messages (id),
  taken_by          integer references admissions (seq),
  attempts          integer not null default 0,
  error             text check (json_valid(error)),
  usage             text check (json_valid(usage)),
  queued_at         integer not null,
  started_at        integer,
  settled_at        integer,
  unique (principal, request_id),
  check ((status = 'terminal') = (outcome is not null)),
  check ((status = 'terminal') = (settled_at is not null)),
  check (status <> 'started' or (owner is not null and epoch is not null and started_at is not null)),
  check (status not in ('started', 'unknown') or kind not in ('prompt', 'retry', 'loop', 'shell')
    or user_message_id is not null),
  check ((kind = 'shell') = (json_extract(payload, '$.prompt[1].kind') is 'shell')),
  check ((outcome is 'steered') = (taken_by is not null)),
  check (outcome is not 'completed' or last_message_id is not null)
) strict;
create unique index admissions_one_started on admissions (conversation_id) where status = 'started';
create index admissions_open       on admissions (conversation_id, status, position) where status <> 'terminal';
create index admissions_by_session on admissions (session_id);
create index admissions_of_conversation on admissions (conversation_id, seq desc);
create index admissions_by_user    on admissions (user_message_id) where user_message_id is not null;
create index admissions_by_last    on admissions (last_message_id) where last_message_id is not null;
create index admissions_by_taker   on admissions (taken_by) where taken_by is not null;

create table request_tombstones (
  principal  text not null,
  request_id text not null,
  digest     text not null,
  outcome    text,
  primary key (principal, request_id)
) strict, without rowid;

create table tool_calls (
  id                integer primary key autoincrement,
  message_id        integer not null references messages (id),
  admission_id      integer not null,
  call_id           text not null,
  tool              text not null,
  input             text not null check (json_valid(input)),
  effect            text not null check (effect in ('none', 'idempotent', 'reversible', 'external')),
  effect_key        text not null unique,
  state             text not null check (state in
    ('proposed', 'approved', 'running', 'succeeded', 'failed', 'cancelled', 'denied', 'skipped', 'unknown')),
  approval          text,
  attempts          integer not null default 0,
  process           text check (json_valid(process)),
  spool             text,
  started_at        integer,
  finished_at       integer,
  evidence          text,
  result_message_id integer unique references messages (id),
  unique (message_id, call_id),
  check (state not in ('succeeded', 'failed', 'cancelled', 'denied', 'skipped') or result_message_id is not null),
  check (result_message_id is null or state not in ('proposed', 'approved', 'running')),
  check (state <> 'unknown' or attempts > 0),
  check (state <> 'running' or (process is not null and started_at is not null))
) strict;
create index tool_calls_by_admission on tool_calls (admission_id);

create table file_changes (
  id           integer primary key autoincrement,
  tool_call_id integer not null references tool_calls (id),
  path         text not null,
  kind         text not null check (kind in ('created', 'modified', 'deleted')),
  hash_before  text,
  mode_before  integer,
  hash_after   text,
  mode_after   integer,
  origin       text not null check (origin in ('recorded', 'suspected')),
  restorable   integer not null check (restorable in (0, 1)),
  created_at   integer not null
) strict;
create index file_changes_by_call on file_changes (tool_call_id);

create table head_moves (
  id         integer primary key autoincrement,
  session_id text not null references sessions (id),
  kind       text not null check (kind in ('undo', 'redo', 'branch', 'compact', 'recover')),
  from_id    integer references messages (id),
  to_id      integer references messages (id),
  request_id text,
  at         integer not null,
  redone_at  integer,
  redoable   integer not null check (redoable in (0, 1)),
  check (redoable = 0 or (kind = 'undo' and redone_at is null))
) strict;
create index head_moves_redoable   on head_moves (session_id, id desc) where redoable = 1;
create index head_moves_by_session on head_moves (session_id);
create index head_moves_by_from    on head_moves (from_id) where from_id is not null;
create index head_moves_by_to      on head_moves (to_id) where to_id is not null;

create table file_reverts (
  id             integer primary key autoincrement,
  conversation_id text not null, -- that asked; a branch may show calls of another one
  head_move_id   integer references head_moves (id),
  request_id     text,
  file_change_id integer not null references file_changes (id),
  direction      text not null check (direction in ('undo', 'redo')),
  hash_expected  text,
  mode_expected  integer,
  hash_to_write  text,
  mode_to_write  integer,
  state          text not null check (state in ('planned', 'done', 'conflict')),
  check ((hash_to_write is null) = (mode_to_write is null)),
  check ((head_move_id is null) <> (request_id is null))
) strict;
create index file_reverts_by_move   on file_reverts (head_move_id) where head_move_id is not null;
create index file_reverts_by_request on file_reverts (request_id) where request_id is not null;
create index file_reverts_by_change on file_reverts (file_change_id);
create index file_reverts_of_conversation on file_reverts (conversation_id);
create index file_reverts_planned   on file_reverts (state, conversation_id) where state = 'planned';

create table model_requests (
  admission_id integer not null references admissions (seq),
  n            integer not null check (n >= 1),
  parent_id    integer references messages (id),
  digest       text not null,
  state        text not null check (state in ('asked', 'answered', 'failed')),
  usage        text check (json_valid(usage)),
  asked_at     integer not null,
  primary key (admission_id, n)
) strict, without rowid;
create index model_requests_by_parent on model_requests (parent_id) where parent_id is not null;

create table turn_leases (
  conversation_id text primary key,
  holder          text,
  process         text check (json_valid(process)),
  epoch           integer not null check (epoch >= 0),
  acquired_at     integer,
  expires_at      integer,
  check ((holder is null) = (process is null)),
  check ((holder is null) = (expires_at is null))
) strict, without rowid;

create table compression_locks (
  conversation_id text primary key,
  holder          text not null,
  process         text not null check (json_valid(process)),
  attempt_id      text not null,
  acquired_at     integer not null,
  expires_at      integer not null
) strict, without rowid;

create table deliveries (
  message_id   integer not null references messages (id),
  channel      text not null,
  delivered_at integer not null,
  primary key (message_id, channel)
) strict, without rowid;

create table drafts (
  conversation_id text not null,
  kind            text not null check (kind in ('composer', 'answer')),
  window          text not null,
  text            text not null,
  admission_id    integer references admissions (seq),
  parent_id       integer references messages (id),
  epoch           integer,
  updated_at      integer not null,
  primary key (conversation_id, kind, window)
) strict, without rowid;
create index drafts_by_admission on drafts (admission_id) where admission_id is not null;
create index drafts_by_parent    on drafts (parent_id) where parent_id is not null;

create table loops (
  id              text primary key,
  conversation_id text not null,
  schedule        text not null check (json_valid(schedule)),
  state           text not null check (state in ('active', 'paused', 'done', 'stopped')),
  runner          text check (json_valid(runner)),
  next_slot       integer not null check (next_slot >= 0),
  next_due_at     integer,
  detail          text not null check (json_valid(detail)),
  created_at      integer not null,
  updated_at      integer not null
) strict, without rowid;
create unique index loops_one_a_conversation on loops (conversation_id) where state in ('active', 'paused');
create index loops_of_conversation on loops (conversation_id, created_at desc);

create table loop_ticks (
  loop_id      text not null references loops (id),
  slot         integer not null check (slot >= 0),
  admission_id integer unique references admissions (seq),
  due_at       integer not null,
  fired_at     integer,
  outcome      text,
  digest       text,
  primary key (loop_id, slot)
) strict, without rowid;

create table model_usage (
  session_id text not null references sessions (id),
  provider   text not null,
  model      text not null,
  task       text not null default '',
  day        text not null default '', -- of the writer's clock, 2026-11-30
  calls              integer not null default 0,
  input_tokens       integer not null default 0,
  output_tokens      integer not null default 0,
  cache_read_tokens  integer not null default 0,
  cache_write_tokens integer not null default 0,
  reasoning_tokens   integer not null default 0,
  cost_usd           real,
  primary key (session_id, provider, model, task, day)
) strict, without rowid;
create index model_usage_by_day on model_usage (day);
`;

export const FTS_TOKENIZER = "unicode61 remove_diacritics 2";

// 'secure-delete': a deleted word leaves the index at once instead of being marked as gone until segments are merged.
// The index follows the transcript from behind: only ids up to the watermark are in it, so an append never
// pays for it. The source view ends at the watermark too, which makes FTS5's own integrity check exact.
const SEARCH = `
create view messages_fts_src as
  select id, text from messages
  where id <= (select cast(value as integer) from state_meta where key = 'fts_watermark');
create virtual table messages_fts using fts5 (
  text, content = 'messages_fts_src', content_rowid = 'id', tokenize = '${FTS_TOKENIZER}');
insert into messages_fts (messages_fts, rank) values ('secure-delete', 1);
create virtual table messages_fts_trigram using fts5 (
  text, content = 'messages_fts_src', content_rowid = 'id', tokenize = 'trigram');
create trigger messages_fts_delete before delete on messages
  when old.id <= (select cast(value as integer) from state_meta where key = 'fts_watermark')
begin
  insert into messages_fts (messages_fts, rowid, text) values ('delete', old.id, old.text);
end;
`;

const edges = (pairs: readonly string[]) => pairs.map((pair) => `'${pair}'`).join(", ");

/** ledger.md §5. A steer that came too late changes its kind, not its status. */
const ADMISSION_EDGES = [
  "queued>started",
  "queued>terminal",
  "started>terminal",
  "started>unknown",
  "unknown>started",
  "unknown>terminal",
];

/**
 * ledger.md §7, and `approved>skipped`: allowed, but the turn ended before it was started; `approved>unknown`: it was to
 * be run again, the turn ended before that, and nobody knows of the first time.
 */
const CALL_EDGES = [
  "proposed>approved",
  "proposed>denied",
  "proposed>skipped",
  "approved>running",
  "approved>skipped",
  "approved>unknown",
  "running>succeeded",
  "running>failed",
  "running>cancelled",
  "running>unknown",
  "running>approved",
  "unknown>approved",
  "unknown>succeeded",
  "unknown>failed",
  "unknown>cancelled",
];

const TRIGGERS = `
create trigger messages_extend_parent before insert on messages when new.parent_id is not null
begin
  select raise(abort, 'messages: parent must be one above, older, and written before')
  where not exists (
    select 1 from messages p
    where p.id = new.parent_id and p.depth = new.depth - 1 and p.created_at < new.created_at
      and new.turn between p.turn and p.turn + 1);
end;
create trigger messages_immutable before update of
  id, hash, session_id, parent_id, depth, turn, admission_id, role, parts, text, provider, model,
  finish_reason, usage, created_at on messages
begin
  select raise(abort, 'messages: a stored message never changes');
end;
create trigger messages_kept before delete on messages
  when not exists (select 1 from state_meta where key = 'purge:' || old.session_id)
begin
  select raise(abort, 'messages: deleted only by a purge');
end;
create trigger admissions_edges before update of status on admissions
  when old.status <> new.status and old.status || '>' || new.status not in (${edges(ADMISSION_EDGES)})
begin
  select raise(abort, 'admissions: no such edge');
end;
create trigger admissions_from_queued before update of outcome on admissions
  when (old.status = 'queued' and new.outcome not in ('cancelled', 'steered'))
    or (old.status = 'started' and new.outcome not in ('completed', 'interrupted', 'failed', 'rejected'))
    or (old.status = 'unknown' and new.outcome not in ('interrupted', 'failed'))
    or (old.status = 'terminal' and new.outcome is not old.outcome)
begin
  select raise(abort, 'admissions: no such outcome from here');
end;
create trigger admissions_same_request before update of request_id, principal, digest, payload, queued_at on admissions
begin
  select raise(abort, 'admissions: what was asked never changes');
end;
create trigger admissions_begin_queued before insert on admissions when new.status <> 'queued'
begin
  select raise(abort, 'admissions: begin as queued');
end;
create trigger tool_calls_begin_proposed before insert on tool_calls when new.state <> 'proposed'
begin
  select raise(abort, 'tool_calls: begin as proposed');
end;
create trigger tool_calls_of_who_asked before insert on tool_calls
begin
  select raise(abort, 'tool_calls: a model asks in its answer, a person once, in the message of a shell turn')
  where not exists (
    select 1 from admissions a join messages m on m.id = new.message_id where a.seq = new.admission_id
      and case a.kind when 'shell'
        then m.id = a.user_message_id and not exists (select 1 from tool_calls c where c.admission_id = a.seq)
        else m.role = 'assistant' end);
end;
create trigger tool_calls_edges before update of state on tool_calls
  when old.state <> new.state and old.state || '>' || new.state not in (${edges(CALL_EDGES)})
begin
  select raise(abort, 'tool_calls: no such edge');
end;
create trigger tool_calls_one_result before update of result_message_id on tool_calls
  when old.result_message_id is not null and new.result_message_id is not old.result_message_id
begin
  select raise(abort, 'tool_calls: a result is final');
end;
create trigger turn_leases_kept before delete on turn_leases
begin
  select raise(abort, 'turn_leases: rows are kept, the epoch must not start again');
end;
create trigger turn_leases_epoch before update of epoch on turn_leases when new.epoch < old.epoch
begin
  select raise(abort, 'turn_leases: an epoch never falls');
end;
`;

export const SCHEMA = TABLES + SEARCH + TRIGGERS;
