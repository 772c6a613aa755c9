// What happens in a run: one act for each class of moments. Each ends with a conversation in which nothing is open.
import { commands, pause } from "./driver.ts";
import { openTurns } from "./look.ts";
import { isRunning, isStreaming, moments } from "./moments.ts";
import type { Run } from "./one-run.ts";
import { recoverAll, verdictOf } from "./person.ts";
import type { StepKind } from "./script.ts";

export const ACTS = {
  streaming: (run: Run) => killedTurn(run, ["command"], moments.streaming(run.random)),
  command: (run: Run) => killedTurn(run, ["long-command", "edit"], moments.command(run.random)),
  "file write": (run: Run) => killedTurn(run, ["edit", "create", "overwrite"], moments.fileWrite(run.random)),
  settle: killedSettles,
  any: (run: Run) => killedTurn(run, mixture(run), moments.any(run.random)),
  undo: killedUndo,
  recovery: killedRecovery,
  takeover,
} as const;
export type ActName = keyof typeof ACTS;

function mixture({ random }: Run): readonly StepKind[] {
  const kinds = ["command", "edit", "create", "overwrite", "edit-and-command", "long-command"] as const;
  return Array.from({ length: random.between(1, 3) }, () => random.pick(kinds));
}

async function killedTurn(run: Run, kinds: readonly StepKind[], moment: Parameters<Run["doom"]>[1]): Promise<void> {
  const isKilled = await run.doom(run.prompt(kinds), moment);
  if (isKilled && run.random.chance(0.25)) run.killCommands();
  await recoverAll(run);
  if (run.random.chance(0.4)) await goOn(run);
}

async function killedSettles(run: Run): Promise<void> {
  await killedTurn(run, ["edit"], moments.settle(run.random));
  await killedTurn(run, ["command"], moments.settle(run.random));
}

/** One more turn, so that it is seen to go on. */
async function goOn(run: Run): Promise<void> {
  const ended = await run.ask(run.prompt([run.random.pick(["edit", "command"])]));
  if (ended.code !== 0) throw new Error(`the conversation does not go on: exit ${ended.code}: ${ended.err}`);
}

async function killedUndo(run: Run): Promise<void> {
  await run.ask(run.prompt(["edit", "create", "edit"]));
  const { session, random } = run;
  if (session === undefined) throw new Error("no session was told");
  await doomedMove(run, commands.undo(session));
  if (random.chance(0.6)) {
    await recoverAll(run);
    await doomedMove(run, commands.redo(session));
  }
  await recoverAll(run);
  if (random.chance(0.4)) await goOn(run);
}

function doomedMove(run: Run, args: readonly string[]): Promise<boolean> {
  return run.doom(args, moments.undo(run.random, args));
}

async function killedRecovery(run: Run): Promise<void> {
  const { random } = run;
  const isStreamed = random.chance(0.3);
  const moment = isStreamed ? moments.streaming(random) : moments.command(random);
  await run.doom(run.prompt([isStreamed ? "edit" : "long-command", "edit"]), moment);
  if (random.chance(0.3)) run.killCommands();
  for (let left = random.between(2, 3); left > 0; left -= 1) {
    const args = recovering(run);
    await run.doom(args, moments.recovery(random, args));
  }
  await recoverAll(run);
}

/** Any of the commands that recover, with what is open now. */
function recovering(run: Run): readonly string[] {
  const { random } = run;
  const look = run.look();
  const turn = openTurns(look)[0];
  const unknown = look.calls.find(({ state, result }) => state === "unknown" && result === null);
  if (!turn) return commands.recover();
  const choices = [
    commands.recover(),
    commands.settle(turn.id),
    commands.resume(turn.id),
    ...(unknown ? [commands.call(unknown.id, verdictOf(run, unknown.id))] : []),
  ];
  return random.pick(choices as [string[], ...string[][]]);
}

/** A little more than the lease of the private copy. */
const LEASE_MS = 1_650;
/** An effect that a stopped process had set going is there by then. */
const EFFECT_MS = 400;
const EFFECT_POLL_MS = 10;
/** The first one may have been stopped inside of a write: then nobody can go on before it does. */
const PATIENCE_MS = 6_000;

/**
 * Two processes and one conversation: the first is stopped where it stands, past its lease; a person recovers and goes
 * on in a second one; then the first wakes up and believes that the turn is still its own.
 */
async function takeover(run: Run): Promise<void> {
  const { random } = run;
  const first = run.start(run.prompt(["long-command", "edit", "long-command", "command"]));
  const isCommand = random.chance(0.5);
  const begun = await first.until(isCommand ? isRunning(/^shell$/) : isStreaming);
  if (begun && random.chance(0.3)) await pause(random.below(100));
  first.signal("SIGSTOP");
  if (begun && !first.hasEnded) run.overtaken += 1;
  const own = run.startedCount;
  try {
    await pause(LEASE_MS);
    const second = recoverAll(run, { quietMs: EFFECT_MS, resumes: 0.9 }).then(() => goOn(run));
    await Promise.race([second, pause(PATIENCE_MS), wakeUp(run)]);
    first.signal("SIGCONT");
    await second;
  } finally {
    first.signal("SIGCONT");
  }
  await run.endOf(first);
  run.findRobbed(own);
  await recoverAll(run);
}

/** Mostly in the middle of what the second process does, sometimes at any time, sometimes after its end. */
async function wakeUp({ random, world }: Run): Promise<void> {
  if (random.chance(0.1)) return pause(PATIENCE_MS);
  if (random.chance(0.15)) return pause(random.between(300, 2_000));
  const before = world.effectCount;
  const until = performance.now() + PATIENCE_MS;
  while (world.effectCount === before && performance.now() < until) await pause(EFFECT_POLL_MS);
  return pause(random.below(80));
}
