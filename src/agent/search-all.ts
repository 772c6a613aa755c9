// A search that looks at everything: where more is not indexed yet than a search looks at by itself, as after an import,
// the index is caught up first, with progress, and until it is stopped.
import type { AsyncSessionDB } from "../ledger/async-session-db.ts";
import { LedgerError } from "../ledger/errors.ts";
import { FRESH_ROWS } from "../ledger/search.ts";
import type { SearchResult, SearchWish } from "../ledger/search-messages.ts";

type Ledger = Pick<AsyncSessionDB, "searchMessages" | "searchLag" | "indexStep">;

export interface IndexWait {
  readonly signal?: AbortSignal;
  readonly onProgress?: (line: string) => void;
}

export async function searchAll(db: Ledger, wish: SearchWish, wait: IndexWait = {}): Promise<SearchResult> {
  for (;;) {
    const result = await db.searchMessages(wish);
    if (result.rest === 0 || wait.signal?.aborted) return result;
    // Others may write as fast as it is caught up with: what was there at the beginning is looked at.
    if (!(await catchUp(db, wait))) return db.searchMessages(wish);
  }
}

/** So much is missing that one has to wait for it. */
export async function isFarBehind(db: Pick<AsyncSessionDB, "searchLag">): Promise<boolean> {
  return (await db.searchLag()) > FRESH_ROWS;
}

const TOLD_MS = 1_000;

/** False: it was stopped, or other programs keep the ledger busy. */
export async function catchUp(
  db: Pick<AsyncSessionDB, "searchLag" | "indexStep">,
  { signal, onProgress }: IndexWait,
): Promise<boolean> {
  const all = await db.searchLag();
  let told = Date.now();
  while (!signal?.aborted) {
    const isWhole = await step(db);
    if (isWhole !== false) return isWhole === true;
    if (Date.now() - told < TOLD_MS) continue;
    told = Date.now();
    onProgress?.(`search index: ${Math.max(0, all - (await db.searchLag()))} of ${all} messages`);
  }
  return false;
}

/** A bounded part of it, without waiting for anybody. True when there is nothing left. */
export async function indexSome(db: Pick<AsyncSessionDB, "searchLag" | "indexStep">, steps: number): Promise<boolean> {
  if ((await db.searchLag()) === 0) return true;
  for (let done = 0; done < steps; done += 1) {
    const isWhole = await step(db);
    if (isWhole !== false) return isWhole === true;
  }
  return false;
}

/** Undefined: not now. */
async function step(db: Pick<AsyncSessionDB, "indexStep">): Promise<boolean | undefined> {
  try {
    return await db.indexStep();
  } catch (error) {
    if (error instanceof LedgerError && error.code === "ledger_busy") return undefined; // its turn comes
    throw error;
  }
}
