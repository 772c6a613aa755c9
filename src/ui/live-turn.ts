// The turn that runs, pure: the answer as it streams and the calls that have no result yet. What is finished
// leaves it as blocks; each line of an answer leaves once, whether it came by delta or with the stored message.
import { overprint } from "../agent/spool/overprint.ts";
import type { AdmissionId, Message, ToolCall } from "../ledger/types.ts";
import { type AnswerStream, endAnswer, openAnswer, pushAnswer, type Streamed } from "./answer-stream.ts";
import { answerText, type Block, endingBlocks, madeCall, messageBlocks, note, resultBlocks, thought } from "./block.ts";
import type { LiveCompaction } from "./compaction-words.ts";
import { faultWords, type RetryWait } from "./retry-words.ts";

export interface LiveTurn {
  readonly admission: AdmissionId;
  /** In ms of the screen's clock. */
  readonly since: number;
  readonly isStopping: boolean;
  readonly answer: AnswerStream;
  /** Characters of reasoning since the last message. */
  readonly thought: number;
  readonly calls: readonly LiveCall[];
  /** Its request failed and waits to be made again; until something comes. */
  readonly retry?: RetryWait;
  /** What came before is being summed up. */
  readonly compaction?: LiveCompaction;
  /** Something of it is on the screen that no message or call holds yet. */
  readonly isProvisional: boolean;
}

export interface LiveCall {
  readonly call: ToolCall;
  /** The end of what it printed so far, raw but for what it wrote over: see `overprint`. */
  readonly output: string;
}

interface Progress {
  readonly turn: LiveTurn;
  readonly blocks: readonly Block[];
}

const maxOutput = 4_000;

export function openTurn(admission: AdmissionId, since: number): LiveTurn {
  return { admission, since, isStopping: false, answer: openAnswer, thought: 0, calls: [], isProvisional: false };
}

export function addDelta(turn: LiveTurn, delta: string, width: number): Progress {
  if (delta === "") return { turn, blocks: [] };
  const streamed = pushAnswer(turn.answer, delta, width);
  const before = turn.answer.text === "" && turn.thought > 0 ? [thought(turn.thought)] : [];
  return {
    turn: { ...turn, answer: streamed.stream, isProvisional: true },
    blocks: [...before, ...lineBlocks(streamed)],
  };
}

/** Nothing of the answer so far will be kept: it is marked, and the next one begins on a line of its own. */
export function waitForRetry(turn: LiveTurn, retry: RetryWait): Progress {
  const blocks = endTurn(turn, note(`not kept: ${faultWords(retry.error)}, asked again`, "warning"));
  return { turn: settleProvisional({ ...turn, answer: openAnswer, thought: 0, retry }), blocks };
}

export function withoutCompaction(turn: LiveTurn): LiveTurn {
  const { compaction: _, ...rest } = turn;
  return rest;
}

export function withoutRetry(turn: LiveTurn): LiveTurn {
  if (!turn.retry) return turn;
  const { retry: _, ...rest } = turn;
  return rest;
}

export function addThought(turn: LiveTurn, delta: string): LiveTurn {
  return { ...turn, thought: turn.thought + delta.length, isProvisional: true };
}

export function withCall(turn: LiveTurn, call: ToolCall): LiveTurn {
  const known = turn.calls.find((each) => each.call.id === call.id);
  const others = turn.calls.filter((each) => each !== known);
  const calls = known
    ? turn.calls.map((each) => (each === known ? { ...each, call } : each))
    : [...others, { call, output: "" }];
  return settleProvisional({ ...turn, calls });
}

export function withOutput(turn: LiveTurn, id: string, chunk: string): LiveTurn {
  const at = turn.calls.findLastIndex(({ call }) => call.call === id);
  if (at === -1) return turn;
  const calls = turn.calls.map((each, index) =>
    index === at ? { ...each, output: overprint(each.output, chunk).slice(-maxOutput) } : each,
  );
  return { ...turn, calls, isProvisional: true };
}

/** A stored message: what of it is not on the screen yet. */
export function finishMessage(turn: LiveTurn, message: Message): Progress {
  if (message.role === "assistant") return finishAnswer(turn, message);
  if (message.role === "note") return finishNote(turn, message);
  if (message.role !== "tool") return { turn, blocks: messageBlocks(message, () => undefined) };
  const own = turn.calls.find(({ call }) => call.result === message.id);
  const blocks = resultBlocks(message, (part) => {
    const found = own ?? turn.calls.findLast(({ call }) => call.call === part.call);
    return found && madeCall(found.call);
  });
  const ended = new Set(message.parts.map((part) => (part.kind === "tool-result" ? part.call : undefined)));
  const calls = turn.calls.filter((each) => (own ? each !== own : !ended.has(each.call.call)));
  return { turn: settleProvisional({ ...turn, calls }), blocks };
}

function finishAnswer(turn: LiveTurn, message: Message): Progress {
  const clean: LiveTurn = settleProvisional({ ...turn, answer: openAnswer, thought: 0 });
  if (turn.answer.text === "") return { turn: clean, blocks: messageBlocks(message, () => undefined) };
  const end = endAnswer(turn.answer, answerText(message.parts));
  const began = end.differs && turn.answer.hasPrinted ? [note("this is what was stored:", "warning")] : [];
  return { turn: clean, blocks: [...began, ...lineBlocks(end), ...endingBlocks(message)] };
}

/** A note about an answer that broke off: what was streamed of it comes first, and no message will hold it. */
function finishNote(turn: LiveTurn, message: Message): Progress {
  const blocks = [...endTurn(turn), ...messageBlocks(message, () => undefined)];
  return { turn: settleProvisional({ ...turn, answer: openAnswer, thought: 0 }), blocks };
}

/** No message holds what was streamed: it is shown as far as it came, and marked. */
export function endTurn({ answer }: LiveTurn, mark: Block = note("not kept")): readonly Block[] {
  if (answer.text.trim() === "") return [];
  return [...lineBlocks(endAnswer(answer)), mark];
}

function settleProvisional(turn: LiveTurn): LiveTurn {
  const isRunning = turn.calls.some(({ call, output }) => output !== "" && call.state === "running");
  return { ...turn, isProvisional: turn.answer.text !== "" || turn.thought > 0 || isRunning };
}

function lineBlocks({ lines }: Pick<Streamed, "lines">): readonly Block[] {
  return lines.length === 0 ? [] : [{ kind: "answer", lines }];
}
