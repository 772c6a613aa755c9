// Exports of a ledger's conversations as text, and imports of such a text.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { jsonLines, jsonObject } from "../../src/interop/export-file.ts";
import { FORMAT, VERSION } from "../../src/interop/export-format.ts";
import { exportItems } from "../../src/interop/export-records.ts";
import { type ImportResult, importFiles } from "../../src/interop/import-file.ts";
import type { AsyncSessionDB } from "../../src/ledger/async-session-db.ts";
import type { SessionDB } from "../../src/ledger/session-db.ts";
import type { Session } from "../../src/ledger/types.ts";
import { temporaryFolder } from "./ledger.ts";

/** The verbs of a ledger of this thread as the program asks for them. */
export function asked(db: SessionDB): AsyncSessionDB {
  return new Proxy(db, {
    get: (target, verb) => {
      const method = target[verb as keyof SessionDB] as (...args: unknown[]) => unknown;
      return async (...args: unknown[]) => structuredClone(await method.apply(target, args));
    },
  }) as unknown as AsyncSessionDB;
}

export async function exported(
  db: SessionDB,
  { id }: Pick<Session, "id">,
  form: "jsonl" | "json" = "jsonl",
): Promise<string> {
  const header = {
    format: FORMAT,
    version: VERSION,
    program: "test",
    exportedAt: 0,
    session: id,
    redacted: false,
  } as const;
  const items = exportItems(asked(db), db.exportPlan(id));
  let text = "";
  for await (const piece of form === "jsonl" ? jsonLines(header, items) : jsonObject(header, items)) text += piece;
  return text;
}

export function fileOf(text: string | Uint8Array, name = "export.jsonl"): string {
  const file = path.join(temporaryFolder(), name);
  writeFileSync(file, text);
  return file;
}

export function imported(
  db: SessionDB,
  text: string | Uint8Array,
  { dryRun = false, more = [] }: { dryRun?: boolean; more?: readonly string[] } = {},
): Promise<ImportResult> {
  const files = [text, ...more].map((each) => fileOf(each));
  return importFiles(asked(db), files, { dryRun });
}
