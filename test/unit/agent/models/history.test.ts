import fc from "fast-check";
import { afterEach, describe, expect, it, test } from "vitest";
import { fitHistory, type HistoryRules } from "../../../../src/agent/models/history.ts";
import type { ModelMessage } from "../../../../src/agent/models/model.ts";
import { projectForModel } from "../../../../src/ledger/projection.ts";
import type { Json, Message, MessageId, Part, Role } from "../../../../src/ledger/types.ts";
import { fullNumber } from "../../../helpers/full-numbers.ts";
import type { ProviderAnswer } from "../../../helpers/provider-server.ts";
import { ask, assistant, user } from "./ask.ts";
import { closeServers, NAMES, partsOf, setUp } from "./provider-setup.ts";

afterEach(closeServers);

const LOOSE: HistoryRules = { provider: "p", maxId: 40, isStrict: false, canReplay: () => true };
const STRICT: HistoryRules = { ...LOOSE, isStrict: true };

function call(id: string, input: Json = {}): Part {
  return { kind: "tool-call", call: id, tool: "shell", input };
}

function result(id: string): Part {
  return { kind: "tool-result", call: id, outcome: { kind: "ok", output: "fine" } };
}

function idsOf(messages: readonly ModelMessage[]): string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === "tool-call" || part.kind === "tool-result" ? [part.call] : [])),
  );
}

describe("ids of calls", () => {
  it("that come again later are told apart, each with its own result", () => {
    const round: ModelMessage[] = [assistant(call("call_0")), { role: "tool", parts: [result("call_0")] }];
    expect(idsOf(fitHistory([user("go"), ...round, ...round], LOOSE))).toEqual([
      "call_0",
      "call_0",
      "call_0_2",
      "call_0_2",
    ]);
  });

  it("fit the provider's alphabet and length, and stay unique", () => {
    const odd = ["functions.shell:0", "functions shell 0", "", "ünï", `${"x".repeat(60)}1`, `${"x".repeat(60)}2`];
    const fitted = fitHistory([assistant(...odd.map((id) => call(id)))], LOOSE);
    const ids = idsOf(fitted);
    expect(new Set(ids).size).toBe(odd.length);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,40}$/);
  });

  it("are nine letters and digits where that is what is wanted", () => {
    const ids = idsOf(
      fitHistory([assistant(call("abcDEF123"), call("toolu_01"), call("toolu_02"))], { ...LOOSE, nine: true }),
    );
    expect(ids[0]).toBe("abcDEF123");
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
  });

  it("do not change when the conversation goes on", () => {
    const before: ModelMessage[] = [
      user("go"),
      assistant(call("a b"), call("a.b")),
      { role: "tool", parts: [result("a b")] },
    ];
    const after = [...before, assistant(call("a_b"), call("a b"))];
    expect(fitHistory(after, LOOSE).slice(0, 3)).toEqual(fitHistory(before, LOOSE));
  });
});

