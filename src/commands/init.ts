// /init: writes an AGENTS.md with what this project says about itself. A file that is there is left alone.
import { type CommandResult, defineCommand, type FreeContext } from "./command.ts";
import { inspectProject, type Project } from "./project.ts";
import { lines } from "./results.ts";

const FILE = "AGENTS.md";

export const initCommand = defineCommand({
  name: "init",
  summary: "write an AGENTS.md for this project",
  example: "/init",
  during: "idle",
  needsNoSession: true,
  run: (_, context) => init(context),
});

async function init({ createFile, readFile, runner, newSession }: FreeContext): Promise<CommandResult> {
  const folder = runner?.session.cwd ?? (await newSession({})).cwd;
  const project = await inspectProject(readFile, folder);
  const created = await createFile(FILE, agentsFile(project));
  if (!created.ok) return { kind: "refused", why: created.problem, code: "failed" };
  const found =
    project.sources.length > 0 ? `from ${project.sources.join(", ")}` : "an outline: nothing was found to fill it from";
  return lines(
    [
      `Wrote ${created.path}, ${found}.`,
      "Read it, correct it, and commit it: the model is told it from the next turn on.",
    ],
    {
      file: created.path,
      sources: project.sources,
    },
  );
}

function agentsFile({ name, purpose, language, commands }: Project): string {
  const list = commands.map(({ what, command }) => `- ${what}: \`${command}\``);
  return [
    `# ${name}`,
    "",
    purpose ?? "<!-- One sentence: what this project is, and for whom. -->",
    ...(language === undefined ? [] : ["", `Written in ${language}.`]),
    "",
    "## Commands",
    "",
    ...(list.length > 0 ? list : ["<!-- How to build it, test it, check it: one command a line. -->"]),
    "",
    "## Layout",
    "",
    "<!-- The folders that matter, and what may depend on what. -->",
    "",
    "## Conventions",
    "",
    "- Follow the style of the file you are in; look for an existing helper before you write one.",
    "- Keep a change to what was asked; mention what else you saw instead of changing it.",
    "<!-- Naming, errors, comments, what a test looks like. -->",
    "",
    "## Before you say it is done",
    "",
    ...doneLines(commands),
    "",
  ].join("\n");
}

function doneLines(commands: Project["commands"]): readonly string[] {
  const checks = commands.filter(({ what }) => what === "Test" || what === "Check" || what === "Lint");
  if (checks.length === 0) return ["<!-- What has to pass. -->"];
  return checks.map(({ command }) => `- \`${command}\` passes.`);
}
