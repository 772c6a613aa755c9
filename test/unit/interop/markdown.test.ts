// The page of a conversation: what is on it, and that no content gets out of its place.
import { describe, expect, it } from "vitest";
import { markdownPage } from "../../../src/commands/export-page.ts";
import { fenced } from "../../../src/interop/markdown.ts";
import type { SessionDB } from "../../../src/ledger/session-db.ts";
import type { Session } from "../../../src/ledger/types.ts";
import { newSession, openLedger, runTurn } from "../../helpers/ledger.ts";
import { richConversation } from "../../helpers/rich-conversation.ts";
import { asked } from "../../helpers/transfer.ts";

async function page(db: SessionDB, { id }: Session): Promise<string> {
  let text = "";
  for await (const piece of markdownPage(asked(db), db.session(id), {})) text += piece;
  return text;
}

describe("the page of a conversation", () => {
  it("has what was asked, answered and done, with diffs, and nothing that was undone", async () => {
    const db = openLedger();
    const text = await page(db, richConversation(db).session);
    for (const wanted of ["# one of everything", "let me see", "[a.png, 6 bytes]", "last answer", "kept answer"])
      expect(text).toContain(wanted);
    expect(text).toMatch(/<summary>edit_file · succeeded<\/summary>[\s\S]*```diff\n@@ line 1 @@\n-old\n\+new\n```/);
    expect(text).toContain("<summary>edit_file · unknown</summary>");
    expect(text).not.toContain("undone");
    expect(text).not.toMatch(/[\u0000-\u0008\u000e-\u001f]/);
    expect(text.match(/<details>/g)?.length).toBe(text.match(/<\/details>/g)?.length);
  });

  it("comes in windows, each message once and in order", async () => {
    const db = openLedger();
    const session = newSession(db);
    for (let turn = 1; turn <= 105; turn += 1) runTurn(db, session, `prompt ${turn}.`, `answer ${turn}.`);
    const said = (await page(db, session)).match(/(?:prompt|answer) \d+\./g);
    const all = Array.from({ length: 105 }, (_, at) => [`prompt ${at + 1}.`, `answer ${at + 1}.`]).flat();
    expect(said?.slice(-210)).toEqual(all);
  });

  it("lets no content begin an element, end a fence or run", async () => {
    const db = openLedger();
    const session = newSession(db, { title: "<script>alert(1)</script>" });
    const hostile = "</details><script>x</script>\n[a](javascript:alert(1))\n```\n<b>in code</b>";
    runTurn(db, session, hostile, hostile);
    const text = await page(db, session);
    const outside = text.replace(/^```[\s\S]*?^```$/gm, "");
    expect(outside).not.toMatch(/<(?!details>|\/details>|summary>|\/summary>)/);
    expect(outside).not.toContain("](javascript:");
  });

  it.each(["", "```", "a ```` b\n`````", "~~~"])("fences %j with a longer fence", (content) => {
    const [first = "", ...rest] = fenced(content).split("\n");
    const runs = [...content.matchAll(/`+/g)].map(([run]) => run.length);
    expect(first.length).toBeGreaterThan(Math.max(2, ...runs));
    expect(rest.at(-1)).toBe(first);
  });
});
