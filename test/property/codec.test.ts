import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeParts, encodeParts } from "../../src/ledger/codec.ts";
import { LedgerError } from "../../src/ledger/errors.ts";
import type { ProposedCall } from "../../src/ledger/tool-calls.ts";
import type { Hash, Json, Part } from "../../src/ledger/types.ts";
import { newSession, openLedger, requestId, startTurn } from "../helpers/ledger.ts";

const runs = Number(process.env["SOAK_RUNS"] || 150);

/** Every UTF-16 unit there is, so lone surrogates and NUL too. */
const anyText = fc.oneof(
  fc.string({ unit: fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "\0", "\ud800", "\udfff\ud800", "a\0b", "\u2028", '"\\', "__proto__"),
);
const json = fc.jsonValue({ stringUnit: "binary" }).map(withoutNegativeZero) as fc.Arbitrary<Json>;
const opaque = { opaque: fc.record({ provider: anyText, data: anyText }) };
const texts = (kind: "text" | "reasoning") =>
  fc.record({ kind: fc.constant(kind), text: anyText, ...opaque }, { requiredKeys: ["kind", "text"] });
const outcome = fc.record(
  {
    kind: fc.constantFrom("ok", "failed", "cancelled", "denied", "unknown"),
    output: anyText,
    exitCode: fc.integer(),
    truncated: fc.boolean(),
  },
  { requiredKeys: ["kind"] },
);
const answerParts = fc.oneof(
  texts("text"),
  texts("reasoning"),
  fc.record({ kind: fc.constant("tool-result"), call: anyText, outcome }),
  fc.record(
    {
      kind: fc.constant("summary"),
      text: anyText,
      keptFrom: fc.maxSafeNat(),
      folded: fc.maxSafeNat(),
      before: fc.maxSafeNat(),
      after: fc.maxSafeNat(),
    },
    { requiredKeys: ["kind", "text"] },
  ),
  fc.record({ kind: fc.constant("note"), text: anyText }),
  fc.record({ kind: fc.constant("shell"), command: anyText, timeout: fc.nat(), told: fc.boolean() }),
) as fc.Arbitrary<Part>;
const call = fc.record(
  { kind: fc.constant("tool-call"), call: fc.string({ minLength: 1 }), tool: anyText, input: json, ...opaque },
  { requiredKeys: ["kind", "call", "tool", "input"] },
) as fc.Arbitrary<Extract<Part, { kind: "tool-call" }>>;
const file = fc.record(
  {
    kind: fc.constant("file"),
    blob: fc.string().map((text) => text as Hash),
    mediaType: anyText,
    bytes: fc.nat(),
    name: anyText,
  },
  { requiredKeys: ["kind", "blob", "mediaType", "bytes"] },
) as fc.Arbitrary<Part>;

describe("the codec", () => {
  it("gives back every part as it was", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(answerParts, call, file)), (parts) => {
        expect(decodeParts(encodeParts(parts))).toEqual(parts);
        expect(encodeParts(decodeParts(encodeParts(parts)))).toBe(encodeParts(parts));
      }),
      { numRuns: runs * 4 },
    );
  });

  it("meets arbitrary JSON and arbitrary text with a ledger error or with parts, nothing else", () => {
    const almost = fc.array(
      fc.record(
        {
          kind: fc.constantFrom("text", "tool-call", "tool-result", "file", "summary"),
          text: json,
          call: json,
          outcome: json,
          opaque: json,
          tool: json,
          bytes: json,
          blob: json,
        },
        { requiredKeys: ["kind"] },
      ),
    );
    const anyJson = fc.oneof(
      fc.string(),
      fc.json(),
      almost.map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(anyJson, (text) => {
        try {
          expect(Array.isArray(decodeParts(text))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(LedgerError);
          expect((error as LedgerError).code).toBe("ledger_corrupt");
        }
      }),
      { numRuns: runs * 4 },
    );
  });

  it("refuses numbers JSON cannot say and nesting SQLite cannot check, before anything is written", () => {
    const db = openLedger();
    const { turn, message } = startTurn(db, newSession(db));
    let deep: Json = 1;
    for (let level = 0; level < 1_000; level += 1) deep = [deep];
    for (const input of [deep, Number.NaN, Number.POSITIVE_INFINITY] as Json[]) {
      const calls = [{ call: "c", tool: "shell", input, effect: "none" }] as const;
      const parts = [{ kind: "tool-call", call: "c", tool: "shell", input }] as const;
      expect(() => db.append(turn, { parent: message.id, role: "assistant", parts, at: 1 }, calls)).toThrow(
        expect.objectContaining({ code: "bad_input" }),
      );
    }
    expect(db.stats().counts.messages).toBe(1);
    db.settle(turn, { outcome: "interrupted", at: Date.now() });
  });
});

