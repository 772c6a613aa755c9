// Images between the paste and the ledger: kept at once, sent whole or not at all, and in one place afterwards.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ImageShelf } from "../../../../src/agent/images/image-shelf.ts";
import { createFileGate } from "../../../../src/agent/tools/files.ts";
import { newRequestId, sha256 } from "../../../../src/ledger/ids.ts";
import type { RequestId } from "../../../../src/ledger/types.ts";
import { openAsyncLedger } from "../../../helpers/async-ledger.ts";
import { pngImage } from "../../../helpers/images.ts";
import { ROUTE, temporaryFolder } from "../../../helpers/ledger.ts";

const IMAGE = pngImage(640, 480);

async function setUp() {
  const root = temporaryFolder();
  const db = await openAsyncLedger(path.join(root, "state.db"));
  const [cwd, folder] = [path.join(root, "work"), path.join(root, "images")];
  mkdirSync(cwd);
  writeFileSync(path.join(cwd, "shot.png"), IMAGE);
  const files = createFileGate({ ledgerFiles: [path.join(root, "state.db")] });
  /** As after a start: nothing is in memory. */
  const shelf = () => new ImageShelf({ db, files, folder });
  const token = async (name: string): Promise<string> => {
    const attached = await shelf().attach(cwd, name);
    if (attached.kind !== "attached") throw new Error(attached.why);
    return attached.image.token;
  };
  const admit = async (text: string, request: RequestId = newRequestId(), isSwept = true) => {
    const made = await shelf().prompt(text);
    if (!made.ok) throw new Error(made.why);
    const { prompt, blobs } = made;
    const payload = { prompt, approval: "ask", cwd } as const;
    const target = { kind: "new" } as const;
    const admitted = await db.admit({
      request,
      kind: "prompt",
      payload,
      target,
      session: { cwd, route: ROUTE, source: "t" },
      blobs,
    });
    if (isSwept) await shelf().stored();
    return admitted;
  };
  return { db, cwd, folder, shelf, token, admit };
}

describe("an image that is attached", () => {
  it("is kept when its file goes, and is in the ledger and nowhere else once it is sent", async () => {
    const { db, cwd, folder, token, admit } = await setUp();
    const text = `what is ${await token("shot.png")}?`;
    rmSync(path.join(cwd, "shot.png"));
    expect(readdirSync(folder)).toEqual([sha256(IMAGE)]);
    const { admission } = await admit(text);
    const file = { kind: "file", blob: sha256(IMAGE), mediaType: "image/png", name: "shot.png", bytes: IMAGE.length };
    expect(admission.payload.prompt).toEqual([{ kind: "text", text }, file]);
    expect(admission.summary).toBe("what is [image shot.png 640×480]?");
    expect(Buffer.from(await db.blob(sha256(IMAGE)))).toEqual(IMAGE);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("can be sent again by its text alone, as an undone prompt is", async () => {
    const { admit, token } = await setUp();
    const text = `${await token("shot.png")} ${await token("shot.png")}`;
    await admit(text);
    const { admission } = await admit(`again ${text}`);
    expect(admission.payload.prompt).toHaveLength(2);
  });

  it("is part of what a request id stands for", async () => {
    const { cwd, token, admit } = await setUp();
    const request = "r1" as RequestId;
    await admit(`look ${await token("shot.png")}`, request);
    expect((await admit(`look ${await token("shot.png")}`, request)).isNew).toBe(false);
    writeFileSync(path.join(cwd, "shot.png"), pngImage(641, 480));
    await expect(admit(`look ${await token("shot.png")}`, request)).rejects.toMatchObject({
      code: "admission_conflict",
    });
  });

  it("is no longer kept beside the ledger by what a kill left, and one that is not sent stays", async () => {
    const { cwd, folder, shelf, token, admit } = await setUp();
    await admit(await token("shot.png"), newRequestId(), false);
    writeFileSync(path.join(cwd, "other.png"), pngImage(1, 1));
    await token("other.png");
    await shelf().stored();
    expect(readdirSync(folder)).toEqual([sha256(pngImage(1, 1))]);
  });

  it("that nobody has any more keeps the prompt from being sent", async () => {
    const { folder, shelf, token } = await setUp();
    const text = `look ${await token("shot.png")}`;
    rmSync(folder, { recursive: true });
    expect(await shelf().prompt(text)).toMatchObject({
      ok: false,
      why: expect.stringMatching(/shot\.png 640×480\] is gone/),
    });
  });
});

describe("a file", () => {
  it("that is too large is refused with what it has and what it may have, and nothing of it is kept", async () => {
    const { cwd, folder, shelf } = await setUp();
    writeFileSync(path.join(cwd, "big.png"), pngImage(10, 10, 5 * 1024 * 1024));
    expect(await shelf().attach(cwd, "big.png")).toEqual({
      kind: "refused",
      why: "big.png is not attached: it has 5.1 MB, and an image may have 5 MB. Make it smaller, or crop it.",
    });
    expect(existsSync(folder)).toBe(false);
  });

  it.each([
    ["gone.png", "no file"],
    ["fake.png", "no PNG"],
    [".", "no file"],
  ])("%s is no image, which is said", async (name, why) => {
    const { cwd, shelf } = await setUp();
    writeFileSync(path.join(cwd, "fake.png"), "only called so");
    expect(await shelf().attach(cwd, name)).toMatchObject({ kind: "none", why: expect.stringContaining(why) });
  });

  it("of the ledger is never opened", async () => {
    const { cwd, shelf } = await setUp();
    expect((await shelf().attach(cwd, "../state.db")).kind).not.toBe("attached");
  });

  it("is an image by its bytes, and not by its name", async () => {
    const { cwd, shelf } = await setUp();
    writeFileSync(path.join(cwd, "photo.jpg"), IMAGE);
    const attached = await shelf().attach(cwd, "photo.jpg");
    const made = await shelf().prompt(attached.kind === "attached" ? attached.image.token : "");
    expect(made).toMatchObject({ ok: true, prompt: [{ kind: "text" }, { mediaType: "image/png", name: "photo.jpg" }] });
  });
});