describe("a conversation", () => {
  it("keeps only its own provider's reasoning and signatures", () => {
    const own = { provider: "p", data: "1" };
    const foreign = { provider: "q", data: "2" };
    const parts: Part[] = [own, foreign].flatMap((opaque) => [
      { kind: "reasoning", text: "hm", opaque },
      { kind: "text", text: "so", opaque },
      { ...call(`c${opaque.data}`), opaque } as Part,
    ]);
    const kept = fitHistory([assistant(...parts)], LOOSE)[0]?.parts ?? [];
    expect(kept.filter(({ kind }) => kind === "reasoning")).toHaveLength(1);
    expect(JSON.stringify(kept)).not.toContain('"q"');
    expect(kept.filter((part) => "opaque" in part)).toHaveLength(3);
  });

  it("that a strict provider gets begins and ends with a person, alternates and has no blank texts", () => {
    const messages = [assistant({ kind: "text", text: "late" }), user(" "), assistant({ kind: "text", text: "again" })];
    const fitted = fitHistory(messages, STRICT);
    expect(fitted.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  it("leaves out reasoning that cannot be sent letter by letter, or that leads to nothing", () => {
    const opaque = { provider: "p", data: "1" };
    const broken: Part = { kind: "reasoning", text: "\ud800", opaque };
    const loose: Part = { kind: "reasoning", text: "hm", opaque };
    expect(fitHistory([assistant(broken, { kind: "text", text: "so" }, loose)], LOOSE)).toEqual([
      assistant({ kind: "text", text: "so" }),
    ]);
  });

  it("is not changed itself", () => {
    const messages = [
      user("go"),
      assistant(call("a b", ["\ud800"])),
      { role: "tool", parts: [result("a b")] } as const,
    ];
    const before = structuredClone(messages);
    fitHistory(messages, STRICT);
    expect(messages).toEqual(before);
  });
});

const SECRETS: ProviderAnswer = {
  blocks: [
    { think: "hm", secret: "secret-of-1" },
    { say: "Both." },
    { call: "shell", id: "call_0", input: { command: "ls" }, secret: "secret-of-2" },
    { call: "shell", id: "call_1", input: { command: "pwd" } },
  ],
};

describe("a conversation that another provider began", () => {
  const pairs = NAMES.flatMap((from) => NAMES.filter((to) => to !== from).map((to) => [from, to] as const));
  test.each(pairs)("%s, goes on with %s, and back again", async (from, to) => {
    const first = await setUp(from, [SECRETS, { blocks: [{ say: "back" }] }]);
    const answer = partsOf(await ask(first.model), from);
    const results = answer.flatMap((part) => (part.kind === "tool-call" ? [result(part.call)] : []));
    const path: ModelMessage[] = [user("go"), assistant(...answer), { role: "tool", parts: results }];
    const second = await setUp(to, [SECRETS]);
    const next = partsOf(await ask(second.model, { messages: path }), to);
    expect(second.server.requests[0]?.text).not.toContain("secret-of");
    const more = next.flatMap((part) => (part.kind === "tool-call" ? [result(part.call)] : []));
    path.push(assistant(...next), { role: "tool", parts: more }, user("and now?"));
    const parts = await ask(first.model, { messages: path });
    expect(parts.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
    expect(first.server.requests[1]?.text).toContain(from === "google" ? "secret-of-2" : "secret-of-1");
  });
});

const anyText = fc.oneof(
  fc.constantFrom("", " ", "\n", "ls -la", "wörld\n", "\ud800x", "y\udc00"),
  fc.string({ unit: "binary", maxLength: 12 }),
);
const anyId = fc.constantFrom("", "call_0", "call 0", "toolu_01AbC", "functions.x:0", "é", "x".repeat(90));
const anyOpaque = fc.constantFrom(...NAMES.map((provider) => ({ provider, data: "no json" })), {
  provider: "other",
  data: '{"signature":"s"}',
});
const anyInput = fc.constantFrom<Json>({}, { a: "\ud800" }, [1], "text", null, 7, { unparsed: '{"a' });
const anyOutcome = fc.oneof(
  anyText.map((output) => ({ kind: "ok", output }) as const),
  fc.constantFrom({ kind: "unknown" } as const, { kind: "denied" } as const),
);
const anyPart: fc.Arbitrary<Part> = fc.oneof(
  anyText.map((text): Part => ({ kind: "text", text })),
  fc.record({ kind: fc.constant("reasoning" as const), text: anyText, opaque: anyOpaque }),
  fc.record({ kind: fc.constant("tool-call" as const), call: anyId, tool: fc.constant("shell"), input: anyInput }),
  fc.record({ kind: fc.constant("tool-result" as const), call: anyId, outcome: anyOutcome }),
);
const anyPath = fc.array(
  fc.record({
    role: fc.constantFrom<Role>("user", "assistant", "tool", "note"),
    parts: fc.array(anyPart, { maxLength: 4 }),
  }),
  { maxLength: 8 },
);

/** Two answers, nothing between them, that use one id. */
const sameIdInARow = [
  { role: "assistant" as const, parts: [call("é")] },
  { role: "assistant" as const, parts: [call("é", { a: 1 })] },
  { role: "tool" as const, parts: [result("é")] },
];

/** Ids within one answer are told apart when it is taken in. */
function asStored(path: readonly { role: Role; parts: readonly Part[] }[]): Message[] {
  return path.map(({ role, parts }, at) => {
    const seen = new Set<string>();
    const fits = (part: Part): boolean => {
      if (part.kind === "tool-result") return role === "tool";
      if (part.kind === "text") return role !== "tool";
      if (role !== "assistant") return false;
      return part.kind !== "tool-call" || (!seen.has(part.call) && Boolean(seen.add(part.call)));
    };
    return { id: at as MessageId, role, parts: parts.filter(fits) } as unknown as Message;
  });
}

describe.each(NAMES)("any conversation of the ledger", (name) => {
  it(`is one that ${name} accepts`, async () => {
    const hi: ProviderAnswer = { blocks: [{ say: "hi" }] };
    const { model, server } = await setUp(
      name,
      Array.from({ length: 150 }, () => hi),
    );
    await fc.assert(
      fc.asyncProperty(anyPath, async (path) => {
        const messages = projectForModel(asStored(path));
        if (messages.length === 0) return;
        const known = server.problems.length;
        const parts = await ask(model, { messages });
        expect({ problems: server.problems.slice(known), last: parts.at(-1)?.type }).toEqual({
          problems: [],
          last: "finish",
        });
      }),
      { numRuns: fullNumber(120, 40), examples: [[sameIdInARow]] },
    );
  });
});
