// What a conversation offers to complete: the paths of its folder, other conversations, models. Answers at once with
// what is known, looks again in the background when that is old, and tells when there is something else to offer.
import { PathIndex } from "../agent/path-index.ts";
import { ageOf } from "../commands/ages.ts";
import type { CommandContext } from "../commands/command.ts";
import { modelOf, nameOf } from "../commands/results.ts";
import { listedName } from "../commands/session-rows.ts";
import { quoteWord } from "../commands/words.ts";
import type { Session } from "../ledger/types.ts";
import type { Completion, NameChoice } from "./input-menu.ts";

type Context = Pick<CommandContext, "db" | "files" | "models" | "now"> & {
  readonly runner: { readonly session: Session };
};

/** In ms. */
const sessionsGoodFor = 3_000;
const modelsGoodFor = 30_000;
const discoverMs = 1_500;
/** The list of /resume finds the others. */
const newestSessions = 100;

export function openCompletion(context: Context, onChange: () => void): Completion & { close(): void } {
  let index: PathIndex | undefined;
  const sessions = new Known<readonly NameChoice[]>({ goodFor: sessionsGoodFor, now: context.now, onChange });
  const discovered = new Known<true>({ goodFor: modelsGoodFor, now: context.now, onChange });

  return {
    paths(query, limit) {
      const folder = context.runner.session.cwd;
      if (index?.folder !== folder) {
        index?.close();
        index = new PathIndex({ folder, files: context.files, onChange });
      }
      return index.find(query, limit);
    },
    names(argument) {
      if (argument === "session") {
        const names = sessions.ask(() => sessionNames(context));
        return { names: names ?? [], isReading: names === undefined, isWhole: isListWord };
      }
      if (argument !== "provider/model") return undefined;
      discovered.ask(async () => {
        await context.models.discover(AbortSignal.timeout(discoverMs));
        return true;
      });
      return { names: modelNames(context), isReading: false, isWhole: (typed) => context.models.resolve(typed).ok };
    },
    close: () => index?.close(),
  };
}

/** Something that is asked for in the background, and asked for again when it is old. */
class Known<Value> {
  readonly #options: { readonly goodFor: number; readonly now: () => number; readonly onChange: () => void };
  #value: Value | undefined;
  #isAsking = false;
  #goodUntil = Number.NEGATIVE_INFINITY;

  constructor(options: { goodFor: number; now: () => number; onChange: () => void }) {
    this.#options = options;
  }

  ask(read: () => Promise<Value>): Value | undefined {
    if (!this.#isAsking && this.#options.now() >= this.#goodUntil) void this.#read(read);
    return this.#value;
  }

  async #read(read: () => Promise<Value>): Promise<void> {
    this.#isAsking = true;
    try {
      this.#value = await read();
    } catch {
      // Busy or closing: an offer is a convenience, and the next key asks again.
    }
    this.#isAsking = false;
    this.#goodUntil = this.#options.now() + this.#options.goodFor;
    this.#options.onChange();
  }
}

async function sessionNames({ db, runner, now }: Context): Promise<readonly NameChoice[]> {
  const listings = await db.listSessions({ limit: newestSessions });
  const others = listings.filter(({ session }) => session.conversation !== runner.session.conversation);
  const counts = new Map<string, number>();
  for (const { session } of others) counts.set(nameOf(session), (counts.get(nameOf(session)) ?? 0) + 1);
  return others.map((listing) => {
    const { session } = listing;
    const name = listedName(listing);
    const isTitle = session.title !== undefined && counts.get(name) === 1 && isPlainName(name);
    const value = isTitle ? name : session.id;
    const summary = `${ageOf(session.lastActivityAt, now())} · ${session.id}`;
    return { value, label: name, summary, search: session.id };
  });
}

/** A place in the list that was shown last, the newest, or a whole id as it is printed. */
function isListWord(typed: string): boolean {
  return /^(?:\d{1,4}|latest|\d{8}-\d{6}-[0-9a-f]{6})$/.test(typed);
}

/** Read as a title when it stands behind the command: no number, id, flag, quote or bracket. */
function isPlainName(name: string): boolean {
  return (
    name.length <= 60 &&
    name !== "latest" &&
    /^\p{L}[\p{L}\p{M}\p{N}.,:;!?/_+-]*(?: [\p{L}\p{N}][\p{L}\p{M}\p{N}.,:;!?/_+-]*)*$/u.test(name)
  );
}

function modelNames({ models, runner }: Context): readonly NameChoice[] {
  const current = modelOf(runner.session);
  return models
    .list()
    .filter(({ id, available }) => available && !id.endsWith("/*"))
    .map(({ id, provider }) => ({ value: quoteWord(id), label: id, summary: id === current ? "current" : provider }));
}
