import { describe, expect, it, test } from "vitest";
import { GUIDE_ROUTE, guideModel } from "../../../../src/agent/models/guide.ts";
import type { ModelMessage, ModelStreamPart } from "../../../../src/agent/models/model.ts";
import { ORDER_FORMS } from "../../../../src/agent/models/orders.ts";
import type { ToolOutcome, ToolOutcomeKind } from "../../../../src/ledger/types.ts";
import { ask, assistant, textOf, toRequest, user } from "./ask.ts";

const guide = guideModel();
const OK: ToolOutcome = { kind: "ok", output: "fine" };

function result(call: string, outcome: ToolOutcome = OK): ModelMessage {
  return { role: "tool", parts: [{ kind: "tool-result", call, outcome }] };
}

function called(call: string): ModelMessage {
  return assistant({ kind: "tool-call", call, tool: "shell", input: {} });
}

const callsOf = (parts: readonly ModelStreamPart[]) => parts.filter((part) => part.type === "tool-call");

async function replyTo(...messages: readonly ModelMessage[]): Promise<string> {
  const parts = await ask(guide, { messages });
  const calls = callsOf(parts).map((part) => `[${part.call} ${part.tool} ${JSON.stringify(part.input)}]`);
  return [textOf(parts), ...calls].filter((text) => text !== "").join(" ");
}

/** Carries the orders out as a turn would, and gives every answer. */
async function carryOut(orders: string, outcomes: readonly ToolOutcome[] = []): Promise<string[]> {
  const messages: ModelMessage[] = [user(orders)];
  const answers: string[] = [];
  for (let n = 0; n < 20; n++) {
    const parts = await ask(guide, { messages });
    answers.push(await replyTo(...messages));
    const call = callsOf(parts)[0];
    if (call === undefined) return answers;
    messages.push(assistant({ kind: "tool-call", call: call.call, tool: call.tool, input: call.input }));
    messages.push(result(call.call, outcomes[n] ?? OK));
  }
  throw new Error("the guide never came to an end");
}

