// What a start says of the guide, for every way that a conversation comes to it.
import { expect, it } from "vitest";
import { guideWords } from "../../../../src/agent/models/guide-words.ts";
import { modelRegistry } from "../../../../src/agent/models/registry.ts";

const chosen = { flag: "guide/guide" };
const inConfig = { configured: "guide/guide" };

it.each([
  { how: "by the flag", env: {}, asked: chosen },
  { how: "by the config", env: {}, asked: inConfig },
  { how: "by an alias in the config", env: {}, asked: { configured: "plain" } },
  { how: "by the environment", env: { STELE_MODEL: "guide/guide" }, asked: {} },
  { how: "by the flag, where a model is connected", env: { OPENAI_API_KEY: "k" }, asked: chosen },
  { how: "by its conversation, where a model is connected", env: { OPENAI_API_KEY: "k" }, asked: {} },
])("a guide that was chosen $how is named, and no model is missed", ({ env, asked }) => {
  const models = modelRegistry({ env, providers: {}, aliases: { plain: "guide/guide" } });
  expect(guideWords(models.defaultRoute(asked).source)).toEqual([
    "The embedded guide answers: it is no language model, it obeys plain orders (try: help).",
  ]);
});

it.each([{}, { configured: " " }])("a guide that nobody chose says that no model is connected: %j", (asked) => {
  const words = guideWords(modelRegistry({ env: {}, providers: {} }).defaultRoute(asked).source);
  expect(words).toHaveLength(2);
  expect(words[0]).toMatch(/^No model is connected, so the embedded guide answers/);
  expect(words[1]).toMatch(/^To connect one: /);
});
