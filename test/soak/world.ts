// The work folder of a run, seen from outside of the program: which contents its files may have, because the script
// wrote them, and how often a command's effect is there.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const ABSENT = "";
const EFFECTS = "effects.log";
/** What an edit writes before it gets its name: litter after a kill, and no content of any file. */
const TEMPORARY = /(^|\/)\.stele-[0-9a-f-]+\.tmp$/;

/** What a scripted edit does to one file. */
export interface Edit {
  readonly name: string;
  /** Its version line, as edit_file has to find it. */
  readonly from: string;
  readonly to: string;
  /** The whole file afterwards. */
  readonly after: string;
}

export class World {
  readonly folder: string;
  readonly #contents = new Map<string, Set<string>>();
  /** By the call's id. */
  readonly #edits = new Map<string, Edit>();
  readonly #initial = new Map<string, string>();
  #versions = 0;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(path.join(folder, "deep"), { recursive: true });
    for (const name of ["a.txt", "b.txt", "deep/c.txt"]) {
      const content = `${name}\nversion ${this.#newVersion()}\n${filler(name)}`;
      writeFileSync(path.join(folder, name), content);
      this.#initial.set(name, content);
      this.#allow(name, content);
    }
  }

  get names(): readonly string[] {
    return [...this.#initial.keys()];
  }

  /** `before` is what the file will hold by then, where an earlier step of the same turn changes it. */
  planEdit(call: string, name: string, before = this.read(name)): Edit {
    const from = /^version \d+$/m.exec(before)?.[0] ?? "";
    const to = `version ${this.#newVersion()}`;
    return this.#plan(call, { name, from, to, after: before.replace(from, to) });
  }

  planWrite(call: string, name: string): Edit {
    const to = `version ${this.#newVersion()}`;
    return this.#plan(call, { name, from: "", to, after: `${name}\n${to}\n${filler(`${name} ${to}`)}` });
  }

  #plan(call: string, edit: Edit): Edit {
    this.#edits.set(call, edit);
    this.#allow(edit.name, edit.after);
    if (!this.#initial.has(edit.name)) this.#allow(edit.name, ABSENT);
    return edit;
  }

  editOf(call: string): Edit | undefined {
    return this.#edits.get(call);
  }

  /** "" where there is no such file. */
  read(name: string): string {
    const file = path.join(this.folder, name);
    return existsSync(file) ? readFileSync(file, "utf8") : ABSENT;
  }

  /** Files whose content nobody wrote, or that nobody made. */
  strangeFiles(): string[] {
    const known = [...this.#contents].filter(([name, contents]) => !contents.has(this.read(name)));
    const unknown = this.#others().filter((name) => !TEMPORARY.test(name));
    return [
      ...known.map(([name]) => `${name} holds what nobody wrote`),
      ...unknown.map((name) => `${name} was left behind`),
    ];
  }

  temporaryFiles(): number {
    return this.#others().filter((name) => TEMPORARY.test(name)).length;
  }

  #others(): string[] {
    return filesBelow(this.folder).filter((name) => !this.#contents.has(name) && name !== EFFECTS);
  }

  /** What each file may hold when these edits happened, in this order; `undecided` ones may have. */
  expected(edits: readonly { readonly call: string; readonly undecided: boolean }[]): Map<string, Set<string>> {
    const expected = new Map<string, Set<string>>();
    for (const name of this.#contents.keys()) expected.set(name, new Set([this.#initial.get(name) ?? ABSENT]));
    for (const { call, undecided } of edits) {
      const edit = this.#edits.get(call);
      const before = edit && expected.get(edit.name);
      if (edit) expected.set(edit.name, new Set([...(undecided && before ? before : []), edit.after]));
    }
    return expected;
  }

  /** How often the command of this call has run. */
  effects(call: string): number {
    return this.read(EFFECTS)
      .split("\n")
      .filter((line) => line === call).length;
  }

  /** How many commands have had their effect. */
  get effectCount(): number {
    return this.read(EFFECTS).split("\n").length - 1;
  }

  #allow(name: string, content: string): void {
    const contents = this.#contents.get(name) ?? new Set();
    contents.add(content);
    this.#contents.set(name, contents);
  }

  #newVersion(): number {
    this.#versions += 1;
    return this.#versions;
  }
}

/** A command that can be counted: its effect comes first, its end `ms` later. */
export function effectCommand(call: string, ms: number): string {
  return `echo ${call} >> ${EFFECTS}; sleep ${ms / 1000}; echo done`;
}

function filler(seed: string): string {
  return Array.from({ length: 60 }, (_, at) => `${at} ${seed} ${"-".repeat(at)}\n`).join("");
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}
