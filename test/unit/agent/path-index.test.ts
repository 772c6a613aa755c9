import { rm } from "node:fs/promises";
import { describe, expect, it, vi } from "vitest";
import { PathIndex } from "../../../src/agent/path-index.ts";
import { PathList } from "../../../src/agent/path-list.ts";
import { cpuTime } from "../../helpers/cpu-time.ts";
import { makeHarness } from "./tools/tool-harness.ts";

function listOf(...paths: readonly string[]): PathList {
  const list = new PathList();
  for (const path of paths) list.add(path);
  return list;
}

describe("PathList", () => {
  const list = listOf(
    ".github/ci.yml",
    "README.md",
    "docs/日本語/メモ.md",
    "src/ui/composer-state.ts",
    "src/ui/composer.tsx",
    "src/ui/deep/state.ts",
    "test/composer.test.ts",
  );
  const find = (query: string, limit = 10): readonly string[] => list.find(query, limit);

  it("has what is in a folder, folders first", () => {
    expect(find("")).toEqual([".github/", "docs/", "src/", "test/", "README.md"]);
    expect(find("src/ui/")).toEqual(["src/ui/deep/", "src/ui/composer-state.ts", "src/ui/composer.tsx"]);
    expect(find("SRC/")).toEqual(["src/ui/"]);
  });

  it("puts names that begin so first, short ones before long ones", () => {
    expect(find("composer")).toEqual(["src/ui/composer.tsx", "test/composer.test.ts", "src/ui/composer-state.ts"]);
    expect(find("state")).toEqual(["src/ui/deep/state.ts", "src/ui/composer-state.ts"]);
  });

  it("finds letters in order, in the name before in the path, without case", () => {
    expect(find("cmpstate")[0]).toBe("src/ui/composer-state.ts");
    expect(find("suds")).toEqual(["src/ui/deep/state.ts"]);
    expect(find("readme")).toEqual(["README.md"]);
    expect(find("zzz")).toEqual([]);
    expect(find("ui/comp")[0]).toBe("src/ui/composer.tsx");
  });

  it("finds composed letters however they are written", () => {
    expect(find("メモ")).toEqual(["docs/日本語/メモ.md"]);
    const accents = listOf("cafe\u0301/a.txt", "\u00fcber.md");
    expect(accents.find("caf\u00e9", 5)[0]).toBe("cafe\u0301/");
    expect(accents.find("u\u0308ber", 5)).toEqual(["\u00fcber.md"]);
  });

  it("answers the same however the query was typed", () => {
    for (const query of ["composer", "state", "cmpst", "src/u", "t"]) {
      const typed = listOf("src/ui/composer-state.ts", "src/ui/composer.tsx", "test/state.ts");
      const fresh = listOf("src/ui/composer-state.ts", "src/ui/composer.tsx", "test/state.ts");
      for (let end = 1; end < query.length; end += 1) typed.find(query.slice(0, end), 10);
      for (const more of ["x", "xy", "", "x"]) typed.find(query + more, 10);
      expect(typed.find(query, 10)).toEqual(fresh.find(query, 10));
    }
  });

  it("finds what was added after a query, when the query goes on", () => {
    const growing = listOf("src/a.ts");
    expect(growing.find("a", 10)).toEqual(["src/a.ts"]);
    growing.add("src/abc.ts");
    expect(growing.find("ab", 10)).toEqual(["src/abc.ts"]);
  });

  it("gives no more than it is asked for, the best of them", () => {
    const many = listOf(...Array.from({ length: 500 }, (_, index) => `dir/x${index}-part.ts`), "part.ts");
    expect(many.find("part", 3)).toHaveLength(3);
    expect(many.find("part", 3)[0]).toBe("part.ts");
  });

  it("searches 100,000 paths without a pause", () => {
    const words = ["parser", "clock", "session", "render", "button", "index", "config", "router", "model", "view"];
    const big = new PathList();
    for (let index = 0; index < 100_000; index += 1) {
      const [a, b, c] = [index % 10, Math.floor(index / 10) % 10, Math.floor(index / 100) % 10];
      big.add(`packages/pkg-${words[c]}/src/${words[b]}${Math.floor(index / 1000)}/${words[a]}-${index}.ts`);
    }
    const slowest = Math.max(
      ...["s", "se", "ses", "sess", "pkgses99", "packages/", "", "zq"].map((query) =>
        cpuTime(() => big.find(query, 100)),
      ),
    );
    expect(slowest).toBeLessThan(300);
  });
});

describe("PathIndex", () => {
  async function indexOf(options: { maxPaths?: number; now?: () => number } = {}) {
    const harness = await makeHarness();
    await harness.put(".gitignore", "dist/\n*.log\n");
    await harness.put(".git/HEAD", "");
    for (const name of ["src/a.ts", "src/deep/b.ts", "dist/out.js", "debug.log", "my dir/c d.md"])
      await harness.put(name, "");
    await harness.put("bad\nname.ts", "");
    const onChange = vi.fn<() => void>();
    const index = new PathIndex({ folder: harness.cwd, files: harness.files, onChange, ...options });
    // It is told of more than once where reading takes long.
    const read = () => vi.waitFor(() => expect(index.find("", 1).isReading).toBe(false), { timeout: 30_000 });
    return { harness, index, read, onChange };
  }

  it("reads when it is first asked, and knows no file that is ignored or has a line break in its name", async () => {
    const { index, read } = await indexOf();
    expect(index.find("", 10)).toEqual({ paths: [], isReading: true, isCut: false });
    await read();
    expect(index.find("", 10)).toEqual({ paths: ["my dir/", "src/", ".gitignore"], isReading: false, isCut: false });
    expect(index.find("./src/", 10).paths).toEqual(["src/deep/", "src/a.ts"]);
    expect(index.find("out", 10).paths).toEqual([]);
  });

  it("reads again when it is old, and answers from what it has meanwhile", async () => {
    let now = 0;
    const { harness, index, read } = await indexOf({ now: () => now });
    await read();
    await harness.put("src/new.ts", "");
    expect(index.find("new", 10).paths).toEqual([]);
    now = 3_600_000;
    expect(index.find("a.ts", 10)).toMatchObject({ paths: ["src/a.ts"], isReading: false });
    await vi.waitFor(() => expect(index.find("new", 10).paths).toEqual(["src/new.ts"]), { timeout: 30_000 });
  });

  it("keeps no more than it may, and says so", async () => {
    const { index, read } = await indexOf({ maxPaths: 3 });
    await read();
    expect(index.find("", 10)).toMatchObject({ isCut: true });
    expect(index.find("", 10).paths.length).toBeLessThanOrEqual(3);
  });

  it("has nothing of a folder that is gone", async () => {
    const { harness, index, read } = await indexOf();
    await rm(harness.cwd, { recursive: true });
    await read();
    expect(index.find("", 10)).toEqual({ paths: [], isReading: false, isCut: false });
  });

  it("tells nobody once it is closed", async () => {
    const closed = await indexOf();
    closed.index.find("", 1);
    closed.index.close();
    const other = await indexOf();
    await other.read();
    expect(closed.onChange).not.toHaveBeenCalled();
  });
});
