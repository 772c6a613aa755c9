// A process that applies planned reverts and may be killed on the way: what it marked is in a file, a line a row.
// argv: a JSON of what it needs; contents in base64.
import { appendFileSync } from "node:fs";
import { applyReverts, type RevertRow } from "../../src/agent/file-changes/apply-reverts.ts";
import { createFileGate } from "../../src/agent/tools/files.ts";

export interface RevertOrder {
  readonly rows: readonly RevertRow[];
  readonly blobs: { readonly [hash: string]: string };
  readonly log: string;
}

const { rows, blobs, log } = JSON.parse(process.argv[2] ?? "") as RevertOrder;

await applyReverts({
  rows,
  files: createFileGate({ ledgerFiles: [] }),
  blob: async (hash) => Buffer.from(blobs[hash] ?? "", "base64"),
  mark: async (id, state) => {
    const row = rows.find((each) => each.id === id);
    if (!row) throw new Error(`no row ${id}`);
    appendFileSync(log, `${id} ${state}\n`);
    return { ...row, state };
  },
});
