// What a session holds and cost, against an endpoint that counts.
import { describe, expect, it, onTestFinished } from "vitest";
import { startModelServer } from "../helpers/model-server.ts";
import { openStele, ready, type } from "../helpers/screen-program.ts";
import { type Workplace, workplace } from "../helpers/stele.ts";
import { writeConfig } from "../helpers/write-config.ts";

const spent = (prompt: number, completion: number, cached = 0) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: cached },
});

async function counting(): Promise<Workplace> {
  const server = await startModelServer([
    { text: "one", usage: spent(2_000, 100) },
    { text: "two", usage: spent(4_000, 100, 1_000) },
  ]);
  onTestFinished(() => server.close());
  const place = workplace();
  writeConfig(place, {
    model: "local/m1",
    providers: { local: { kind: "openai-compatible", baseURL: server.url, models: ["m1"] } },
    models: { "local/m1": { contextWindow: 10_000, inputPrice: 10, outputPrice: 100, cacheReadPrice: 1 } },
  });
  return place;
}

describe("what was used", () => {
  it("is told by parts that sum up to the count, and by model with its cost", async () => {
    const place = await counting();
    await place.stele(["run", "hello"]);
    await place.stele(["run", "-c", "more"]);
    const told = await place.stele(["usage", "-c", "--json"]);
    expect(told.code, told.err).toBe(0);
    const parts = told.events.filter((row) => row["by"] === "context");
    expect(parts.map((row) => row["key"])).toEqual(["system", "files", "tools", "messages", "results"]);
    const total = parts.reduce((sum, row) => sum + Number(row["tokens"]), 0);
    expect(Math.abs(total - 4_100)).toBeLessThan(5);
    // 2,000 + 3,000 at 10, 1,000 at 1, 200 at 100 dollars a million.
    expect(told.events.filter((row) => row["by"] === "model")).toEqual([
      {
        by: "model",
        key: "local/m1",
        calls: 2,
        inputTokens: 6_000,
        outputTokens: 200,
        cacheReadTokens: 1_000,
        cost: expect.closeTo(0.071, 6) as number,
      },
    ]);
    const words = (await place.stele(["usage", "-c"])).out;
    expect(words).toMatch(/^context {3}41 % of 10,000: about 4,100 tokens, counted by the model\n/);
    expect(words).toMatch(/\n {2}local\/m1: 2 answers, 6,000 in \(1,000 from the cache\), 200 out, \$0\.07\n/);
  });

  it("is in the status line, also after a resume and an undo", async () => {
    const place = await counting();
    const stele = openStele(place, [], { cols: 100, rows: 24 });
    await type(stele, "hello");
    await stele.waitFor(/m1 · 21 % context · \$0\.03/);
    await type(stele, "more");
    await stele.waitFor(/m1 · 41 % context · \$0\.07/);
    await type(stele, "/undo");
    await stele.waitFor(/m1 · 21 % context · \$0\.07/);

    const again = openStele(place, ["-c"], { cols: 100, rows: 24 });
    await ready(again);
    await again.waitFor(/m1 · 21 % context · \$0\.07/);
  });

  it("is said to be not known where it is not", async () => {
    const server = await startModelServer([{ text: "hi" }]);
    onTestFinished(() => server.close());
    const place = workplace();
    const local = { kind: "openai-compatible", baseURL: server.url, models: ["m1"] };
    writeConfig(place, { model: "local/m1", providers: { local } });
    await place.stele(["run", "hello"]);
    const { out, code } = await place.stele(["usage", "-c"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^context {3}about [\d,]+ tokens, estimated; this model's window is not known\n/);
    expect(out).toMatch(/\nspent {5}nothing was counted\n/);
  });
});
