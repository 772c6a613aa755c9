// A prompt with an image that waits, is changed, run, taken back and asked again: the image goes with the text.
import { describe, expect, it } from "vitest";
import { newHolderId, newRequestId, sha256 } from "../../../src/ledger/ids.ts";
import { imageToken } from "../../../src/ledger/image-token.ts";
import type { Part } from "../../../src/ledger/types.ts";
import { pngImage } from "../../helpers/images.ts";
import { type Desk, openDesk, printed, words } from "./command-harness.ts";

const IMAGE = pngImage(640, 480);
const hash = sha256(IMAGE);
const FILE = { kind: "file", blob: hash, mediaType: "image/png", name: "shot.png", bytes: IMAGE.length } as const;
const { token, label } = imageToken({ name: "shot.png", width: 640, height: 480, hash });

/** Waits for a key, so that no runner takes it. */
async function wait({ db, runner, folder: cwd }: Desk, text: string): Promise<number> {
  const { id: session } = runner.session;
  const { admission } = await db.admit({
    request: newRequestId(),
    kind: "prompt",
    payload: { prompt: [{ kind: "text", text }, FILE], approval: "auto", cwd },
    target: { kind: "session", asked: session },
    session,
    blobs: [IMAGE],
  });
  await db.hold(admission.id, "a test holds it");
  return admission.id;
}

async function promptsOf({ db, runner }: Desk): Promise<readonly (readonly Part[])[]> {
  const { messages } = await db.path(runner.session.id, { limit: 10 });
  return messages.filter(({ role }) => role === "user").map(({ parts }) => parts);
}

describe("a prompt with an image", () => {
  it("keeps it in the queue while its text is changed, and loses it with its place in the text", async () => {
    const desk = await openDesk();
    // Somebody else holds the conversation: what is edited waits, and does not begin.
    const { conversation } = desk.runner.session;
    const other = await desk.db.acquireLease({ conversation, holder: newHolderId(process.pid) });
    if (other.kind !== "acquired") throw new Error(`the lease is ${other.kind}`);
    const id = await wait(desk, `say ${token}`);
    expect(words(await printed(await desk.type("/queue")))).toContain(`say ${label}`);
    const prefill = await desk.type(`/queue edit ${id}`);
    if (prefill.kind !== "prefill") throw new Error(prefill.kind);
    await desk.type(prefill.text.replace("say", "say see"));
    const [changed] = await desk.db.openAdmissions();
    expect(changed?.payload.prompt).toEqual([{ kind: "text", text: `say see ${token}` }, FILE]);
    await desk.type(`/queue edit ${changed?.id} say nothing`);
    const [bare] = await desk.db.openAdmissions();
    expect(bare?.payload.prompt).toEqual([{ kind: "text", text: "say nothing" }]);
    const unknown = token.replace(hash, "b".repeat(64));
    expect(words(await desk.type(`/queue edit ${bare?.id} "${unknown}"`))).toContain("with a prompt that is sent");
    await desk.db.releaseLease(other.lease);
    await desk.runner.idle();
  });

  it("is stored with it, gives it back by /undo, and asks it again by /retry", async () => {
    const desk = await openDesk();
    const text = `say ${token}`;
    await desk.type(`/queue run ${await wait(desk, text)}`);
    expect(await promptsOf(desk)).toEqual([[{ kind: "text", text }, FILE]]);
    expect(desk.runner.session.title).toBe(`say ${label}`);
    expect(await desk.type("/retry")).toMatchObject({ kind: "turn" });
    expect(await promptsOf(desk)).toEqual([[{ kind: "text", text }, FILE]]);
    expect(await desk.type("/undo")).toMatchObject({ kind: "prefill", text });
    expect(Buffer.from(await desk.db.blob(hash))).toEqual(IMAGE);
  });
});
