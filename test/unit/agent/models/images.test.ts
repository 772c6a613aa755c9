// An image of a prompt at each provider's strict server: its bytes in the provider's own form, and words where a model
// or a provider takes none of them.
import { afterEach, describe, expect, it } from "vitest";
import { modelRegistry } from "../../../../src/agent/models/registry.ts";
import { sha256 } from "../../../../src/ledger/ids.ts";
import { imageToken } from "../../../../src/ledger/image-token.ts";
import type { FilePart, Part } from "../../../../src/ledger/types.ts";
import { pngImage } from "../../../helpers/images.ts";
import { startModelServer } from "../../../helpers/model-server.ts";
import { ask, textOf } from "./ask.ts";
import { closeServers, NAMES, setUp } from "./provider-setup.ts";

afterEach(closeServers);

const IMAGE = pngImage(640, 480);
const { token } = imageToken({ name: "shot.png", width: 640, height: 480, hash: sha256(IMAGE) });
const PART: FilePart = {
  kind: "file",
  blob: sha256(IMAGE),
  mediaType: "image/png",
  name: "shot.png",
  bytes: IMAGE.length,
};
const asked = (...parts: readonly Part[]) => ({
  messages: [{ role: "user", parts: [{ kind: "text", text: `what is ${token}?` }, ...parts] } as const],
  loadBlob: () => Promise.resolve(IMAGE),
});

describe.each(NAMES)("an image for %s", (name) => {
  it("goes out whole, behind a text that shows where it stands and no hash", async () => {
    const { server, model } = await setUp(name, [{ blocks: [{ say: "a square" }] }]);
    expect(textOf(await ask(model, asked(PART)))).toBe("a square");
    const text = server.requests[0]?.text ?? "";
    expect(text).toContain("what is [image shot.png 640×480]?");
    expect(text).toContain(IMAGE.toString("base64"));
    expect(text).not.toContain("sha256-");
  });

  it("is the same bytes in every request that repeats it", async () => {
    const { server, model } = await setUp(name, [{ blocks: [{ say: "a" }] }, { blocks: [{ say: "a" }] }]);
    await ask(model, asked(PART));
    await ask(model, asked(PART));
    expect(server.requests[1]?.text).toBe(server.requests[0]?.text);
  });
});

describe("an image", () => {
  it("that Anthropic would refuse, and with it every later request, is left out in words", async () => {
    const { server, model } = await setUp("anthropic", [{ blocks: [{ say: "none" }] }]);
    await ask(model, asked({ ...PART, bytes: 4 * 1024 * 1024 }));
    expect(server.requests[0]?.text).toContain("[shot.png left out: anthropic takes no more than 3.75 MB]");
  });

  it("is named in its place to a model that the config says takes none, and to the guide", async () => {
    const server = await startModelServer(() => ({ text: "ok" }));
    const kind = "openai-compatible" as const;
    const registry = modelRegistry({
      env: {},
      providers: { local: { kind, baseURL: server.url, models: ["blind", "sees"] } },
      models: { "local/blind": { images: false } },
    });
    for (const model of ["blind", "sees"]) {
      const opened = registry.open({ provider: "local", model });
      if (opened.ok) await ask(opened.model, asked(PART));
    }
    const [blind, sees] = server.requests.map(({ body }) => body.messages[0]?.content);
    expect(blind).toBe("what is [image shot.png left out: blind takes no images]?");
    expect(sees).toEqual([
      { type: "text", text: "what is [image shot.png 640×480]?" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${IMAGE.toString("base64")}` } },
    ]);
    await server.close();
    const guide = registry.open({ provider: "guide", model: "guide" });
    const parts: Part[] = [{ kind: "text", text: `say see ${token}` }, PART];
    const said = guide.ok ? await ask(guide.model, { messages: [{ role: "user", parts }] }) : [];
    expect(textOf(said)).toContain("see [image shot.png left out: guide takes no images]");
  });
});
