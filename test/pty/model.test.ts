// Choosing a model on the screen, and a conversation whose model has no key any more.
import { expect, it, onTestFinished } from "vitest";
import { startModelServer } from "../helpers/model-server.ts";
import { everything, openStele, ready, type } from "../helpers/screen-program.ts";
import { type Workplace, workplace } from "../helpers/stele.ts";
import { writeConfig } from "../helpers/write-config.ts";

async function connected(): Promise<{ place: Workplace; asked: () => readonly unknown[] }> {
  const server = await startModelServer(() => ({ text: "fine" }));
  onTestFinished(() => server.close());
  const place = workplace();
  const kept = { kind: "openai-compatible", baseURL: server.url, apiKeyEnv: "MY_KEY", models: ["m1", "m2"] };
  writeConfig(place, { model: "kept/m1", providers: { kept } });
  return { place, asked: () => server.requests.map(({ body }) => [body.model, body["reasoning_effort"]]) };
}

it("the list begins at the model there is, left and right set its effort, and the status line says it", async () => {
  const { place, asked } = await connected();
  const stele = openStele(place, [], { cols: 100, rows: 24, env: { MY_KEY: "k-1234" } });
  await type(stele, "/model");
  await stele.waitFor(/❯ kept\/m1 +default +current/);
  stele.write("\x1b[B");
  await stele.waitFor(/❯ kept\/m2 +default/);
  stele.write("\x1b[C\x1b[C\x1b[C");
  await stele.waitFor(/❯ kept\/m2 +high/);
  stele.write("\r");
  await stele.waitFor(/model: kept\/m1 → kept\/m2, high effort/);
  await stele.waitFor(/saved · m2 high/);
  await type(stele, "hello");
  await stele.waitFor(/● fine/);
  expect(asked()).toEqual([["m2", "high"]]);
});

it("without its key a conversation can be read, its prompt waits, and only a person sends it to another model", async () => {
  const { place, asked } = await connected();
  await place.stele(["run", "hello"], { env: { MY_KEY: "k-1234" } });
  const stele = openStele(place, ["-c"], { cols: 100, rows: 30 });
  await stele.waitFor(/cannot be asked: kept: MY_KEY is not set[\s\S]*\/model[\s\S]*● fine/);
  await type(stele, "say kept words");
  await stele.waitFor(/Kept, not sent: kept: MY_KEY is not set/);
  await stele.waitFor(/say kept words +\(waits · \/queue run\)[\s\S]*saved · 1 waiting/);
  await type(stele, "/model guide/guide");
  await stele.waitFor(/model: kept\/m1 → guide\/guide[\s\S]*1 prompt waits: \/queue run/);
  await type(stele, "/queue run");
  await stele.waitFor(/● kept words/);
  await ready(stele);
  expect(everything(stele)).not.toContain("No answer");
  expect(asked()).toHaveLength(1);
});
