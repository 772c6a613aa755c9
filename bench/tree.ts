// Does the tree of a conversation cost the same in a large ledger? Its first window beside 10,000 other sessions and
// beside 100, on a fresh handle whose opening is not counted; and the first window of a tree of 10,000 branches beside
// that of one that fits into it.

import { mkdirSync } from "node:fs";
import path from "node:path";
import { SessionDB } from "../src/ledger/session-db.ts";
import type { SessionId } from "../src/ledger/types.ts";
import { type Bench, compare, type Figure, interleave } from "./harness.ts";
import { openBare, requireSound } from "./ledgers.ts";

const WINDOW = 100;
/** Branches of the tree beside the other sessions. */
const BRANCHES = 20;

export async function benchTree(bench: Bench): Promise<Figure[]> {
  const folder = path.join(bench.folder, "trees");
  mkdirSync(folder, { recursive: true });
  const build = (name: string, count: number, isBranch: boolean) =>
    [name, buildTree(path.join(folder, `${name}.db`), { count, isBranch })] as const;
  const others = [build("100 sessions", 100, false), build("10,000 sessions", 10_000, false)];
  const branches = [build("100 branches", 100, true), build("10,000 branches", 10_000, true)];
  return [
    await firstWindow(bench, new Map(others), { side: "10,000 sessions", base: "100 sessions", rows: BRANCHES + 1 }),
    await firstWindow(bench, new Map(branches), { side: "10,000 branches", base: "100 branches", rows: WINDOW }),
  ];
}

interface Tree {
  readonly file: string;
  readonly session: SessionId;
}

async function firstWindow(
  bench: Bench,
  trees: ReadonlyMap<string, Tree>,
  { side, base, rows }: { side: string; base: string; rows: number },
): Promise<Figure> {
  const sides = [...trees].map(([name, tree]) => ({ name, measure: () => readWindow(tree, rows) }));
  const measured = await interleave(sides, { rounds: bench.isQuick ? 15 : 60, warmUp: 5 });
  return compare(measured, { what: `first window of a tree, ${side}`, unit: "ms", side, base, target: 1.5 });
}

function readWindow({ file, session }: Tree, rows: number): number {
  const db = new SessionDB({ path: file, program: "bench" });
  try {
    const start = performance.now();
    const window = db.branchTree(session, { limit: WINDOW });
    const took = performance.now() - start;
    if (window.rows.length !== rows) throw new Error(`the window has ${window.rows.length} rows`);
    return took;
  } finally {
    db.close();
  }
}

/** A root with its branches; the other sessions stand by themselves, or are branches of it too. */
function buildTree(file: string, { count, isBranch }: { count: number; isBranch: boolean }): Tree {
  const ledger = new SessionDB({ path: file, program: "bench" });
  const root = ledger.createSession({ cwd: "/app", route: { provider: "bench", model: "bench" }, source: "bench" });
  if (!isBranch) for (let at = 0; at < BRANCHES; at += 1) ledger.branch(root.id);
  ledger.close();
  const db = openBare(file);
  const insert = db.prepare<[{ id: string; parent: string | null; edge: string | null; at: number }]>(
    `insert into sessions (id, conversation_id, generation, parent_id, edge, title, title_source, provider, model, cwd,
       source, started_at, last_activity_at)
     values (@id, @id, 0, @parent, @edge, @id, 'derived', 'bench', 'bench', '/app', 'bench', @at, @at)`,
  );
  const own = isBranch ? { parent: root.id, edge: "branch" } : { parent: null, edge: null };
  const write = db.transaction(() => {
    for (let at = 0; at < count; at += 1)
      insert.run({ ...own, id: `20200101-000000-${at.toString(16).padStart(6, "0")}`, at: root.startedAt + at });
  });
  write();
  db.close();
  requireSound(file);
  return { file, session: root.id };
}
