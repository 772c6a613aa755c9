// What a project says about itself in its usual files: name, purpose, language, and the commands of its work.
// Files are text of unknown origin: one that does not parse is passed over.

export interface ProjectCommand {
  readonly what: "Install" | "Build" | "Run" | "Test" | "Check" | "Lint" | "Format";
  readonly command: string;
}
export interface Project {
  readonly name: string;
  readonly purpose?: string;
  readonly language?: string;
  readonly commands: readonly ProjectCommand[];
  /** Files that had something to say. */
  readonly sources: readonly string[];
}

interface Facts {
  readonly file: string;
  readonly name?: string | undefined;
  readonly purpose?: string | undefined;
  readonly language?: string | undefined;
  readonly commands?: readonly ProjectCommand[];
}

type ReadFile = (name: string) => Promise<string | undefined>;

const READERS: readonly (readonly [file: string, read: (text: string) => Omit<Facts, "file"> | undefined])[] = [
  ["package.json", readPackage],
  ["pyproject.toml", readPyproject],
  ["Cargo.toml", readCargo],
  ["go.mod", readGoMod],
  ["Makefile", readMakefile],
  ["README.md", readReadme],
];

export async function inspectProject(readFile: ReadFile, folder: string): Promise<Project> {
  const facts: Facts[] = [];
  for (const [file, read] of READERS) {
    const text = await readFile(file);
    const found = text === undefined ? undefined : read(text);
    if (found) facts.push({ file, ...found });
  }
  const first = <K extends "name" | "purpose" | "language">(key: K) => facts.find((each) => each[key])?.[key];
  const purpose = first("purpose");
  const languages = [...new Set(facts.flatMap(({ language }) => language ?? []))];
  return {
    name: first("name") ?? folder.slice(folder.lastIndexOf("/") + 1),
    ...(purpose !== undefined && { purpose }),
    ...(languages.length > 0 && { language: languages.join(" and ") }),
    commands: firstOfEach(facts.flatMap(({ commands = [] }) => commands)),
    sources: facts.map(({ file }) => file),
  };
}

/** One command for each kind of work: that of the file that was read first. */
function firstOfEach(commands: readonly ProjectCommand[]): readonly ProjectCommand[] {
  return [...new Map([...commands].reverse().map((each) => [each.what, each])).values()].reverse();
}

const NAMES: Readonly<Record<string, ProjectCommand["what"]>> = {
  install: "Install",
  setup: "Install",
  build: "Build",
  start: "Run",
  run: "Run",
  dev: "Run",
  test: "Test",
  check: "Check",
  typecheck: "Check",
  lint: "Lint",
  format: "Format",
  fmt: "Format",
};

function readPackage(text: string): Omit<Facts, "file"> | undefined {
  const json = parseObject(text);
  if (!json) return undefined;
  const manager = /^(npm|pnpm|yarn|bun)@/.exec(String(json["packageManager"]))?.[1] ?? "npm";
  const scripts = Object.keys(asObject(json["scripts"]) ?? {});
  const dependencies = { ...asObject(json["dependencies"]), ...asObject(json["devDependencies"]) };
  return {
    name: asLine(json["name"]),
    purpose: asLine(json["description"]),
    language: Object.hasOwn(dependencies, "typescript") ? "TypeScript" : "JavaScript",
    commands: [
      { what: "Install", command: `${manager} install` },
      ...named(scripts, (script) =>
        script === "test" || script === "start" ? `${manager} ${script}` : `${manager} run ${script}`,
      ),
    ],
  };
}

function readPyproject(text: string): Omit<Facts, "file"> {
  const uses = (tool: string) => new RegExp(`^\\[tool\\.${tool}\\b`, "m").test(text);
  const commands: ProjectCommand[] = [];
  if (uses("poetry")) commands.push({ what: "Install", command: "poetry install" });
  else if (uses("uv")) commands.push({ what: "Install", command: "uv sync" });
  if (uses("pytest") || /\bpytest\b/.test(text)) commands.push({ what: "Test", command: "pytest" });
  if (uses("mypy")) commands.push({ what: "Check", command: "mypy ." });
  if (uses("ruff")) commands.push({ what: "Lint", command: "ruff check ." });
  if (uses("black")) commands.push({ what: "Format", command: "black ." });
  return { name: tomlText(text, "name"), purpose: tomlText(text, "description"), language: "Python", commands };
}

function readCargo(text: string): Omit<Facts, "file"> {
  const commands: readonly ProjectCommand[] = [
    { what: "Build", command: "cargo build" },
    { what: "Test", command: "cargo test" },
    { what: "Lint", command: "cargo clippy" },
    { what: "Format", command: "cargo fmt" },
  ];
  return { name: tomlText(text, "name"), purpose: tomlText(text, "description"), language: "Rust", commands };
}

function readGoMod(text: string): Omit<Facts, "file"> {
  const commands: readonly ProjectCommand[] = [
    { what: "Build", command: "go build ./..." },
    { what: "Test", command: "go test ./..." },
    { what: "Lint", command: "go vet ./..." },
    { what: "Format", command: "gofmt -w ." },
  ];
  return { name: /^module\s+(\S+)/m.exec(text)?.[1], language: "Go", commands };
}

function readMakefile(text: string): Omit<Facts, "file"> | undefined {
  const targets = [...text.matchAll(/^([A-Za-z][\w-]*)\s*:(?!=)/gm)].map(([, target = ""]) => target);
  const commands = named(targets, (target) => `make ${target}`);
  return commands.length > 0 ? { commands } : undefined;
}

/** The first heading, and the first line of plain text below it. */
function readReadme(text: string): Omit<Facts, "file"> | undefined {
  const all = text.split("\n").map((line) => line.trim());
  const name = all.find((line) => line.startsWith("# "))?.slice(2);
  const purpose = all.find((line) => /^[\p{L}*_`]/u.test(line));
  return name !== undefined || purpose !== undefined ? { name: asLine(name), purpose: asLine(purpose) } : undefined;
}

function named(names: readonly string[], command: (name: string) => string): readonly ProjectCommand[] {
  return names.flatMap((name) => {
    const what = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
    return what ? [{ what, command: command(name) }] : [];
  });
}

function tomlText(text: string, key: string): string | undefined {
  return new RegExp(`^${key}\\s*=\\s*["']([^"'\n]+)["']`, "m").exec(text)?.[1];
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined; // no JSON: the file says nothing we could use
  }
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

function asLine(value: unknown): string | undefined {
  const line = typeof value === "string" ? value.replace(/\s+/g, " ").trim() : "";
  return line === "" ? undefined : line;
}
