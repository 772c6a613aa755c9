// Old big results are left out of what a model is sent before any summary is made. The rule is a pure function of path
// and window, so that a turn that a crash cut off sends the same request again; and it moves in steps of a fifth of the
// window, so that between two steps the beginning of the request stays the same and can be cached.
//
// Above three fifths of the window, every result of 1,000 tokens or more whose end lies a fifth of the window or more
// before the last step gives way to its first and last characters and a sentence. What is stored does not change.
import type { Message, Part, ToolResultPart } from "../ledger/types.ts";
import { estimateMessage, estimatePart } from "./tokens.ts";

/** In parts of the window. */
const FROM = 0.6;
const STEP = 0.2;
const RECENT = 0.2;
/** In tokens; a smaller result is worth more than its room. */
const LEAST_TOKENS = 1_000;
/** Characters of each end that stay. */
const EDGE = 300;

/** `path` as a model is sent it, oldest first. Without a known window nothing is left out. */
export function stubOldResults(path: readonly Message[], window: number | undefined): readonly Message[] {
  const total = path.reduce((sum, message) => sum + estimateMessage(message), 0);
  if (window === undefined || total <= FROM * window) return path;
  const step = Math.ceil((total - FROM * window) / (STEP * window));
  const upTo = (FROM + (step - 1) * STEP - RECENT) * window;
  let passed = 0;
  return path.map((message) => {
    passed += estimateMessage(message);
    return message.role === "tool" && passed <= upTo ? withStubs(message) : message;
  });
}

function withStubs(message: Message): Message {
  return { ...message, parts: message.parts.map((part) => (isBig(part) ? stub(part) : part)) };
}

function isBig(part: Part): part is ToolResultPart {
  return part.kind === "tool-result" && estimatePart(part) >= LEAST_TOKENS;
}

function stub(part: ToolResultPart): ToolResultPart {
  const output = part.outcome.output ?? "";
  const left = Buffer.byteLength(output) - 2 * EDGE;
  const words = `[about ${left} bytes of this output are left out here, to save room; ask again for what you need of it]`;
  const [first, last] = [output.slice(0, EDGE).toWellFormed(), output.slice(-EDGE).toWellFormed()];
  return { ...part, outcome: { ...part.outcome, output: `${first}\n${words}\n${last}` } };
}