describe("a stored message", () => {
  it("comes back through append and path byte for byte, whatever its parts hold", () => {
    const db = openLedger();
    const session = newSession(db);
    const { turn, message } = startTurn(db, session);
    let parent = message.id;
    const calls = fc.uniqueArray(call, { maxLength: 3, selector: (each) => each.call });
    fc.assert(
      fc.property(fc.array(answerParts, { maxLength: 5 }), calls, (others, asked) => {
        const parts = [...others, ...asked];
        const proposed = asked.map(
          ({ call: id, tool, input }): ProposedCall => ({ call: id, tool, input, effect: "none" }),
        );
        const appended = db.append(turn, { parent, role: "assistant", parts, at: Date.now() }, proposed);
        parent = appended.message.id;
        const [stored] = db.path(session.id, { limit: 1 }).messages;
        expect(stored?.parts).toEqual(parts);
        expect(encodeParts(stored?.parts ?? [])).toBe(encodeParts(parts));
        expect(appended.calls.map((each) => [each.call, each.input])).toEqual(
          asked.map((each) => [each.call, each.input]),
        );
      }),
      { numRuns: runs },
    );
    while (!db.indexStep());
    db.settle(turn, { outcome: "interrupted", at: Date.now() });
  });

  it("may be huge", () => {
    const db = openLedger();
    const session = newSession(db);
    const { turn, message } = startTurn(db, session);
    const text = "0123456789abcde\n".repeat(1 << 20);
    const parts = [{ kind: "text", text, opaque: { provider: "p", data: text } }] as const;
    db.append(turn, { parent: message.id, role: "assistant", parts, at: Date.now() });
    expect(db.path(session.id, { limit: 1 }).messages[0]?.parts).toEqual(parts);
    db.settle(turn, { outcome: "interrupted", at: Date.now() });
  });

  it("keeps the bytes of a file and of a whole tool output", () => {
    const db = openLedger();
    const bytes = Uint8Array.from({ length: 70_000 }, (_, at) => (at * 7919) % 256);
    const session = newSession(db);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5_000 }), (content) => {
        const { turn, message } = startTurn(db, session);
        const parts = [{ kind: "tool-call", call: "c", tool: "shell", input: null }] as const;
        const calls = [{ call: "c", tool: "shell", input: null, effect: "none" }] as const;
        const [asked] = db.append(turn, { parent: message.id, role: "assistant", parts, at: Date.now() }, calls).calls;
        if (!asked) throw new Error("no call was stored");
        db.approveCall(turn, asked.id, "mode");
        db.startCall(turn, asked.id);
        const whole = content.length % 3 === 0 ? bytes : content;
        const end = { id: asked.id, end: "succeeded", outcome: { kind: "ok" }, at: Date.now() } as const;
        const [part] = db.finishCall(turn, { ...end, wholeOutput: whole }).message.parts;
        if (part?.kind !== "tool-result" || !part.outcome.blob) throw new Error("no blob is named");
        expect(Buffer.from(db.blob(part.outcome.blob)).equals(Buffer.from(whole))).toBe(true);
        db.settle(turn, { outcome: "interrupted", at: Date.now() });
        db.releaseLease(turn);
      }),
      { numRuns: 20 },
    );
  });

  it("takes no blob that no part of the prompt names", () => {
    const db = openLedger();
    const session = newSession(db);
    const wanted = {
      request: requestId(),
      kind: "prompt",
      payload: { prompt: [{ kind: "text", text: "look" }], approval: "auto", cwd: "/" },
      target: { kind: "new" },
      session: session.id,
      blobs: [Uint8Array.of(1, 2, 3)],
    } as const;
    expect(() => db.admit(wanted)).toThrow(expect.objectContaining({ code: "bad_input" }));
    expect(db.openAdmissions()).toEqual([]);
  });
});

/** JSON has no negative zero, and no call means one. */
function withoutNegativeZero(value: unknown): unknown {
  if (Object.is(value, -0)) return 0;
  if (Array.isArray(value)) return value.map(withoutNegativeZero);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, withoutNegativeZero(field)]));
}
