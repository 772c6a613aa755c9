// A conversation as a page to be read: its facts, then turn by turn what was asked, answered and done, calls folded away.
// What was undone is left out. Nothing of the content can end a fence, open an element or run.
import { shownImages } from "../ledger/image-token.ts";
import { withoutInvisible } from "../ledger/invisible.ts";
import type { FileChange, Message, Part, Session, ToolCall, ToolOutcome } from "../ledger/types.ts";

export interface Page {
  /** Oldest first. */
  readonly messages: readonly Message[];
  readonly calls: readonly ToolCall[];
  /** Of the calls; they may stand further down. */
  readonly results: readonly Message[];
  readonly changes: readonly FileChange[];
  /** Unified diffs of the changes that have their contents. */
  readonly diffs: ReadonlyMap<FileChange["id"], string>;
}

export function pageHead(session: Session): string {
  const { id, route, cwd, startedAt, lastActivityAt, messages, turns } = session;
  const facts = [
    ["Session", id],
    ["Model", `${route.provider}/${route.model}`],
    ["Folder", cwd],
    ["Started", at(startedAt)],
    ["Last activity", at(lastActivityAt)],
    ["Length", `${turns} turn${turns === 1 ? "" : "s"}, ${messages} messages`],
  ];
  const lines = facts.map(([name = "", value = ""]) => `- ${name}: ${code(value)}`);
  return `# ${element(oneLine(session.title ?? "Conversation"))}\n\n${lines.join("\n")}\n`;
}

export function pageBody(page: Page, text: (text: string) => string = (same) => same): string {
  return page.messages.map((message) => described(message, page, text)).join("");
}

function described(message: Message, page: Page, text: (text: string) => string): string {
  const parts = message.parts.map((part) => partText(part, text)).filter((each) => each !== "");
  const calls = page.calls.filter((call) => call.message === message.id && call.call !== "typed");
  const typed = page.calls.filter((call) => call.message === message.id && call.call === "typed");
  const made = [...typed, ...calls].map((call) => callText(call, page, text));
  const body = [...parts, ...made].join("\n\n");
  if (body === "") return "";
  const heading = headings[message.role];
  return heading === undefined ? `\n${body}\n` : `\n${heading} · ${at(message.at)}\n\n${body}\n`;
}

/** Results stand with the calls they answer. */
const headings: Readonly<Partial<Record<Message["role"], string>>> = {
  user: "## Prompt",
  assistant: "### Answer",
  summary: "## Summary of what came before, for the model",
};

function partText(part: Part, text: (text: string) => string): string {
  switch (part.kind) {
    case "text":
      return quotedHtml(text(shownImages(part.text)));
    case "summary":
      return quotedHtml(text(part.text));
    case "note":
      return quotedHtml(text(part.text)).replace(/^/gm, "> ");
    case "file":
      return `*[${element(oneLine(text(part.name ?? part.mediaType)))}, ${part.bytes} bytes]*`;
    case "reasoning":
      return part.text === "" ? "" : folded("Reasoning", fenced(text(part.text)));
    case "shell":
      return part.told ? "" : "*(not told to the model)*";
    case "tool-call":
    case "tool-result":
      return "";
  }
}

function callText(call: ToolCall, page: Page, text: (text: string) => string): string {
  const result = page.results
    .flatMap((message) => (message.id === call.result ? message.parts : []))
    .find((part) => part.kind === "tool-result");
  const changes = page.changes.filter((change) => change.call === call.id);
  const pieces = [
    fenced(text(JSON.stringify(call.input, undefined, 2)), "json"),
    ...(result ? [outcomeText(result.outcome, text)] : ["No result was stored."]),
    ...changes.map((change) => changeText(change, page.diffs.get(change.id), text)),
  ];
  return folded(`${call.tool} · ${call.state}`, pieces.join("\n\n"));
}

function outcomeText({ output, exitCode, truncated, kind }: ToolOutcome, text: (text: string) => string): string {
  const facts = [kind, ...(exitCode === undefined ? [] : [`exit ${exitCode}`]), ...(truncated ? ["shortened"] : [])];
  return `${facts.join(", ")}${output ? `\n\n${fenced(text(output))}` : ""}`;
}

function changeText(change: FileChange, diff: string | undefined, text: (text: string) => string): string {
  const guess = change.origin === "suspected" ? ", probably by this command" : "";
  const line = `${change.kind} ${code(text(change.path))}${guess}`;
  return diff === undefined ? line : `${line}\n\n${fenced(text(diff), "diff")}`;
}

function folded(summary: string, body: string): string {
  return `<details>\n<summary>${element(oneLine(summary))}</summary>\n\n${body}\n\n</details>`;
}

/** Longer than any run of backquotes in it. */
export function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${shown(text)}\n${fence}`;
}

function code(text: string): string {
  const clean = oneLine(text);
  const longest = Math.max(0, ...[...clean.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = longest > 0 ? " " : "";
  return `${fence}${pad}${clean}${pad}${fence}`;
}

/** Outside of fences no element begins; what the author fenced stays as it is. */
function quotedHtml(text: string): string {
  let fence: string | undefined;
  const lines = shown(text)
    .split("\n")
    .map((line) => {
      const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
      if (fence !== undefined) {
        if (mark?.startsWith(fence) && /^ {0,3}[`~]+[ \t]*$/.test(line)) fence = undefined;
        return line;
      }
      if (mark !== undefined && !/^ {0,3}`+[^`]*`/.test(line)) {
        fence = mark;
        return line;
      }
      return element(line).replace(/\]\((?=\s*<?\s*(?:javascript|vbscript|data):)/gi, "]\\(");
    });
  // One that was never closed would swallow the rest of the page.
  return fence === undefined ? lines.join("\n") : [...lines, fence].join("\n");
}

function element(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** Controls would act on a terminal that the page is printed to, and what nobody sees could turn its words around. */
function shown(text: string): string {
  return withoutInvisible(text.toWellFormed())
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd")
    .replace(/\n+$/, "");
}

function oneLine(text: string): string {
  return shown(text).replace(/\s+/g, " ").trim().slice(0, 1_000);
}

function at(time: number): string {
  return new Date(time).toISOString().replace("T", " ").slice(0, 16);
}
