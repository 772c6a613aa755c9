// `stele sessions export` in a pipe: the export itself on stdout, byte for byte what a file would have, and what there is
// to say about it on stderr.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { cleanEnvironment, workplace } from "../helpers/stele.ts";

const BIN = fileURLToPath(new URL("../../bin/stele", import.meta.url));

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

it("ends when nobody reads it any more, and says when it cannot be written", async () => {
  const place = workplace();
  await place.stele(["run"], { stdin: `say ${"many words ".repeat(20_000)}` });
  const closed = await place.stele(["export", "-c"], {
    onStart: (child) => child.stdout?.once("data", () => child.stdout?.destroy()),
  });
  expect([closed.code, closed.err]).toEqual([130, ""]);
  if (existsSync("/dev/full")) {
    const shell = spawnSync("sh", ["-c", `"$0" "$1" export -c > /dev/full`, process.execPath, BIN], {
      cwd: place.folder,
      env: cleanEnvironment(place.home),
      encoding: "utf8",
      timeout: 60_000,
    });
    expect([shell.status, shell.stderr]).toEqual([1, expect.stringContaining("stdout cannot be written: ENOSPC")]);
  }
});
