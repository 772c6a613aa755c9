// What must never be found. Each check compares what was told or what is in the world with what the ledger says.
import { isDeepStrictEqual } from "node:util";
import { SessionDB } from "../../src/ledger/session-db.ts";
import type { AdmissionId, CallId, MessageId, ToolCall } from "../../src/ledger/types.ts";
import { jsonLine } from "../../src/ui/printer.ts";
import type { Line } from "./driver.ts";
import { type Look, openTurns, type SeenCall } from "./look.ts";
import type { World } from "./world.ts";

export const COUNTS = [
  "told but not stored",
  "calls run twice",
  "effects that the ledger has wrong",
  "files in neither state",
  "answers without their outcome",
  "open calls after settle",
  "requests changed by a crash",
  "turns taken from their owner",
  "violations of verify()",
] as const;
export type Count = (typeof COUNTS)[number];

export interface Finding {
  readonly count: Count;
  readonly what: string;
}

/** Right after a kill: nobody has mended anything yet. */
export function findAfterKill(look: Look, world: World): Finding[] {
  const strange = world.strangeFiles().map((what) => found("files in neither state", `after a kill ${what}`));
  const half = look.turns.filter((turn) => turn.answered === 1 && turn.status !== "terminal");
  return [
    ...strange,
    ...half.map(({ id, status }) =>
      found("answers without their outcome", `turn ${id} has its answer and is ${status}`),
    ),
  ];
}

/** At the end: everything is settled, and nothing runs any more. */
export function findAtEnd(given: {
  readonly look: Look;
  readonly world: World;
  readonly lines: readonly Line[];
  readonly ledger: string;
  /** How often each command may have run, where it is not once. */
  readonly allowed: ReadonlyMap<string, number>;
  /** Undo takes files back too. */
  readonly undoesFiles: boolean;
  /** Recovery was asked until nothing was open. */
  readonly isWhole: boolean;
}): Finding[] {
  const { look, world, lines, ledger, allowed, undoesFiles, isWhole } = given;
  return [
    ...findInLedger(ledger, lines),
    ...findInEffects(look, world, allowed),
    ...findInFiles(look, world, undoesFiles && isWhole),
    ...(isWhole ? findOpen(look) : []),
  ];
}

function found(count: Count, what: string): Finding {
  return { count, what };
}

function findInLedger(ledger: string, lines: readonly Line[]): Finding[] {
  const db = new SessionDB({ path: ledger, program: "soak" });
  try {
    const violations = db.verify({ full: true });
    return [
      ...lines.flatMap((line) => lostOf(db, line).map((what) => found("told but not stored", what))),
      ...violations.map(({ invariant, detail }) => found("violations of verify()", `${invariant}: ${detail}`)),
    ];
  } finally {
    db.close();
  }
}

/** What a printed line told and the ledger does not have. */
function lostOf(db: SessionDB, line: Line): string[] {
  switch (line["type"]) {
    case "message-added": {
      const { id, role, parts } = line["message"] as { id: MessageId; role: string; parts: unknown };
      const stored = db.message(id);
      if (stored?.role !== role) return [`message ${id} is not there`];
      return isDeepStrictEqual(JSON.parse(jsonLine(stored.parts)), parts) ? [] : [`message ${id} is another one`];
    }
    case "call-changed":
      return lostCall(db, line["call"] as { id: CallId; state: ToolCall["state"] });
    case "turn-settled":
      return lostTurn(db, line as unknown as ToldTurn);
    default:
      return lostOfCommand(db, line);
  }
}

interface ToldTurn {
  readonly admission: AdmissionId;
  readonly outcome: string;
}

/** What `recover` says of its verbs has no type; it names a turn and its outcome, or a call and its state. */
function lostOfCommand(db: SessionDB, line: Line): string[] {
  const { admission, outcome, call, state } = line;
  if (typeof admission === "number" && typeof outcome === "string")
    return lostTurn(db, { admission: admission as AdmissionId, outcome });
  if (typeof call === "number") return lostCall(db, { id: call as CallId, state: state as ToolCall["state"] });
  return [];
}

function lostTurn(db: SessionDB, { admission, outcome }: ToldTurn): string[] {
  const stored = ifThere(() => db.admission(admission))?.outcome;
  return stored === outcome ? [] : [`turn ${admission} was told ${outcome} and is ${stored}`];
}

function lostCall(db: SessionDB, { id, state }: { id: CallId; state: ToolCall["state"] }): string[] {
  const stored = ifThere(() => db.call(id))?.state;
  return stored !== undefined && isAsFar(stored, state) ? [] : [`call ${id} was told ${state} and is ${stored}`];
}

function ifThere<Row>(read: () => Row): Row | undefined {
  try {
    return read();
  } catch {
    return undefined; // its row is not there
  }
}

const ON_ITS_WAY: readonly string[] = ["proposed", "approved", "running"];

/** An end is final, but for unknown; running it again takes a call one step back, which a person has to say. */
function isAsFar(stored: ToolCall["state"], told: ToolCall["state"]): boolean {
  const [now, then] = [ON_ITS_WAY.indexOf(stored), ON_ITS_WAY.indexOf(told)];
  if (then === -1) return stored === told || told === "unknown";
  return now === -1 || now >= Math.min(then, 1);
}

function findInEffects({ calls }: Look, world: World, allowed: ReadonlyMap<string, number>): Finding[] {
  return calls
    .filter(({ tool }) => tool === "shell")
    .flatMap((call) => {
      const times = world.effects(call.call);
      const limit = allowed.get(call.call) ?? 1;
      const wrong = wrongWord(call, times);
      return [
        ...(times > limit && limit > 0 ? [found("calls run twice", `call ${call.call} ran ${times} times`)] : []),
        ...(times > limit && limit === 0
          ? [found("effects that the ledger has wrong", `call ${call.call} ran after it was said not to have`)]
          : []),
        ...(wrong ? [found("effects that the ledger has wrong", wrong)] : []),
      ];
    });
}

function wrongWord({ call, state, evidence }: SeenCall, times: number): string | undefined {
  if (times > 0 && (state === "skipped" || state === "denied")) return `call ${call} is ${state} and ran`;
  if (times > 0 && state === "cancelled" && /never started|not start/.test(evidence ?? ""))
    return `call ${call} is said never to have started and ran`;
  if (times === 0 && state === "succeeded") return `call ${call} is said to have succeeded and did not run`;
  return undefined;
}

function findInFiles({ calls }: Look, world: World, undoesFiles: boolean): Finding[] {
  const strange = world.strangeFiles();
  if (strange.length > 0 || !undoesFiles) return strange.map((what) => found("files in neither state", what));
  const edits = calls
    .filter(
      ({ live, effect, state }) =>
        live === 1 && effect === "reversible" && (state === "succeeded" || state === "unknown"),
    )
    .map(({ call, state }) => ({ call, undecided: state === "unknown" }));
  return [...world.expected(edits)]
    .filter(([name, contents]) => !contents.has(world.read(name)))
    .map(([name]) => found("files in neither state", `${name} is not what the ledger says of it`));
}

function findOpen(look: Look): Finding[] {
  const open = new Set(openTurns(look).map(({ id }) => id));
  return [
    ...look.calls
      .filter(({ turn, result }) => result === null && !open.has(turn))
      .map(({ call, state }) => found("open calls after settle", `call ${call} is ${state} and its turn is over`)),
    ...[...open].map((id) => found("open calls after settle", `turn ${id} could not be settled`)),
    ...(look.plannedReverts > 0 ? [found("files in neither state", `${look.plannedReverts} planned reverts`)] : []),
  ];
}
