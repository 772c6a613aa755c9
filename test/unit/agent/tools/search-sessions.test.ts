import { describe, expect, it } from "vitest";
import { type ModelRegistry, modelRegistry } from "../../../../src/agent/models/registry.ts";
import { searchSessionsTool } from "../../../../src/agent/tools/search-sessions.ts";
import { NO_SERVERS, openDesk } from "../../commands/command-harness.ts";
import { makeHarness } from "./tool-harness.ts";

/** Asks for a search where the prompt says so, else obeys as the guide does. */
function searchingModels(): ModelRegistry {
  const models = modelRegistry({ env: NO_SERVERS, providers: {} });
  return {
    ...models,
    open: (route) => {
      const opened = models.open(route);
      if (!opened.ok) return opened;
      const { model } = opened;
      return {
        ...opened,
        model: {
          route: model.route,
          async *stream(request) {
            const last = request.messages.at(-1)?.parts.at(-1);
            if (last?.kind !== "text" || !last.text.startsWith("recall ")) {
              yield* model.stream(request);
              return;
            }
            await request.beforeSend("digest");
            yield { type: "tool-call", call: "c1", tool: "search_sessions", input: { query: last.text.slice(7) } };
            yield { type: "finish", reason: "tool-calls" };
          },
        },
      };
    },
  };
}

describe("search_sessions", () => {
  it("finds what was said in another conversation, and nothing of the one that asks", async () => {
    const desk = await openDesk({ models: searchingModels() });
    await desk.say("say a grey heron");
    const { id } = desk.runner.session;
    await desk.runner.open(await desk.newSession({ title: "later" }), false);
    await desk.say("recall heron");
    const { messages } = await desk.db.path(desk.runner.session.id, { limit: 10 });
    const output = messages
      .flatMap(({ parts }) => parts.flatMap((part) => (part.kind === "tool-result" ? [part.outcome.output ?? ""] : [])))
      .join("\n");
    expect(output).toMatch(new RegExp(`^${id} \\d{4}-\\d\\d-\\d\\d “say a grey heron” assistant: .*>>>heron<<<`, "m"));
    expect(output).not.toContain("“later”");
  });

  it("says so where there is nothing to search in, and takes no empty query", async () => {
    const harness = await makeHarness();
    expect(await harness.call(searchSessionsTool, { query: "x" })).toMatchObject({ kind: "failed" });
    expect(searchSessionsTool.parse({ query: "x", limit: 51 })).toMatchObject({ ok: false });
    expect(searchSessionsTool.parse({ query: "" })).toMatchObject({ ok: false });
  });
});
