// The system prompt of a conversation's next turn. It is made once and used again by its hash, so that its bytes, and a
// provider's cache of them, stay the same; made anew when a context file changed, which is looked for by stat before
// each turn and told.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import type { Hash, Session } from "../ledger/types.ts";
import { inspectWorkspace, systemPrompt } from "./context.ts";
import {
  type ContextFiles,
  type ContextRequest,
  changedSince,
  contextSection,
  contextStamp,
  readContextFiles,
  tells,
} from "./context-files.ts";
import type { SessionEvent } from "./events.ts";
import type { FileGate } from "./tools/files.ts";

interface Options {
  readonly db: AsyncSessionDB;
  readonly files: FileGate;
  readonly names: readonly string[];
  readonly emit: (event: SessionEvent) => void;
}

interface Made {
  /** Of which conversation, in which folder, with which files. */
  readonly key: string;
  readonly before: Hash | undefined;
  readonly prompt: Hash;
}

export class ContextWatch {
  readonly #options: Options;
  #made: Made | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** `before` is the system prompt of the turn before, in any window. */
  async prompt(session: Session, { before, at }: { before: Hash | undefined; at: number }): Promise<Hash> {
    const { cwd, conversation } = session;
    const request = this.#requestOf(session);
    const key = [conversation, cwd, await contextStamp(request)].join("\n");
    const made = this.#made;
    if (made?.key === key && (before === made.before || before === made.prompt)) return made.prompt;
    const prompt = await this.#promptWith(await readContextFiles(request), { cwd, before, at });
    this.#made = { key, before, prompt };
    return prompt;
  }

  /** As it would be made now for a conversation that has none yet; stores and tells nothing. */
  async ahead(session: Session, at: number): Promise<string> {
    return promptIn(session.cwd, await readContextFiles(this.#requestOf(session)), at);
  }

  #requestOf({ cwd, gitRoot }: Session): ContextRequest {
    const { files, names } = this.#options;
    return { files, cwd, names, ...(gitRoot !== undefined && { gitRoot }) };
  }

  async #promptWith(
    files: ContextFiles,
    { cwd, before, at }: { cwd: string; before: Hash | undefined; at: number },
  ): Promise<Hash> {
    const { db, emit } = this.#options;
    const old = before && (await db.systemPrompt(before));
    if (before && old !== undefined && tells(old, files)) return before;
    const prompt = await db.putSystemPrompt(await promptIn(cwd, files, at));
    const changed = old === undefined ? undefined : changedSince(old, files);
    const read = files.read.map(({ name, bytes, isCut }) => ({ name, bytes, isCut }));
    if (changed || read.length + files.left.length > 0)
      emit({ type: "context-files", files: read, left: files.left, ...(changed && { changed }) });
    return prompt;
  }
}

async function promptIn(cwd: string, files: ContextFiles, at: number): Promise<string> {
  const workspace = await inspectWorkspace(cwd, { status: true });
  return systemPrompt({ workspace, instructions: contextSection(files), at });
}
