// What the model of a run says: turns made before they are asked for, each a few answers with calls and a last one
// without. Which answer comes next is read off the request, so a turn that goes on after a crash goes on in the script.
import type { ChatBody, ModelReply, ScriptedCall, StreamReply } from "../helpers/model-server.ts";
import { type Random, seeded } from "./random.ts";
import { effectCommand, type World } from "./world.ts";

/** One answer. */
export interface Step {
  readonly calls: readonly ScriptedCall[];
}

export interface Turn {
  readonly prompt: string;
  readonly steps: readonly Step[];
}

/** What the answers of a turn ask for, one after the other. */
export type StepKind = "command" | "long-command" | "edit" | "create" | "overwrite" | "edit-and-command";

export class Script {
  readonly #world: World;
  readonly #random: Random;
  /** Of its own: requests come when they come, and shall not change what is decided after them. */
  readonly #pace: Random;
  readonly #turns: Turn[] = [];
  readonly #requests = new Map<string, string>();
  readonly #changed: string[] = [];
  readonly #waiting = new Set<() => void>();
  #finals = 0;

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
    this.#pace = seeded(random.below(2 ** 31));
  }

  /** How many last answers were sent to their end. */
  get finals(): number {
    return this.#finals;
  }

  /** Answers that were asked for twice, and not with the same request. */
  get changedRequests(): readonly string[] {
    return this.#changed;
  }

  /** Settles when the next last answer was sent to its end. */
  nextFinal(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  turn(kinds: readonly StepKind[]): Turn {
    const n = this.#turns.length + 1;
    const later = new Map<string, string>();
    const steps = kinds.map((kind, at) => this.#step(kind, `t${n}s${at}`, later));
    const turn = { prompt: `turn ${n}.`, steps };
    this.#turns.push(turn);
    return turn;
  }

  /** `sentWhole` settles when the client has all of it, or left. */
  reply(body: ChatBody, sentWhole: Promise<"early" | "whole">): ModelReply {
    const at = body.messages.findLastIndex(({ role, content }) => role === "user" && promptIn(content) !== undefined);
    const turn = this.#turns[(promptIn(body.messages[at]?.content) ?? 0) - 1];
    if (!turn) return { status: 400, body: { error: { message: "no prompt of the script is in the request" } } };
    const asked = body.messages.slice(at).filter((each) => each["tool_calls"] !== undefined).length;
    this.#compare(`answer ${asked} of ${turn.prompt}`, JSON.stringify(body));
    const step = turn.steps[asked];
    if (!step) void sentWhole.then((end) => end === "whole" && this.#sentFinal());
    return slowly(step ? { calls: step.calls } : {}, { name: `${turn.prompt}${asked}`, random: this.#pace });
  }

  #compare(name: string, request: string): void {
    const before = this.#requests.get(name);
    if (before !== undefined && before !== request) this.#changed.push(name);
    this.#requests.set(name, request);
  }

  #sentFinal(): void {
    this.#finals += 1;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  #step(kind: StepKind, id: string, later: Map<string, string>): Step {
    const random = this.#random;
    switch (kind) {
      case "command":
        return { calls: [command(`${id}c0`, random.between(20, 150))] };
      case "long-command":
        return { calls: [command(`${id}c0`, random.between(400, 800))] };
      case "edit":
        return { calls: [this.#edit(`${id}c0`, later)] };
      case "edit-and-command":
        return { calls: [this.#edit(`${id}c0`, later), command(`${id}c1`, random.between(20, 300))] };
      case "create":
        return { calls: [this.#write(`${id}c0`, `new-${id}.txt`, later)] };
      case "overwrite": {
        const name = this.#name();
        const read = { id: `${id}c0`, name: "read_file", arguments: { path: name } };
        return { calls: [read, this.#write(`${id}c1`, name, later)] };
      }
    }
  }

  #edit(id: string, later: Map<string, string>): ScriptedCall {
    const name = this.#name();
    const { from, to, after } = this.#world.planEdit(id, name, later.get(name));
    later.set(name, after);
    return { id, name: "edit_file", arguments: { path: name, old: from, new: to } };
  }

  #write(id: string, name: string, later: Map<string, string>): ScriptedCall {
    const { after } = this.#world.planWrite(id, name);
    later.set(name, after);
    return { id, name: "write_file", arguments: { path: name, content: after } };
  }

  #name(): string {
    return this.#random.pick(this.#world.names as [string, ...string[]]);
  }
}

function command(id: string, ms: number): ScriptedCall {
  return { id, name: "shell", arguments: { command: effectCommand(id, ms) } };
}

/** The newest prompt of the script in a user message; adjacent ones may have become one. */
function promptIn(content: unknown): number | undefined {
  const found = [...JSON.stringify(content ?? "").matchAll(/turn (\d+)\./g)].at(-1)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Text word by word, so that there is a time at which a kill hits streaming. */
function slowly(reply: StreamReply, { name, random }: { name: string; random: Random }): StreamReply {
  const pieces = Array.from({ length: random.between(4, 7) }, (_, at) => `${name} word ${at} `);
  const gap = random.between(8, 35);
  const faults = pieces.map(
    (_, at) => ({ kind: "hold", after: at, until: new Promise((done) => setTimeout(done, at * gap)) }) as const,
  );
  return { ...reply, text: pieces, faults, usage: { prompt_tokens: 10, completion_tokens: pieces.length } };
}
