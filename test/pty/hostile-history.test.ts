// A history that somebody else made, as an import leaves it: every field of it wants more of a terminal than to be read.
// It is written by the ledger's own verbs, which take any text, and shown by the built program in every way there is.
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionDB } from "../../src/ledger/session-db.ts";
import type { Message, Session, TurnRef } from "../../src/ledger/types.ts";
import { compactNow } from "../helpers/compaction.ts";
import { fullNumber } from "../helpers/full-numbers.ts";
import { foreignControl, hostileTexts, type OwnSequence } from "../helpers/hostile-text.ts";
import { openLedger, startTurn } from "../helpers/ledger.ts";
import { openStele, ready, type } from "../helpers/screen-program.ts";
import { type Workplace, workplace } from "../helpers/stele.ts";
import { inLedger, violations } from "../helpers/stored.ts";

const own: readonly OwnSequence[] = ["cursor", "erase", "rows", "modes", "keys", "questions", "colours", "title"];
const texts = hostileTexts(fullNumber(2_000, 500), 77);
/** Fields of one turn. */
const FIELDS = 10;

function hostileHistory(place: Workplace): Session {
  const db = openLedger({ path: path.join(place.home, "state.db") });
  const [cwd = "", provider = "", model = "", branch = ""] = texts;
  const session = db.createSession({
    cwd: `/${cwd}`,
    route: { provider: `p${provider}`, model: `m${model}`, options: { effort: model } },
    source: "import",
    gitBranch: branch,
  });
  for (let at = 0; at + FIELDS <= texts.length; at += FIELDS) hostileTurn(db, session, texts.slice(at, at + FIELDS));
  compactNow(db, session, { text: texts.join("\n"), route: { provider: `p${provider}`, model: `m${model}` } });
  return db.canonical(session.conversation);
}

function hostileTurn(db: SessionDB, session: Session, fields: readonly string[]): void {
  const [
    asked = "",
    said = "",
    thought = "",
    call = "",
    tool = "",
    key = "",
    input = "",
    output = "",
    last = "",
    why = "",
  ] = fields;
  const { lease, turn, message } = startTurn(db, session, asked);
  const id = `c${call}`.toWellFormed();
  const name = `t${tool}`;
  const args = { path: input, [`k${key}`]: [input], command: input };
  const parts = [
    { kind: "reasoning", text: thought },
    { kind: "text", text: said },
    { kind: "tool-call", call: id, tool: name, input: args },
  ] as const;
  const answer = {
    parent: message.id,
    role: "assistant",
    parts,
    at: Date.now(),
    provider: `p${call}`,
    model: tool,
  } as const;
  const stored = db.append(turn, answer, [{ call: id, tool: name, input: args, effect: "external" }]);
  const result = resultOf(db, turn, { stored, output, why });
  db.settle(turn, {
    outcome: "failed",
    at: Date.now(),
    error: { code: "provider", message: why, hint: last },
    last: { parent: result.id, role: "note", parts: [{ kind: "note", text: last }], at: Date.now() },
  });
  db.releaseLease(lease);
}

function resultOf(
  db: SessionDB,
  turn: TurnRef,
  { stored, output, why }: { stored: ReturnType<SessionDB["append"]>; output: string; why: string },
): Message {
  const [call] = stored.calls;
  if (!call) throw new Error("no call was stored");
  db.approveCall(turn, call.id, why);
  db.startCall(turn, call.id, why);
  const outcome = { kind: "failed", output, exitCode: 1 } as const;
  return db.finishCall(turn, { id: call.id, end: "failed", outcome, at: Date.now(), evidence: why }).message;
}

describe("a hostile history", () => {
  it("puts nothing into the terminal but text, opened, in the pager and in every list", async () => {
    const place = workplace();
    const { id } = hostileHistory(place);
    const stele = openStele(place, ["-r", id], { cols: 100, rows: 30 });
    await ready(stele);
    stele.write("\x0f");
    await stele.waitFor("100%");
    stele.write("t");
    await stele.waitFor("messages");
    stele.write("g");
    await stele.waitFor(/\b1-\d+ of/);
    stele.write("q");
    for (const [command, sign] of [
      ["/sessions", "Conversations ("],
      ["/undo --to", "Go back"],
    ] as const) {
      await ready(stele);
      await type(stele, command);
      await stele.waitFor(new RegExp(sign.replace("(", "\\(")));
      stele.write("\x1b");
    }
    await ready(stele);
    await type(stele, "/files");
    await stele.waitFor("No file was changed");
    await type(stele, "/status");
    await stele.waitFor(/messages/);
    await ready(stele);
    await type(stele, "/quit");
    await stele.exit;
    expect(foreignControl(stele.raw(), own)).toBeUndefined();
  });

  it("is text, and JSON, where there is no screen", async () => {
    const place = workplace();
    const { id } = hostileHistory(place);
    for (const args of [
      ["sessions", "--all"],
      ["sessions", "show", id],
      ["sessions", "tree", id],
      ["status", "-r", id],
      ["recover"],
    ]) {
      for (const more of [[], ["--json"]]) {
        const { out, err } = await place.stele([...args, ...more]);
        expect(out.length).toBeGreaterThan(0);
        expect(foreignControl(out + err, []), args.join(" ")).toBeUndefined();
        if (more.length > 0)
          for (const line of out.trimEnd().split("\n")) expect(JSON.parse(line)).toBeTypeOf("object");
      }
    }
  });

  it("goes through an export and an import as it is, and what they say of it is text", async () => {
    const [from, to] = [workplace(), workplace()];
    const { id } = hostileHistory(from);
    for (const name of ["talk.jsonl", "talk.md", "redacted.jsonl"]) {
      const more = name === "redacted.jsonl" ? ["--redact"] : [];
      const { out, err } = await from.stele(["sessions", "export", id, name, ...more]);
      expect(out).toContain("Exported");
      expect(foreignControl(out + err, [])).toBeUndefined();
    }
    const page = readFileSync(path.join(from.folder, "talk.md"), "utf8").replaceAll("\t", " ");
    expect(foreignControl(page, [])).toBeUndefined();
    const { out, err, code } = await to.stele(["import", path.join(from.folder, "talk.jsonl")]);
    expect(code, err).toBe(0);
    expect(foreignControl(out + err, [])).toBeUndefined();
    expect(violations(to)).toEqual([]);
    const messages = (place: Workplace) => inLedger(place, (db) => db.path(id, { limit: 10_000 }).messages);
    expect(messages(to).map(({ hash }) => hash)).toEqual(messages(from).map(({ hash }) => hash));
    const redacted = await workplace().stele(["import", path.join(from.folder, "redacted.jsonl")]);
    expect(redacted.code, redacted.err).toBe(0);
  });
});
