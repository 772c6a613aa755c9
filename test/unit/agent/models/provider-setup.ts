// The three providers with a wire format of their own, each at a strict server of its kind.
import { expect } from "vitest";
import { AnswerParts } from "../../../../src/agent/ask-model.ts";
import { anthropicModel } from "../../../../src/agent/models/anthropic.ts";
import type { EndpointOptions } from "../../../../src/agent/models/client-stream.ts";
import { googleModel } from "../../../../src/agent/models/google.ts";
import type { Model, ModelError, ModelStreamPart } from "../../../../src/agent/models/model.ts";
import { openAiResponsesModel } from "../../../../src/agent/models/openai-responses.ts";
import type { WireLimits } from "../../../../src/agent/models/wire.ts";
import type { Json, Part } from "../../../../src/ledger/types.ts";
import { anthropicFormat } from "../../../helpers/anthropic-server.ts";
import { googleFormat } from "../../../helpers/google-server.ts";
import {
  type ProviderFormat,
  type ProviderReply,
  type ProviderServer,
  startProviderServer,
} from "../../../helpers/provider-server.ts";
import { responsesFormat } from "../../../helpers/responses-server.ts";

export const KEY = "key-secret-0123456789";

interface Provider {
  readonly format: ProviderFormat;
  readonly open: (options: EndpointOptions) => Model;
  readonly model: string;
}

export const PROVIDERS = {
  anthropic: { format: anthropicFormat, open: anthropicModel, model: "claude-sonnet-4-5" },
  openai: { format: responsesFormat, open: openAiResponsesModel, model: "gpt-5" },
  google: { format: googleFormat, open: googleModel, model: "gemini-3-flash-preview" },
} satisfies Record<string, Provider>;

export type ProviderName = keyof typeof PROVIDERS;
export const NAMES = Object.keys(PROVIDERS) as ProviderName[];

const servers: ProviderServer[] = [];

/** Every request of a test has to have been one that the provider accepts. */
export async function closeServers(): Promise<void> {
  const closing = servers.splice(0);
  await Promise.all(closing.map((server) => server.close()));
  expect(closing.flatMap(({ problems }) => problems)).toEqual([]);
}

export interface Setup {
  readonly server: ProviderServer;
  readonly model: Model;
}

export interface SetupOptions {
  readonly model?: string;
  readonly options?: { readonly [key: string]: Json };
  readonly limits?: Partial<WireLimits>;
}

export async function setUp(
  name: ProviderName,
  script: readonly ProviderReply[],
  { model, options = {}, limits = {} }: SetupOptions = {},
): Promise<Setup> {
  const provider: Provider = PROVIDERS[name];
  const server = await startProviderServer(provider.format, script);
  servers.push(server);
  const route = { provider: name, model: model ?? provider.model, options };
  return { server, model: provider.open({ route, baseURL: server.url, apiKey: KEY, keyName: "THE_KEY", limits }) };
}

/** As the ledger keeps an answer. */
export function partsOf(streamed: readonly ModelStreamPart[], provider: string): readonly Part[] {
  const collected = new AnswerParts();
  for (const part of streamed) collected.add(part, provider);
  return collected.parts();
}

/** The one error a stream ended with. */
export function errorOf(parts: readonly ModelStreamPart[]): ModelError {
  const last = parts.at(-1);
  expect(parts.filter((part) => part.type === "error" || part.type === "finish")).toHaveLength(1);
  if (last?.type !== "error") throw new Error(`no error but ${JSON.stringify(last)}`);
  expect(JSON.stringify(last.error)).not.toContain(KEY);
  return last.error;
}
