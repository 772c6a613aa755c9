// Turns with calls that change files, and the contents they change: no file is touched, the ledger only hears of it.

import type { FileImage, FileSide, NewChange } from "../../src/ledger/file-changes.ts";
import { sha256 } from "../../src/ledger/ids.ts";
import type { SessionDB } from "../../src/ledger/session-db.ts";
import type { Approval } from "../../src/ledger/tool-calls.ts";
import type { CallId, FileChange, Message, Session, ToolCall } from "../../src/ledger/types.ts";
import { prompt, type StartedTurn, startTurn } from "./ledger.ts";

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

export function side(content: string | Uint8Array, mode = 0o644): FileSide & { readonly bytes: Uint8Array } {
  const bytes = typeof content === "string" ? bytesOf(content) : content;
  return { hash: sha256(bytes), mode, bytes };
}

export function image(content: string, mode = 0o644): FileImage {
  return { bytes: bytesOf(content), mode };
}

/** One side without its bytes, as of a file that is too big or secret. */
export function hashOnly(content: string, mode = 0o600): FileSide {
  return { hash: sha256(content), mode };
}

export const edit = (path: string, before: string, after: string): NewChange => ({
  path,
  before: side(before),
  after: side(after),
});

export interface CallingTurn extends StartedTurn {
  readonly asking: Message;
  /** All of them run. */
  readonly calls: readonly ToolCall[];
}

/** A turn whose answer asks for `names`, each of which is allowed and started. */
export function startCalls(
  db: SessionDB,
  session: Session,
  { names = ["c"], effect = "reversible", cwd, approval = "mode" }: Partial<StartOptions> = {},
): CallingTurn {
  const started = startTurn(db, session, prompt("change it", cwd));
  const asked = names.map((call) => ({ call, tool: "edit_file", input: { call } }) as const);
  const parts = asked.map((each) => ({ kind: "tool-call", ...each }) as const);
  const message = { parent: started.message.id, role: "assistant", parts, at: Date.now() } as const;
  const proposed = asked.map((each) => ({ ...each, effect }) as const);
  const appended = db.append(started.turn, message, proposed);
  const calls = appended.calls.map(({ id }) => {
    db.approveCall(started.turn, id, approval);
    return db.startCall(started.turn, id, `/spool/${id}`);
  });
  return { ...started, asking: appended.message, calls };
}

interface StartOptions {
  readonly names: readonly string[];
  readonly effect: ToolCall["effect"];
  readonly approval: Approval;
  /** Of the turn. */
  readonly cwd: string;
}

export function onlyCall({ calls }: Pick<CallingTurn, "calls">): CallId {
  const [call] = calls;
  if (!call) throw new Error("no call was stored");
  return call.id;
}

export function endTurn(db: SessionDB, { turn, lease, calls }: CallingTurn): void {
  for (const { id } of calls)
    db.finishCall(turn, { id, end: "succeeded", outcome: { kind: "ok", output: "done" }, at: Date.now() });
  db.settle(turn, { outcome: "interrupted", at: Date.now() });
  db.releaseLease(lease);
}

/** A whole turn that makes these changes by one call. */
export function changeFiles(
  db: SessionDB,
  session: Session,
  changes: readonly NewChange[],
  { cwd }: Partial<StartOptions> = {},
): { readonly asking: Message; readonly changes: readonly FileChange[] } {
  const started = startCalls(db, session, cwd === undefined ? {} : { cwd });
  const stored = changes.flatMap((change) => db.planChange(started.turn, onlyCall(started), change));
  endTurn(db, started);
  return { asking: started.asking, changes: stored };
}
