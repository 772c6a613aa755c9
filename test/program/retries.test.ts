// `stele run` against an endpoint that refuses: the wait is told, a signal ends it, and a fallback is named.
import { afterEach, describe, expect, it } from "vitest";
import { type ModelReply, type ModelServer, startModelServer } from "../helpers/model-server.ts";
import { type Workplace, workplace } from "../helpers/stele.ts";
import { writeConfig } from "../helpers/write-config.ts";

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function connected(script: readonly ModelReply[], more: object = {}): Promise<Workplace> {
  const server = await startModelServer(script);
  servers.push(server);
  const place = workplace();
  const providers = { local: { kind: "openai-compatible", baseURL: server.url, models: ["m1", "m2"] } };
  writeConfig(place, { model: "local/m1", providers, ...more });
  return place;
}

const refuses = (headers: Record<string, string>): ModelReply => ({
  status: 429,
  headers,
  body: { error: { message: "slow \x1b[31mdown" } },
});

describe("stele run, refused for a moment", () => {
  it("says so on stderr, asks again, and prints the answer alone", async () => {
    const place = await connected([refuses({ "retry-after-ms": "1" }), { text: "there you are" }]);
    const ended = await place.stele(["run", "hello"]);
    expect(ended).toMatchObject({ code: 0, out: "there you are\n" });
    expect(ended.err).toMatch(/429.*slow down: rate limited, asked again in 1 s \(retry 1 of 8\)\n/);
    expect(ended.err).not.toContain("\x1b");
  });

  it("prints an event before it waits, in JSON", async () => {
    const cut: ModelReply = { text: ["half"], faults: [{ kind: "cut", after: 1 }] };
    const place = await connected([cut, { text: "whole" }]);
    const { code, events } = await place.stele(["run", "--json", "hello"]);
    expect(code).toBe(0);
    const told = events.filter(
      ({ type }) => type === "text-delta" || type === "retry-wait" || type === "message-added",
    );
    expect(told.map(({ type }) => type)).toEqual([
      "message-added",
      "text-delta",
      "retry-wait",
      "text-delta",
      "message-added",
    ]);
    expect(told[2]).toMatchObject({ retry: 1, of: 8, error: { code: "model_cut" } });
    expect(told[4]).toMatchObject({ message: { role: "assistant", parts: [{ text: "whole" }] } });
  });

  it.each(["SIGINT", "SIGTERM"] as const)("ends its wait at once on %s, exit 130", async (signal) => {
    const place = await connected([refuses({ "retry-after": "500" })]);
    const ended = await place.stele(["run", "--json", "hello"], {
      onStart: (child) => {
        child.stdout?.on("data", (chunk: string) => {
          if (chunk.includes("retry-wait")) child.kill(signal);
        });
      },
    });
    expect(ended.code, ended.err).toBe(130);
    expect(ended.events.at(-1)).toMatchObject({ type: "turn-settled", outcome: "interrupted" });
  });

  it("names the fallback that answers, and keeps the session's model", async () => {
    const place = await connected([refuses({}), { text: "I stand in" }], { retries: 0, fallback: "local/m2" });
    const ended = await place.stele(["run", "hello"]);
    expect(ended).toMatchObject({ code: 0, out: "I stand in\n" });
    expect(ended.err).toMatch(/The fallback local\/m2 answers the rest of this turn/);
    expect((await place.stele(["status", "-c"])).out).toContain("local/m1");
  });
});
