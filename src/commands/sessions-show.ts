// /sessions show: one session whole or a window of it, for reading and for programs.
import { shownImages } from "../ledger/image-token.ts";
import { projectForModel } from "../ledger/projection.ts";
import type { Message, MessageId, Part, Session } from "../ledger/types.ts";
import { countFlag, hasFlag, textFlag } from "./args.ts";
import { type CommandArgs, type CommandResult, defineCommand, type FreeContext } from "./command.ts";
import { findSession } from "./find-session.ts";
import { counted, lines, modelOf, nameOf, usage } from "./results.ts";
import { sessionJson } from "./session-rows.ts";

/** All that a terminal would take for one: text of unknown origin must not begin a line of its own. */
const LINE_END = /\r\n|[\n\r\u2028\u2029\v\f\u0085]/;

const WHOLE_PATH = 1_000_000;

export const sessionsShowCommand = defineCommand({
  name: "show",
  summary: "print a conversation",
  example: "/sessions show parser --limit 10",
  args: [{ name: "session", help: "id, prefix, title or number of the list just shown", required: true }],
  flags: [
    { name: "for", help: "model: what the model would be sent", value: "text" },
    { name: "from", help: "begin at this message", value: "number" },
    { name: "limit", help: "at most so many messages; without --from the newest", value: "number" },
    { name: "raw", help: "with the providers' opaque bytes" },
  ],
  during: "any",
  needsNoSession: true,
  run: show,
});

async function show(args: CommandArgs, context: FreeContext): Promise<CommandResult> {
  const [from, limit, reader] = [countFlag(args, "from"), countFlag(args, "limit"), textFlag(args, "for")];
  if (!from.ok) return usage(from.problem);
  if (!limit.ok) return usage(limit.problem);
  if (reader !== undefined && reader !== "model") return usage(`--for takes model, not ${JSON.stringify(reader)}.`);
  const found = await findSession(context, args.words[0] ?? "", "/sessions show");
  if (!found.ok) return found.result;
  const { session } = found;
  if (reader === "model") return showForModel(context, session);
  const messages = await windowOf(context, session, { from: from.value as MessageId | undefined, limit: limit.value });
  if (!messages) return usage(`Message ${from.value} is not on the path of session ${session.id}.`);
  return showMessages(context, session, { messages, isRaw: hasFlag(args, "raw") });
}

/** Oldest first; undefined when the head's path does not hold `from`. */
async function windowOf(
  { db }: FreeContext,
  session: Session,
  { from, limit }: { from: MessageId | undefined; limit: number | undefined },
): Promise<readonly Message[] | undefined> {
  if (from === undefined) return (await db.path(session.id, { limit: limit ?? WHOLE_PATH })).messages;
  const depth = (await db.message(from))?.depth ?? session.messages + 1;
  if (depth > session.messages) return undefined;
  const { messages } = await db.path(session.id, { limit: session.messages - depth + 1 });
  return messages[0]?.id === from ? messages.slice(0, limit) : undefined;
}

async function showMessages(
  { db }: FreeContext,
  session: Session,
  { messages, isRaw }: { messages: readonly Message[]; isRaw: boolean },
): Promise<CommandResult> {
  const shown = isRaw ? messages : messages.map((each) => ({ ...each, parts: each.parts.map(withoutOpaque) }));
  const calls = await db.callsOfMessages(messages.map(({ id }) => id));
  const admissions = await db.admissionsOf(session.id);
  const listed = sessionJson({ session, ...(await db.sessionState(session.id)) });
  const head = `${nameOf(session)} · ${session.id} · ${modelOf(session)} · ${counted(session.messages, "message")}`;
  const text = messages.flatMap((message) => ["", ...describe(message)]);
  return lines([head, ...text], { session: listed, messages: shown, calls, admissions });
}

async function showForModel({ db }: FreeContext, session: Session): Promise<CommandResult> {
  const { messages } = await db.path(session.id, { limit: WHOLE_PATH });
  const projected = projectForModel(messages);
  const envelope = await db.lastEnvelope(session.conversation);
  const system = envelope && (await db.systemPrompt(envelope.systemPrompt));
  const listed = sessionJson({ session, ...(await db.sessionState(session.id)) });
  const text = projected.flatMap(({ role, parts }) => ["", `${role}:`, ...parts.flatMap(partLines)]);
  const json = {
    session: listed,
    ...(system !== undefined && { system }),
    messages: projected,
    calls: [],
    admissions: [],
  };
  return lines([...(system === undefined ? [] : ["system:", ...system.split(LINE_END)]), ...text], json);
}

function withoutOpaque(part: Part): Part {
  if (!("opaque" in part)) return part;
  const { opaque: _, ...rest } = part;
  return rest;
}

function describe(message: Message): string[] {
  return [`${message.id} ${message.role}:`, ...message.parts.flatMap(partLines)];
}

function partLines(part: Part): string[] {
  switch (part.kind) {
    case "text":
    case "note":
    case "summary":
    case "reasoning":
      return shownImages(part.text)
        .split(LINE_END)
        .map((line) => `  ${line}`);
    case "tool-call":
      return [`  → ${part.tool} ${JSON.stringify(part.input)}`];
    case "tool-result":
      return [`  ← ${part.outcome.kind}`, ...(part.outcome.output ?? "").split(LINE_END).map((line) => `    ${line}`)];
    case "file":
      return [`  [${part.name ?? part.mediaType}, ${part.bytes} bytes]`];
    case "shell":
      return [`  [a command of the person, ${part.told ? "told" : "not told"} to the model]`];
  }
}
