// A title that the model gives: the status line follows it, and nobody waits for one that does not come.
import { expect, it, onTestFinished } from "vitest";
import { type ChatBody, type ModelReply, startModelServer } from "../helpers/model-server.ts";
import { openStele, ready, type } from "../helpers/screen-program.ts";
import { type Workplace, workplace } from "../helpers/stele.ts";
import { inLedger } from "../helpers/stored.ts";
import { writeConfig } from "../helpers/write-config.ts";

const isTitle = ({ messages }: ChatBody) => JSON.stringify(messages[0]).includes("You name a conversation");

async function connected(title: ModelReply, config: object = {}): Promise<{ place: Workplace; asked: () => number }> {
  const server = await startModelServer((body) => (isTitle(body) ? title : { text: "fine" }));
  onTestFinished(() => server.close());
  const place = workplace();
  const local = { kind: "openai-compatible", baseURL: server.url, models: ["m1"] };
  writeConfig(place, { model: "local/m1", providers: { local }, titles: "model", ...config });
  return { place, asked: () => server.requests.filter(({ body }) => isTitle(body)).length };
}

it("is in the status line as soon as it is there, and gives way to the person's", async () => {
  const { place } = await connected({ text: "Clock that drifts" });
  const stele = openStele(place);
  await type(stele, "why is it slow");
  await stele.waitFor(/saved · Clock that drifts ·/);
  await type(stele, "/title");
  await stele.waitFor("Clock that drifts (by the model)");
  await type(stele, "/title slow clock");
  await stele.waitFor(/saved · slow clock ·/);
  const [listed] = inLedger(place, (db) => db.listSessions());
  expect(listed?.session).toMatchObject({ title: "slow clock", titleSource: "person" });
});

it("holds up neither the next turn nor the way out", async () => {
  const never = new Promise<void>(() => {});
  const { place, asked } = await connected({ text: "Late", faults: [{ kind: "hold", until: never }] });
  const stele = openStele(place);
  await type(stele, "one");
  await expect.poll(asked).toBe(1);
  await type(stele, "two");
  await stele.waitFor(/› two[\s\S]*● fine[\s\S]*saved/);
  await type(stele, "/quit");
  expect((await stele.exit).exitCode).toBe(0);
  expect(inLedger(place, (db) => db.listSessions())[0]?.session).toMatchObject({ title: "one", turns: 2 });
});

it("is asked for neither where the config says so, nor by a run without a screen", async () => {
  const quiet = await connected({ text: "Unasked" }, { titles: "off" });
  const stele = openStele(quiet.place);
  await type(stele, "one");
  await stele.waitFor(/● fine[\s\S]*saved/);
  await type(stele, "two");
  await stele.waitFor(/● fine[\s\S]*● fine[\s\S]*saved/);
  await ready(stele);
  const { place, asked } = await connected({ text: "Unasked" });
  await place.stele(["run", "three"]);
  expect([quiet.asked(), asked()]).toEqual([0, 0]);
});
