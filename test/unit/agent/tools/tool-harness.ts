// A temporary folder with a real gate, and a way to call a tool as a turn does: parse, then run.
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { createFileGate, type FileGate } from "../../../../src/agent/tools/files.ts";
import type { PlannedChange, Tool, ToolResult } from "../../../../src/agent/tools/tool.ts";
import type { Json } from "../../../../src/ledger/types.ts";

export interface Harness {
  readonly cwd: string;
  readonly files: FileGate;
  readonly stop: AbortController;
  /** Live output so far. */
  readonly streamed: string[];
  readonly changes: PlannedChange[];
  path(name: string): string;
  put(name: string, content: string | Uint8Array): Promise<string>;
  text(name: string): Promise<string>;
  call<Input>(tool: Tool<Input>, input: Json): Promise<ToolResult>;
}

export async function makeFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "stele-tools-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function makeHarness(
  options: { readonly ledgerFiles?: readonly string[]; readonly cwd?: string } = {},
): Promise<Harness> {
  const cwd = options.cwd ?? (await makeFolder());
  const files = createFileGate({ ledgerFiles: options.ledgerFiles ?? [] });
  const stop = new AbortController();
  const streamed: string[] = [];
  const changes: PlannedChange[] = [];
  const path = (name: string) => join(cwd, name);
  return {
    cwd,
    files,
    stop,
    streamed,
    changes,
    path,
    async put(name, content) {
      await mkdir(dirname(path(name)), { recursive: true });
      await writeFile(path(name), content);
      return path(name);
    },
    text: (name) => readFile(path(name), "utf8"),
    async call(tool, input) {
      const parsed = tool.parse(input);
      if (!parsed.ok) throw new Error(parsed.problem);
      return tool.run(parsed.input, {
        cwd,
        files,
        signal: stop.signal,
        effectKey: "7-call-1",
        onOutput: (chunk) => void streamed.push(chunk),
        beforeChange: async (change) => void changes.push(change),
      });
    },
  };
}
