import { describe, expect, it, test } from "vitest";
import { modelRegistry } from "../../../src/agent/models/registry.ts";
import type { ModelRoute } from "../../../src/ledger/types.ts";
import { isShared } from "../../../src/ui/shared-model.ts";
import { statusLine } from "../../../src/ui/status-line.ts";
import { lineText, lineWidth } from "../../../src/ui/styled-line.ts";
import { after, openView, plainTheme, session, started } from "./view-samples.ts";

const at = (port: number, models?: readonly string[]) => ({
  kind: "openai-compatible" as const,
  baseURL: `http://127.0.0.1:${port}/v1`,
  ...(models && { models }),
});

describe("a model's name", () => {
  test.each([
    ["local/qwen3", true],
    ["remote/qwen3", true],
    ["local/llama", false],
    ["remote/a/b", false],
    ["guide/guide", false],
    ["anthropic/claude-sonnet-5-5", true],
  ])("of %s is another provider's too: %s", (id, expected) => {
    const providers = {
      local: at(1, ["qwen3", "llama"]),
      remote: at(2, ["qwen3", "a/b"]),
      proxy: at(3, ["claude-sonnet-5-5"]),
    };
    const models = modelRegistry({ env: {}, providers });
    const resolved = models.resolve(id);
    if (!resolved.ok) throw new Error(resolved.problem);
    expect(isShared(models, resolved.route)).toBe(expected);
  });

  it("may be another's whose models nobody knows, where that can be used", () => {
    const route: ModelRoute = { provider: "local", model: "qwen3" };
    const open = modelRegistry({ env: {}, providers: { local: at(1, ["qwen3"]), other: at(2) } });
    expect(isShared(open, route)).toBe(true);
    const locked = { ...at(2), apiKeyEnv: "NO_KEY" };
    expect(isShared(modelRegistry({ env: {}, providers: { local: at(1), other: locked } }), route)).toBe(false);
  });
});

describe("the status line of a model whose name is another's too", () => {
  const route: ModelRoute = { provider: "lo\x1b[31mcal", model: "qwen3", options: { effort: "high" } };
  const view = { ...openView(), session: { ...session, title: "fix the parser", route } };
  const state = after(view, { type: "shared-model", model: "qwen3" });
  const shown = (of: typeof state, width: number) => lineText(statusLine(of, { width, theme: plainTheme })).trim();

  it("says whose it is, and of another model not", () => {
    expect(shown(state, 80)).toMatch(/^saved · fix the parser · local\/qwen3 high {2,}/);
    expect(shown(view, 80)).toMatch(/^saved · fix the parser · qwen3 high {2,}/);
    expect(shown(after(state, { type: "shared-model" }), 80)).toBe(shown(view, 80));
    const other = { ...session, title: "fix the parser", route: { provider: "local", model: "llama" } };
    expect(shown(after(state, { type: "session-changed", session: other }), 80)).toContain("· llama ");
  });

  it("leaves that out before anything else, and never anything else for it", () => {
    const running = after({ ...state, now: 1_000 }, started);
    for (let width = 1; width <= 120; width += 1) {
      for (const each of [state, running]) {
        const line = statusLine(each, { width, theme: plainTheme });
        expect(lineWidth(line)).toBeLessThanOrEqual(width);
        const bare = shown(after(each, { type: "shared-model" }), width).replace(/ {2,}.*$/, "");
        const own = lineText(line)
          .trim()
          .replace(/ {2,}.*$/, "")
          .replace("local/qwen3", "qwen3");
        expect(own).toBe(bare);
      }
    }
  });
});
