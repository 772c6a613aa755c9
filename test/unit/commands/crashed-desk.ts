// A desk over a ledger that another process left in the middle of a turn.
import path from "node:path";
import { currentProcess } from "../../../src/ledger/identity.ts";
import { SessionDB } from "../../../src/ledger/session-db.ts";
import type { AdmissionId, CallId, Session } from "../../../src/ledger/types.ts";
import { newSession, startTurn, temporaryFolder } from "../../helpers/ledger.ts";
import { type Desk, openDesk } from "./command-harness.ts";

/** Above every pid a kernel gives. */
const NO_PID = 2 ** 22 + 1;

export interface Crashed {
  readonly desk: Desk;
  readonly session: Session;
  readonly admission: AdmissionId;
  readonly call: CallId;
}

/** A process that is gone left a turn with a shell command whose end nobody recorded. */
export async function afterCrash(): Promise<Crashed> {
  const file = path.join(temporaryFolder(), "state.db");
  const db = new SessionDB({ path: file, process: { ...currentProcess("stele"), pid: NO_PID } });
  const session = newSession(db, { cwd: temporaryFolder() });
  const { turn, message, admission } = startTurn(db, session, "run git push");
  const asked = db.append(
    turn,
    {
      parent: message.id,
      role: "assistant",
      parts: [{ kind: "tool-call", call: "c1", tool: "shell", input: { command: "git push" } }],
      at: Date.now(),
      provider: "guide",
      model: "guide",
    },
    [{ call: "c1", tool: "shell", input: { command: "git push" }, effect: "external" }],
  );
  const [call] = asked.calls;
  if (!call) throw new Error("no call");
  db.approveCall(turn, call.id, "person");
  db.startCall(turn, call.id);
  db.close();
  const desk = await openDesk({ file });
  return { desk, session, admission, call: call.id };
}
