// What is exported and imported elsewhere is the same conversation: exported again it is the same file.
import { describe, expect, it } from "vitest";
import { newSession, openLedger, runTurn, startTurn } from "../../helpers/ledger.ts";
import { onlyCall, startCalls } from "../../helpers/file-changes.ts";
import { richConversation } from "../../helpers/rich-conversation.ts";
import { exported, imported } from "../../helpers/transfer.ts";

describe("export and import", () => {
  it.each(["jsonl", "json"] as const)("bring an equal conversation to another ledger as %s", async (form) => {
    const [from, to] = [openLedger(), openLedger()];
    const { session } = richConversation(from);
    const file = await exported(from, session, form);
    expect(await imported(to, file)).toMatchObject({
      kind: "done",
      files: [{ kind: "imported", session: session.id }],
    });
    expect(await exported(to, session, form)).toBe(file);
    expect(to.session(session.id)).toMatchObject({
      title: "one of everything",
      titleSource: "person",
      turns: session.turns,
    });
    expect(to.redo(session.id).kind).toBe("moved");
    runTurn(to, to.session(session.id), "it goes on", "here");
  });
});
