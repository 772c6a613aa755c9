// Images in the built program: pasted or named they become one piece of the prompt, a kill between the paste and enter
// takes none of it, the model is given the bytes, and an undo gives the image back.
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { afterEach, describe, expect, it } from "vitest";
import { pngImage } from "../helpers/images.ts";
import { type ModelServer, startModelServer } from "../helpers/model-server.ts";
import { everything, openStele, ready, type } from "../helpers/screen-program.ts";
import { type Workplace, workplace } from "../helpers/stele.ts";
import { writeConfig } from "../helpers/write-config.ts";

const IMAGE = pngImage(640, 480);
const SEEN = `data:image/png;base64,${IMAGE.toString("base64")}`;
const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function imagePlace(): Promise<{ place: Workplace; server: ModelServer }> {
  const place = workplace();
  const server = await startModelServer(() => ({ text: "a square" }));
  servers.push(server);
  const providers = { local: { kind: "openai-compatible", baseURL: server.url, models: ["m", "blind"] } };
  writeConfig(place, { model: "local/m", providers, models: { "local/blind": { images: false } } });
  writeFileSync(path.join(place.folder, "my shot.png"), IMAGE);
  writeFileSync(path.join(place.folder, "big.png"), pngImage(10, 10, 6_000_000));
  return { place, server };
}

function contentOf(server: ModelServer, at: number): unknown {
  return server.requests[at]?.body.messages.findLast(({ role }) => role === "user")?.content;
}

describe("an image on the screen", () => {
  it("is pasted by its path, survives a kill and the loss of its file, is sent, and comes back by undo", async () => {
    const { place, server } = await imagePlace();
    const file = path.join(place.folder, "my shot.png");
    const doomed = openStele(place);
    await ready(doomed);
    doomed.write("what is ");
    doomed.write(`\x1b[200~'${file}'\x1b[201~`);
    await doomed.waitFor("❯ what is [image my shot.png 640×480]");
    await keptDraft(place);
    rmSync(file);
    doomed.kill("SIGKILL");
    await doomed.exit;

    const stele = openStele(place, ["-c"]);
    await stele.waitFor("❯ what is [image my shot.png 640×480]");
    stele.write("\r");
    await stele.waitFor("● a square");
    const wanted = [
      { type: "text", text: "what is [image my shot.png 640×480]" },
      { type: "image_url", image_url: { url: SEEN } },
    ];
    expect(contentOf(server, 0)).toEqual(wanted);
    expect(everything(stele)).toContain("› what is [image my shot.png 640×480]");
    expect(readdirSync(path.join(place.home, "images"))).toEqual([]);

    await type(stele, "/undo");
    await stele.waitFor("❯ what is [image my shot.png 640×480]");
    stele.write("\r");
    await stele.waitFor((each) => everything(each).split("● a square").length === 3);
    expect(contentOf(server, 1)).toEqual(wanted);
    expect(everything(stele)).not.toContain("sha256-");
  }, 60_000);

  it("is taken by its @path, goes with one backspace, and is refused with its size when it is too large", async () => {
    const { place, server } = await imagePlace();
    const stele = openStele(place);
    await ready(stele);
    stele.write('see @"my shot.png" ');
    await stele.waitFor(/❯ see \[image my shot\.png 640×480\]/);
    stele.write("\x7f\x7f");
    await stele.waitFor(/❯ see\s*$/m);
    stele.write("@big.png");
    await stele.waitFor(/^❯ see @big\.png/m);
    stele.write(" \r");
    await stele.waitFor("big.png is not attached: it has 5.8 MB, and an image may have 5 MB.");
    await stele.waitFor(/^❯ see @big\.png/m);
    stele.write(`\x15/title \x1b[200~${place.folder}/big.png\x1b[201~ @"my shot.png" \r`);
    await stele.waitFor(/The title is now “.*big\.png\s@"my\sshot\.png"”/s);
    expect(server.requests).toHaveLength(0);
  });

  it("is left out in words for a model that takes none, which is said once", async () => {
    const { place, server } = await imagePlace();
    const stele = openStele(place, ["-m", "local/blind"]);
    for (const n of [1, 2]) {
      await ready(stele);
      stele.write(`${n} \x1b[200~'my shot.png'\x1b[201~`);
      await stele.waitFor(`❯ ${n} [image my shot.png 640×480]`);
      stele.write("\r");
      await stele.waitFor((each) => everything(each).split("● a square").length === n + 1);
    }
    expect(contentOf(server, 0)).toBe("1 [image my shot.png left out: blind takes no images]");
    expect(everything(stele).split("blind takes no images").length).toBe(2);
  });
});

describe("stele run --image", () => {
  it("sends each image, tells its blob in the events, and asks nothing when one cannot go along", async () => {
    const { place, server } = await imagePlace();
    writeFileSync(path.join(place.folder, "two.png"), pngImage(2, 3));
    const ran = await place.stele(["run", "--json", "--image", "my shot.png", "--image", "two.png", "compare"]);
    expect(ran.code, ran.err).toBe(0);
    expect(contentOf(server, 0)).toMatchObject([
      { text: "compare\n\n[image my shot.png 640×480]\n\n[image two.png 2×3]" },
      { image_url: { url: SEEN } },
      { type: "image_url" },
    ]);
    const user = ran.events.find(({ type: kind, message }) => kind === "message-added" && isOfUser(message));
    expect(user).toMatchObject({
      message: { parts: [{ kind: "text" }, { kind: "file", mediaType: "image/png", bytes: IMAGE.length }, {}] },
    });
    expect(readdirSync(path.join(place.home, "images"))).toEqual([]);
    for (const [name, why] of [
      ["big.png", "5.8 MB"],
      ["gone.png", "no file"],
    ] as const) {
      const refused = await place.stele(["run", "--image", name, "look"]);
      expect(refused.code).toBe(2);
      expect(refused.err).toContain(why);
    }
    expect(server.requests).toHaveLength(1);
  });
});

function isOfUser(message: unknown): boolean {
  return (message as { readonly role?: string }).role === "user";
}

/** Until the ledger has the unsent text with its image. */
async function keptDraft({ home }: Workplace): Promise<void> {
  const ledger = new Database(path.join(home, "state.db"), { readonly: true });
  const drafts = ledger.prepare("select text from drafts where kind = 'composer'").pluck();
  await expect.poll(() => drafts.all(), { timeout: 10_000 }).toEqual([expect.stringContaining("480 sha256-")]);
  ledger.close();
}
