// What is taken out of a redacted export, and that the rest is a sound one of its own.
import { describe, expect, it } from "vitest";
import { jsonLines } from "../../../src/interop/export-file.ts";
import { exportItems } from "../../../src/interop/export-records.ts";
import { Redactor } from "../../../src/interop/redact.ts";
import { redactItems } from "../../../src/interop/redact-items.ts";
import type { SessionDB } from "../../../src/ledger/session-db.ts";
import type { Session } from "../../../src/ledger/types.ts";
import { changeFiles, edit } from "../../helpers/file-changes.ts";
import { newSession, openLedger, runTurn } from "../../helpers/ledger.ts";
import { richConversation } from "../../helpers/rich-conversation.ts";
import { asked, imported } from "../../helpers/transfer.ts";

// Put together here, so that nothing which looks for keys finds one in this file.
const made = (...parts: readonly string[]) => parts.join("");
const OPENAI = made("sk-", "proj-", "abcdefghijklmnopqrstuvwx");
const PEM = made("-----BEGIN ", "PRIVATE KEY-----\nMIIE\nabc\n-----END ", "PRIVATE KEY-----");

const secrets: readonly (readonly [string, string])[] = [
  [`key ${OPENAI}.`, "key [redacted]."],
  [made("ghp", "_abcdefghijklmnopqrstuvwxyz0123456789"), "[redacted]"],
  [made("AK", "IAABCDEFGHIJKLMNOP is it"), "[redacted] is it"],
  [made("xoxb", "-1234567890-abcdef"), "[redacted]"],
  [`a\n${PEM}\nb`, "a\n[redacted]\nb"],
  [made("export MY_API_", "KEY=hunter2hunter2"), "export MY_API_KEY=[redacted]"],
  [made('"pass', 'word": "correct horse"'), '"password": "[redacted] horse"'],
  [made("Authorization: Bear", "er abcdefgh12345678"), "Authorization: Bearer [redacted]"],
  [made("postgres://me:se", "cret@db/x"), "postgres://me:[redacted]@db/x"],
  ["/home/me/app and /home/me", "~/app and ~"],
  ["/home/other/app", "~/app"],
  ["/home/mentor is mine too: /homework", "~ is mine too: /homework"],
];

describe("redaction", () => {
  it.each(secrets)("takes what is secret out of %j", (text, clean) => {
    const redactor = new Redactor("/home/me");
    expect(redactor.text(text)).toBe(clean);
    expect(redactor.count).toBeGreaterThan(0);
    expect(redactor.text(clean)).toBe(clean);
  });

  it.each(["const key = map.get(id)", "monkey=banana", "the token is short", "a task-force-of-many-people"])(
    "leaves %j alone",
    (text) => {
      const redactor = new Redactor("/home/me");
      expect([redactor.text(text), redactor.count]).toEqual([text, 0]);
    },
  );

  it("leaves an export that can be imported, with nothing secret and no hash of it", async () => {
    const [from, to] = [openLedger(), openLedger()];
    const session = newSession(from, { cwd: "/home/me/app", title: `about ${OPENAI}` });
    runTurn(from, session, `use ${OPENAI}`, "I will");
    changeFiles(from, session, [edit("/home/me/app/.env", "A=1", `A=${OPENAI}`)]);
    const [first] = from.path(session.id, { limit: 1 }).messages;
    const file = await redacted(from, session);
    expect(file).not.toContain(OPENAI);
    expect(file).not.toContain("/home/me");
    expect(file).not.toContain(first?.hash);
    expect(await imported(to, file)).toMatchObject({ files: [{ kind: "imported" }] });
    expect(to.session(session.id)).toMatchObject({ title: "about [redacted]", cwd: "~/app", turns: 2 });
    const changes = to.changesOf(to.path(session.id, { limit: 10 }).messages.map(({ id }) => id));
    expect(changes).toMatchObject([{ path: "~/app/.env", restorable: false }]);
    expect(await imported(from, file)).toMatchObject({ files: [{ kind: "here" }] });
  });

  it("keeps every kind of record sound", async () => {
    const [from, to] = [openLedger(), openLedger()];
    const { session } = richConversation(from);
    expect(await imported(to, await redacted(from, session))).toMatchObject({ files: [{ kind: "imported" }] });
    expect(to.session(session.id).messages).toBe(session.messages);
  });
});

async function redacted(db: SessionDB, { id }: Session): Promise<string> {
  const format = { format: "stele-export", version: 1, program: "test", exportedAt: 0 } as const;
  const items = redactItems(exportItems(asked(db), db.exportPlan(id)), new Redactor("/home/me"));
  let text = "";
  for await (const piece of jsonLines({ ...format, session: id, redacted: true }, items)) text += piece;
  return text;
}
