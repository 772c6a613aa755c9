// A model that refuses for a while, on the screen: a countdown that esc ends, and an answer that comes after all.
import { describe, expect, it } from "vitest";
import { type ModelReply, startModelServer } from "../helpers/model-server.ts";
import { everything, openStele, ready, type } from "../helpers/screen-program.ts";
import { type Workplace, workplace } from "../helpers/stele.ts";
import { writeConfig } from "../helpers/write-config.ts";

const refuses: ModelReply = { status: 429, headers: { "retry-after": "60" }, body: "slow down" };
const cut: ModelReply = { text: ["A half answer", " that"], faults: [{ kind: "cut", after: 2 }] };

async function playing(script: readonly ModelReply[], play: (place: Workplace) => Promise<void>): Promise<void> {
  const server = await startModelServer(script);
  const place = workplace();
  const providers = { local: { kind: "openai-compatible", baseURL: server.url, models: ["m1"] } };
  writeConfig(place, { model: "local/m1", providers });
  try {
    await play(place);
  } finally {
    await server.close();
  }
}

describe("a model that refuses for a while", () => {
  it("is counted down to, and esc ends it at once", async () => {
    await playing([refuses, { text: "never" }], async (place) => {
      const stele = openStele(place);
      await type(stele, "hello");
      await stele.waitFor(/rate limited · again in 6\d s · esc stops/);
      await stele.waitFor(/rate limited · again in 5\d s · esc stops/);
      stele.write("\x1b[27u");
      await stele.waitFor(/Stopped\./);
      await ready(stele);
      expect(everything(stele)).not.toMatch(/again in/);
    });
  });

  it("answers after all: what had streamed is marked as not kept, the answer stands once", async () => {
    await playing([cut, { text: "the whole of it" }], async (place) => {
      const stele = openStele(place);
      await type(stele, "hello");
      await stele.waitFor(/● the whole of it/);
      await ready(stele);
      const shown = everything(stele);
      expect(shown).toMatch(/A half answer that\n+ *not kept: the answer broke off, asked again\n/);
      expect(shown.match(/the whole of it/g)).toHaveLength(1);

      const again = openStele(place, ["-c"]);
      await again.waitFor(/● the whole of it/);
      expect(everything(again)).not.toContain("half answer");
    });
  });

  it("is told once to who reads lines", async () => {
    await playing([{ ...refuses, headers: { "retry-after-ms": "400" } }, { text: "well" }], async (place) => {
      const stele = openStele(place, ["--screen-reader"]);
      await stele.waitFor(/ready: new conversation/);
      stele.write("hello\r");
      await stele.waitFor(/well/);
      expect(everything(stele).match(/rate limited, asked again in 1 s \(retry 1 of 8\)/g)).toHaveLength(1);
    });
  });
});
