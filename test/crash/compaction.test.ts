// `stele run` is killed around the writes of a compaction that it makes in the middle of a turn. Then: nothing was said
// or run twice, the turn goes on where it was, and every request on the way is one that the provider takes.
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { anthropicFormat } from "../helpers/anthropic-server.ts";
import { type ProviderServer, startProviderServer } from "../helpers/provider-server.ts";
import { type Workplace, workplace } from "../helpers/stele.ts";
import { writeConfig } from "../helpers/write-config.ts";

const MODEL = "claude-sonnet-4-5";
const WINDOW = 20_000;
const KEY = { env: { THE_KEY: "key-secret-0123456789" } };

let server: ProviderServer | undefined;
afterEach(async () => {
  expect(server?.problems).toEqual([]);
  await server?.close();
});

/** An answer by what is asked: a summary, a long answer, a command with thinking before it, or the end after its result. */
async function endpoint(place: Workplace): Promise<void> {
  server = await startProviderServer(anthropicFormat, ({ text }) => {
    if (text.includes("You sum up")) return { blocks: [{ say: "the summary" }] };
    if (text.includes("tool_result")) return { blocks: [{ say: "done" }], usage: { input: 4_000, output: 10 } };
    if (!text.includes("append a line")) return { blocks: [{ say: "a long answer. ".repeat(2_000) }] };
    return {
      blocks: [
        { think: "so be it", secret: "signed" },
        { call: "shell", id: "toolu_a", input: { command: "echo x >> n" } },
      ],
      // With the result of this call the window is nearly full.
      usage: { input: 17_000, output: 100 },
    };
  });
  writeConfig(place, {
    model: `anthropic/${MODEL}`,
    providers: { anthropic: { kind: "anthropic", baseURL: server.url, apiKeyEnv: "THE_KEY" } },
    models: { [`anthropic/${MODEL}`]: { contextWindow: WINDOW } },
  });
}

const POINTS = ["begin-compaction", "compact"].flatMap((name) => [`before:${name}`, `after:${name}`]);

describe("a compaction in the middle of a turn, killed", () => {
  it.each(POINTS)("%s: the turn goes on, and nothing is told or run twice", async (point) => {
    const place = workplace();
    await endpoint(place);
    const first = await place.stele(["run", "--json", "tell me much"], KEY);
    expect(first.code, first.err).toBe(0);
    const session = String(first.events[0]?.["session"]);

    const run = ["run", "--json", "--yes", "-r", session, "append a line"];
    const doomed = await place.stele(run, { env: { ...KEY.env, STELE_CRASH_AT: point } });
    expect(doomed.signal, doomed.err).toBe("SIGKILL");
    const recovered = JSON.parse((await place.stele(["recover", "--json"])).out) as {
      open: readonly { admission: number; calls: readonly { state: string }[] }[];
    };
    expect(recovered.open).toMatchObject([{ calls: [{ state: "succeeded" }] }]);
    const id = String(recovered.open[0]?.admission);
    const resumed = await place.stele(["recover", "resume", id, "--yes", "--json"], KEY);
    expect(resumed.code, resumed.err).toBe(0);

    expect(readFileSync(path.join(place.folder, "n"), "utf8")).toBe("x\n");
    const shown = JSON.parse((await place.stele(["sessions", "show", session, "--json"])).out) as {
      messages: readonly { role: string }[];
    };
    expect(shown.messages.map(({ role }) => role)).toEqual([
      ...["user", "assistant"],
      ...["user", "assistant", "tool", "summary", "assistant"],
    ]);
    expect((await place.stele(["sessions", "tree", session, "--json"])).events).toHaveLength(2);
    const last = server?.requests.at(-1)?.text ?? "";
    expect(last).toContain("the summary");
    expect(last).toContain("append a line");
    expect(last).not.toContain("tell me much");
    const doctor = JSON.parse((await place.stele(["doctor", "--json", "--full"])).out) as { verify: unknown };
    expect(doctor.verify).toEqual([]);
  });
});
