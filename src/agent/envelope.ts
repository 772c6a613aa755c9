// What fixes a turn's requests besides the transcript.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import { PROJECTION_VERSION } from "../ledger/projection.ts";
import type { Envelope, Json, Session } from "../ledger/types.ts";
import type { ContextWatch } from "./context-watch.ts";
import { toolRegistry } from "./tools/registry.ts";

interface About {
  readonly db: AsyncSessionDB;
  readonly context: ContextWatch;
  readonly program: string;
  readonly session: Session;
  readonly at: number;
}

export async function currentEnvelope({ db, context, program, session, at }: About): Promise<Envelope> {
  const before = (await db.lastEnvelope(session.conversation))?.systemPrompt;
  const tools = await toolRegistry();
  return {
    systemPrompt: await context.prompt(session, { before, at }),
    tools: tools.listTools().map((tool): Json => ({ name: tool.name, schema: tool.schema })),
    route: session.route,
    projection: PROJECTION_VERSION,
    program,
  };
}
