// Files that are no export, or one that somebody changed: each is refused with file and place, and nothing is written.
import { beforeAll, describe, expect, it } from "vitest";
import { canonicalJson, messageHash } from "../../../src/ledger/ids.ts";
import { SessionDB } from "../../../src/ledger/session-db.ts";
import { openLedger, temporaryFolder } from "../../helpers/ledger.ts";
import { richConversation } from "../../helpers/rich-conversation.ts";
import { exported, imported } from "../../helpers/transfer.ts";

type Fields = Record<string, unknown>;

let file: readonly string[] = [];
beforeAll(async () => {
  const db = new SessionDB({ path: `${temporaryFolder()}/state.db` });
  file = (await exported(db, richConversation(db).session)).trimEnd().split("\n");
  db.close();
});

/** The first record of this type, changed; `null` takes a field away. */
function changed(type: string, more: Fields | ((record: Fields) => Fields)): string {
  const at = file.findIndex((line) => line.startsWith(`{"type":"${type}"`));
  const record = JSON.parse(file[at] ?? "") as Fields;
  const fields = { ...record, ...(typeof more === "function" ? more(record) : more) };
  const kept = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  return file.with(at, JSON.stringify(kept)).join("\n");
}

/** With a hash that fits again. */
function rehashed(more: Fields): string {
  return changed("message", (record) => {
    const node = { ...record, ...more } as Fields & { parts: unknown; at: number };
    const parts = canonicalJson(node.parts);
    const fields = { session: node["session"], role: node["role"], at: node.at, parts, parentHash: node["parent"] };
    return { ...more, hash: messageHash(fields as Parameters<typeof messageHash>[0]) };
  });
}

const without = (type: string) => file.filter((line) => !line.startsWith(`{"type":"${type}"`)).join("\n");
const twice = (type: string) =>
  file.flatMap((line) => (line.startsWith(`{"type":"${type}"`) ? [line, line] : [line])).join("\n");
const header = (more: Fields) =>
  file.with(0, JSON.stringify({ ...(JSON.parse(file[0] ?? "") as Fields), ...more })).join("\n");
const ZERO = "0".repeat(64);

