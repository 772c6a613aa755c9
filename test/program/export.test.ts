// `stele sessions export` in a pipe: the export itself on stdout, byte for byte what a file would have, and what there is
// to say about it on stderr.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { workplace } from "../helpers/stele.ts";

/** When it was exported stands in its first line. */
const body = (text: string) => text.slice(text.indexOf("\n"));

it("pours into a pipe what a file would have, and another home takes it", async () => {
  const [from, to] = [workplace(), workplace()];
  await from.stele(["run", "say it is \u{1f600} here"]);
  const id = (JSON.parse((await from.stele(["sessions", "--json"])).out) as { id: string }).id;
  expect((await from.stele(["sessions", "export", id, "-o", "talk.jsonl"])).out).toContain("Exported 2 messages");
  for (const asked of [
    ["sessions", "export", id],
    ["sessions", "export", id, "-o", "-"],
    ["export", "-r", id],
  ]) {
    const { out, err, code } = await from.stele(asked);
    expect([code, err]).toEqual([0, ""]);
    expect(body(out)).toBe(body(readFileSync(path.join(from.folder, "talk.jsonl"), "utf8")));
  }
  const redacted = await from.stele(["export", "-r", id, "--format", "md", "--redact"]);
  expect(redacted.out).toContain("it is \u{1f600} here");
  expect(redacted.err).toMatch(/^\d+ places? redacted/);
  writeFileSync(path.join(to.folder, "in.jsonl"), (await from.stele(["sessions", "export", id])).out);
  expect((await to.stele(["import", "in.jsonl"])).out).toContain("Imported 1 conversation, 2 messages");
});
