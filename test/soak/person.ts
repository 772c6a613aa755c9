// The person after a crash: reads what recovery lists, looks at the world, and decides. A word is only said after a
// look, so whatever the ledger makes of it is the program's doing.
import { commands, type Ended, type Verdict } from "./driver.ts";
import type { Run } from "./one-run.ts";

interface OpenCall {
  readonly id: number;
  readonly tool: string;
  readonly input: unknown;
  readonly state: string;
}

interface OpenTurn {
  readonly admission: number;
  readonly state: string;
  readonly calls: readonly OpenCall[];
}

const ROUNDS = 12;

export interface Manner {
  /** How long commands that run are waited for. */
  readonly quietMs?: number;
  /** How often a turn is gone on with, where all of it is decided. */
  readonly resumes?: number;
}

/** Until nothing is open any more. */
export async function recoverAll(run: Run, manner: Manner = {}): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const listed = await run.ask(commands.recover());
    const open = openOf(listed);
    if (open.length === 0) return;
    for (const turn of open) await decide(run, turn, manner);
  }
  throw new Error(`recovery asks again and again: ${JSON.stringify(openOf(await run.ask(commands.recover())))}`);
}

function openOf({ lines, err, code }: Ended): readonly OpenTurn[] {
  const open = lines[0]?.["open"] as readonly OpenTurn[] | undefined;
  if (!open) throw new Error(`stele recover exits ${code}: ${err}`);
  return open;
}

async function decide(run: Run, turn: OpenTurn, { quietMs, resumes = 0.6 }: Manner): Promise<void> {
  const { random } = run;
  await wait(run, turn, quietMs);
  if (random.chance((1 - resumes) / 2)) {
    await run.ask(commands.settle(turn.admission));
    return;
  }
  for (const call of turn.calls.filter(({ state }) => state === "unknown")) {
    const said = await run.ask(commands.call(call.id, verdictOf(run, call.id)));
    if (said.code !== 0) return; // something changed meanwhile: the next round reads it again
  }
  await run.ask(random.chance(resumes) ? commands.resume(turn.admission) : commands.settle(turn.admission));
}

/** For commands that outlived their stele: mostly until they end, sometimes they are stopped. */
async function wait(run: Run, turn: OpenTurn, quietMs: number | undefined): Promise<void> {
  const running = turn.calls.filter(({ state }) => state === "running");
  for (const call of running) {
    const word = run.random.chance(0.3) ? "stop" : "wait";
    await run.ask(commands.call(call.id, word));
  }
  await run.quiet(quietMs);
}

/** What the world says about an unknown call; what it denies is sometimes done again. */
export function verdictOf(run: Run, id: number): Verdict {
  const { random, world, allowed } = run;
  const call = run.look().calls.find((each) => each.id === id);
  if (!call) throw new Error(`there is no call ${id}`);
  const edit = world.editOf(call.call);
  const times = world.effects(call.call);
  const isDone = edit ? world.read(edit.name) === edit.after : times > 0;
  const verdict = isDone && random.chance(0.9) ? "happened" : isDone || random.chance(0.5) ? "again" : "not-happened";
  if (verdict === "again") allowed.set(call.call, times + 1);
  if (verdict === "not-happened") allowed.set(call.call, times);
  return verdict;
}
