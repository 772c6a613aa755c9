// The tools there are. Nothing of them is imported before the first turn asks (zod alone takes 90 ms to load).
// A tool that does not exist is a result with the nearest names, never an exception.
import { nearestNames } from "./nearest-names.ts";
import type { Tool, ToolResult } from "./tool.ts";

export type FoundTool =
  | { readonly found: true; readonly tool: Tool }
  | { readonly found: false; readonly result: ToolResult };

export interface ToolRegistry {
  listTools(): readonly Tool[];
  findTool(name: string): FoundTool;
}

let builtIn: Promise<ToolRegistry> | undefined;

/** The built-in tools, loaded once. */
export function toolRegistry(): Promise<ToolRegistry> {
  builtIn ??= importTools().then(createToolRegistry);
  return builtIn;
}

export function createToolRegistry(tools: readonly Tool[]): ToolRegistry {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    listTools: () => tools,
    findTool(name) {
      const tool = byName.get(name);
      return tool ? { found: true, tool } : { found: false, result: unknownTool(name, [...byName.keys()]) };
    },
  };
}

async function importTools(): Promise<readonly Tool[]> {
  const [shell, shellOutput, shellStop, readFile, listDir, glob, grep, searchSessions, writeFile, editFile, todo] =
    await Promise.all([
      import("./shell.ts"),
      import("./shell-output.ts"),
      import("./shell-stop.ts"),
      import("./read-file.ts"),
      import("./list-dir.ts"),
      import("./glob.ts"),
      import("./grep.ts"),
      import("./search-sessions.ts"),
      import("./write-file.ts"),
      import("./edit-file.ts"),
      import("./todo.ts"),
    ]);
  return [
    shell.shellTool,
    shellOutput.shellOutputTool,
    shellStop.shellStopTool,
    readFile.readFileTool,
    listDir.listDirTool,
    glob.globTool,
    grep.grepTool,
    searchSessions.searchSessionsTool,
    writeFile.writeFileTool,
    editFile.editFileTool,
    todo.todoTool,
  ];
}

function unknownTool(name: string, known: readonly string[]): ToolResult {
  const nearest = nearestNames(name, known);
  const meant = nearest.length > 0 ? `nearest: ${nearest.join(", ")}; ` : "";
  return { kind: "failed", output: `there is no tool ${JSON.stringify(name)}; ${meant}tools: ${known.join(", ")}` };
}