const table: readonly (readonly [string, () => string, RegExp])[] = [
  ["nothing", () => "", /export\.jsonl: it is empty/],
  ["another text", () => "# a page", /line 1.*no export of stele: # a page/],
  ["another JSON", () => '{"messages":[]}', /line 1.*no export of stele/],
  ["another format", () => header({ format: "other" }), /line 1.*format "other"/],
  ["a newer version", () => header({ version: 2 }), /line 1.*version 2.*up to 1\. Update stele/],
  ["no version", () => header({ version: "1" }), /line 1.*version "1"/],
  ["a line that is no JSON", () => file.with(3, "{").join("\n"), /line 4.*no JSON object: \{/],
  ["a line that is no object", () => file.with(3, "[1]").join("\n"), /line 4.*no JSON object/],
  ["a type that nobody knows", () => changed("session", { type: "memory" }), /line 2.*type is "memory", not one of/],
  [
    "a field that nobody knows",
    () => changed("session", { color: "red" }),
    /line 2.*color is nothing this stele knows/,
  ],
  ["a field that is missing", () => changed("session", { cwd: null }), /line 2.*cwd is missing/],
  ["a field of another type", () => changed("session", { cwd: 7 }), /line 2.*cwd is 7, not a name/],
  [
    "an id that is none",
    () => changed("session", { id: "../../x" }),
    /line 2.*id is "\.\.\/\.\.\/x", not a session id/,
  ],
  ["NUL in a name", () => changed("session", { title: "a\0b" }), /line 2.*title has a NUL/],
  ["half a character in a name", () => changed("session", { title: "a\ud800" }), /line 2.*title has half a character/],
  [
    "a title that is too long",
    () => changed("session", { title: "x".repeat(101) }),
    /line 2.*more than 100 characters/,
  ],
  ["a time before 1970", () => changed("session", { startedAt: -1 }), /line 2.*startedAt is -1, not a time/],
  ["a number that is too big", () => changed("session", { rewinds: 2 ** 53 }), /line 2.*rewinds is 9007199254740992/],
  ["a number that is no whole one", () => changed("session", { generation: 0.5 }), /line 2.*generation is 0\.5/],
  [
    "a parent that is not there",
    () => changed("session", { parent: "20200101-000000-abcdef", edge: "branch" }),
    /line 2.*not there before it/,
  ],
  ["a session twice", () => twice("session"), /line 3.*is there twice/],
  ["no conversation", () => changed("session", { isWriter: true }), /an ancestor has no end here/],
  ["a NUL byte", () => file.with(3, `${file[3] ?? ""}\0`).join("\n"), /line 4.*NUL byte/],
  [
    "a line that is too long",
    () => file.with(3, `{"type":"${"x".repeat(5 * 1024 * 1024)}"}`).join("\n"),
    /line 4.*more than 5 MiB/,
  ],
  [
    "a text that was changed",
    () => changed("message", { parts: [{ kind: "text", text: "never said" }] }),
    /line \d+.*not what its hash says/,
  ],
  [
    "a time that was changed",
    () => changed("message", (record) => ({ at: Number(record["at"]) + 1 })),
    /line \d+.*not what its hash says/,
  ],
  ["a message twice", () => twice("message"), /line \d+.*is there twice/],
  ["a parent that is missing", () => rehashed({ parent: ZERO }), /line \d+.*its parent 0{64} is not there before it/],
  [
    "a session that is missing",
    () => rehashed({ session: "20200101-000000-abcdef" }),
    /line \d+.*its session .* is not there/,
  ],
  ["a part that nobody knows", () => rehashed({ parts: [{ kind: "video" }] }), /line \d+.*parts\[0\]\.kind is "video"/],
  [
    "a content that is missing",
    () => rehashed({ parts: [{ kind: "file", blob: ZERO, mediaType: "image/png", bytes: 1 }] }),
    /the content 0{64} is missing/,
  ],
  ["a turn that does not follow", () => rehashed({ turn: 5 }), /line \d+.*turn 5 does not follow turn 0/],
  ["a content that was changed", () => changed("blob", { data: "AAAA" }), /line \d+.*content/],
  ["a content that is no base64", () => changed("blob", { data: "?" }), /line \d+.*no base64/],
  [
    "contents that nothing needs",
    () =>
      file
        .with(
          1,
          `{"type":"blob","hash":"${"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}","at":0,"of":0,"data":""}\n${file[1] ?? ""}`,
        )
        .join("\n"),
    /needed by nothing/,
  ],
  ["a chunk alone", () => file.with(1, '{"type":"chunk","data":"{"}').join("\n"), /chunks is not finished/],
  [
    "chunks that are no JSON",
    () => file.with(1, '{"type":"chunk","data":"{","last":true}').join("\n"),
    /line 2.*no JSON object/,
  ],
  ["turns that are missing", () => without("turn"), /line \d+.*of another turn|turn \d+ is missing/],
  ["a turn of nobody", () => changed("turn", { user: ZERO }), /the message it began with is not there/],
  ["a completed turn without its answer", () => changed("turn", { last: null }), /a completed prompt ends in/],
  ["a request that is too long", () => changed("turn", { request: "x".repeat(1025) }), /more than 1024/],
  ["a call twice", () => twice("call"), /is there twice|once/],
  ["a call that asks for nothing that is there", () => changed("call", { message: ZERO }), /asked for it is not there/],
  ["a finished call without its result", () => changed("call", { result: null }), /a succeeded call has a result/],
  ["a running call with a result", () => changed("call", { state: "running" }), /has no result yet/],
  ["a head that is not there", () => changed("head", { head: ZERO }), /message 0{64} is not there/],
  ["two heads", () => twice("head"), /has two heads/],
  ["a redo of a redo", () => changed("move", { kind: "redo", redoable: true }), /only an undo/],
  ["the same usage twice", () => twice("usage"), /the same usage is there twice/],
  ["records in another order", () => [...file.slice(0, -1), file[1]].join("\n"), /a session stands behind a usage/],
  ["no end", () => file.slice(0, -1).join("\n"), /it was cut off/],
  ["half of it", () => file.slice(0, 20).join("\n"), /cut off|not there|missing|generation/],
  ["another number of records", () => changed("end", { records: 1 }), /it says 1 records, there are \d+/],
  ["something behind the end", () => [...file, file.at(-1)].join("\n"), /behind the end/],
];

describe("a file that does not hold together", () => {
  it.each(table)("is refused for %s", async (_, text, words) => {
    const db = openLedger();
    await expect(imported(db, text())).rejects.toThrow(words);
    expect(db.stats().counts).toEqual({ sessions: 0, messages: 0, admissions: 0 });
  });

  it("is refused for bytes that are no UTF-8", async () => {
    const db = openLedger();
    const bytes = Buffer.concat([Buffer.from(`${file[0] ?? ""}\n`), Buffer.from([0xff, 0x0a])]);
    await expect(imported(db, bytes)).rejects.toThrow(/line 2.*no UTF-8/);
  });

  it("stops another one that is sound from being imported with it", async () => {
    const db = openLedger();
    await expect(imported(db, file.join("\n"), { more: ["# a page"] })).rejects.toThrow(/no export/);
    expect(db.stats().counts.sessions).toBe(0);
  });
});
