// What fixes a turn's requests besides the transcript. The system prompt is built once a conversation; later
// turns use it again by its hash, so that its bytes, and a provider's cache of them, stay the same.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import { PROJECTION_VERSION } from "../ledger/projection.ts";
import type { Envelope, Hash, Json, Session } from "../ledger/types.ts";
import { inspectWorkspace, readInstructions, systemPrompt } from "./context.ts";
import type { FileGate } from "./tools/files.ts";
import { toolRegistry } from "./tools/registry.ts";

interface About {
  readonly db: AsyncSessionDB;
  readonly files: FileGate;
  readonly program: string;
  readonly session: Session;
  readonly at: number;
}

export async function currentEnvelope(about: About): Promise<Envelope> {
  const { db, session, program } = about;
  const before = await db.lastEnvelope(session.conversation);
  const tools = await toolRegistry();
  return {
    systemPrompt: before?.systemPrompt ?? (await newPrompt(about)),
    tools: tools.listTools().map((tool): Json => ({ name: tool.name, schema: tool.schema })),
    route: session.route,
    projection: PROJECTION_VERSION,
    program,
  };
}

async function newPrompt({ db, files, session, at }: About): Promise<Hash> {
  const workspace = await inspectWorkspace(session.cwd, { status: true });
  const instructions = await readInstructions(files, workspace);
  return db.putSystemPrompt(systemPrompt({ workspace, instructions, at }));
}
