// What a kill must not take: the words that were not sent yet, and an answer that nobody has seen.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { everything, openStele, ready, type } from "../helpers/screen-program.ts";
import { cleanEnvironment, type Workplace, workplace } from "../helpers/stele.ts";

const BIN = fileURLToPath(new URL("../../bin/stele", import.meta.url));

interface Recovered {
  readonly undelivered: readonly { readonly prompt: string }[];
}

async function undelivered(place: Workplace): Promise<readonly string[]> {
  const { out } = await place.stele(["recover", "--json"]);
  return (JSON.parse(out) as Recovered).undelivered.map(({ prompt }) => prompt);
}

/** One turn whose answer cannot be written anywhere. */
async function runUnread(place: Workplace, prompt: string): Promise<void> {
  const full = openSync("/dev/full", "w");
  const child = spawn(process.execPath, [BIN, "run", prompt], {
    cwd: place.folder,
    env: cleanEnvironment(place.home),
    stdio: ["ignore", full, "ignore"],
  });
  await once(child, "exit");
}

describe("unsent text", () => {
  it("comes back after a kill, once, with a note of its age, and is gone when it is sent", async () => {
    const place = workplace();
    await place.stele(["run", "say hello"]);
    const doomed = openStele(place, ["-c"]);
    await ready(doomed);
    doomed.write("say what I was\x1b[200~\nabout to\nask\nyou\x1b[201~");
    await doomed.waitFor(/❯ say what I was\[4 lines\]/);
    await kept(place, "say what I was\nabout to\nask\nyou");
    doomed.kill("SIGKILL");
    await doomed.exit;

    const next = openStele(place, ["-c"]);
    await next.waitFor(/unsent text of .* ago restored/);
    await next.waitFor(/❯ say what I was\n {2}about to\n {2}ask\n {2}you/);
    next.write("\r");
    await next.waitFor(/● what I was\n {2}about to/);
    await ready(next);
    next.kill("SIGKILL");
    await next.exit;

    const last = openStele(place, ["-c"]);
    await last.waitFor(/● what I was/);
    await ready(last);
    expect(everything(last)).not.toContain("unsent text");
  });
});

/** Until the draft is in the ledger. */
async function kept(place: Workplace, text: string): Promise<void> {
  const { default: Database } = await import("better-sqlite3");
  const ledger = new Database(`${place.home}/state.db`, { readonly: true });
  try {
    const drafts = ledger.prepare("select text from drafts where kind = 'composer'").pluck();
    await expect.poll(() => drafts.all(), { timeout: 30_000 }).toEqual([text]);
  } finally {
    ledger.close();
  }
}

describe("an answer that nobody has seen", () => {
  it("is told at the next start as finished while nobody was looking, and then no more", async () => {
    const place = workplace();
    await runUnread(place, "say unseen answer");
    await place.stele(["run", "say seen answer"]);
    expect(await undelivered(place)).toEqual(["say unseen answer"]);

    const first = openStele(place);
    await first.waitFor(/finished while nobody was looking[\s\S]*› say unseen answer[\s\S]*● unseen answer/);
    expect(everything(first)).toMatch(/\/resume \d{8}-\d{6}-[0-9a-f]{6} opens it/);
    expect(everything(first)).not.toContain("● seen answer");
    await ready(first);
    await type(first, "/quit");
    await first.exit;

    expect(await undelivered(place)).toEqual([]);
    const second = openStele(place);
    await ready(second);
    expect(everything(second)).not.toContain("nobody was looking");
  });

  it("is one line where it stands in the conversation that is opened", async () => {
    const place = workplace();
    await runUnread(place, "say unseen answer");
    const stele = openStele(place, ["-c"]);
    await stele.waitFor(/● unseen answer\n {2}finished while nobody was looking: the answer to "say unseen answer"/);
    await ready(stele);
    await type(stele, "say and this one");
    await stele.waitFor(/● and this one/);
    await type(stele, "/quit");
    await stele.exit;
    expect(await undelivered(place)).toEqual([]);
  });
});