describe("the guide", () => {
  it("says what it is, how to connect a model and what it obeys", async () => {
    const text = await replyTo(user("fix the timezone bug"));
    expect(text).toContain("not a language model");
    expect(text).toContain("OPENAI_API_KEY");
    expect(text).toContain("Ollama");
    for (const form of ORDER_FORMS) expect(text).toContain(form);
  });

  it("carries orders out one call a message and ends with a sentence", async () => {
    expect(await carryOut("write a.txt: hi then run cat a.txt then list")).toEqual([
      '[guide-1 write_file {"path":"a.txt","content":"hi"}]',
      '[guide-2 shell {"command":"cat a.txt"}]',
      '[guide-3 list_dir {"path":"."}]',
      "Done: 3 steps.",
    ]);
  });

  it("says what it is told to say, beside the calls in their order", async () => {
    expect(await carryOut("say hello")).toEqual(["hello"]);
    expect(await carryOut("say a then run x then say b then say c then run y then say d")).toEqual([
      'a [guide-1 shell {"command":"x"}]',
      'b\nc [guide-2 shell {"command":"y"}]',
      "d\nDone: 6 steps.",
    ]);
  });

  test.each<[ToolOutcomeKind, string]>([
    ["failed", "failed"],
    ["cancelled", "did not come to its end"],
    ["denied", "was not allowed"],
    ["unknown", "has an unknown outcome"],
  ])("stops at a step that is %s, names it and runs nothing after it", async (kind, words) => {
    const answers = await carryOut("run a then run b then run c then say d", [OK, { kind }]);
    expect(answers).toHaveLength(3);
    expect(answers[2]).toMatch(new RegExp(`^Step 2 of 4 ${words}.*: run b\\. The 2 steps after it were not run\\.$`));
  });

  it("names the exit code of a last step that failed", async () => {
    expect((await carryOut("run false", [{ kind: "failed", exitCode: 1 }])).at(-1)).toBe(
      "Step 1 of 1 failed with exit code 1: run false.",
    );
  });

  it("goes on at the right step in a turn that is resumed", async () => {
    const text = await replyTo(user("run a then run b"), called("guide-1"), result("guide-1"));
    expect(text).toBe('[guide-2 shell {"command":"b"}]');
  });

  it("takes a call without a result for unknown", async () => {
    expect(await replyTo(user("run a then run b"), called("guide-1"))).toContain("Step 1 of 2 has an unknown outcome");
  });

  it("goes on past a remark that came in between, and past several texts in one message", async () => {
    const before = [user("run a then run b"), called("guide-1"), result("guide-1")];
    expect(await replyTo(...before, user("hurry"))).toBe('[guide-2 shell {"command":"b"}]');
    expect(await replyTo(...before, user("hurry", "please"))).toBe('[guide-2 shell {"command":"b"}]');
  });

  it("drops the older orders for newer ones", async () => {
    const text = await replyTo(user("run a then run b"), called("guide-1"), result("guide-1"), user("run c"));
    expect(text).toBe('[guide-2 shell {"command":"c"}]');
  });

  it("answers a question after finished orders with help", async () => {
    const text = await replyTo(
      user("run a"),
      called("guide-1"),
      result("guide-1"),
      assistant({ kind: "text", text: "Done: 1 step." }),
      user("thanks"),
    );
    expect(text).toContain("not a language model");
  });

  it("does not carry out orders that were given up before their first call", async () => {
    expect(await replyTo(user("run a"), user("hello"))).toContain("not a language model");
    expect(await replyTo(user("run a", "hello"))).toContain("not a language model");
  });

  it("says what an incomplete order lacks", async () => {
    expect(await replyTo(user("write a.txt"))).toContain("write <path>: <text>");
  });

  it("numbers its calls above all earlier ones, another model's too", async () => {
    const earlier = [user("x"), called("call_a"), result("call_a"), called("guide-7"), result("guide-7")];
    const text = await replyTo(...earlier, assistant({ kind: "text", text: "ok" }), user("run b"));
    expect(text).toContain("[guide-8 ");
  });

  it("streams word by word and gives back every character", async () => {
    const parts = await ask(guide, { messages: [user("say one  two\nthree")] });
    expect(parts.filter((part) => part.type === "text-delta").map((part) => part.text)).toEqual([
      "one",
      "  two",
      "\nthree",
    ]);
  });

  it("ends once, with a rough count of tokens", async () => {
    const parts = await ask(guide, { messages: [user("run a")] });
    expect(parts.at(-1)).toMatchObject({ type: "finish", reason: "tool-calls" });
    const usage = parts.at(-1)?.type === "finish" ? parts.at(-1) : undefined;
    expect(usage).toMatchObject({ usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) } });
  });

  it("announces a digest that the same request repeats and another does not", async () => {
    const digests: string[] = [];
    const beforeSend = (digest: string) => Promise.resolve(void digests.push(digest));
    for (const text of ["say a", "say a", "say b"]) await ask(guide, { messages: [user(text)], beforeSend });
    expect(digests[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(digests[1]).toBe(digests[0]);
    expect(digests[2]).not.toBe(digests[0]);
  });

  it("announces nothing once it is stopped", async () => {
    let announced = 0;
    const parts = await ask(guide, {
      signal: AbortSignal.abort(),
      beforeSend: () => Promise.resolve(void announced++),
    });
    expect(parts).toEqual([{ type: "error", error: expect.objectContaining({ code: "model_aborted" }) }]);
    expect(announced).toBe(0);
  });

  it("falls silent in the middle of a text when stopped", async () => {
    const stop = new AbortController();
    const types: string[] = [];
    for await (const part of guide.stream(toRequest(guide, { messages: [user("say a b c")], signal: stop.signal }))) {
      types.push(part.type);
      stop.abort();
    }
    expect(types).toEqual(["text-delta", "error"]);
  });

  it("is always the same route", () => {
    expect(guide.route).toEqual(GUIDE_ROUTE);
  });
});
