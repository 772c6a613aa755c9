// Numbered steps from an older schema to SCHEMA_VERSION, each in one transaction with its version.
// The list begins at the version this program was born with; a fresh file never passes through here.
import { ledgerError } from "./errors.ts";
import type { Database } from "./open.ts";
import { SCHEMA_VERSION } from "./schema.ts";

interface Migration {
  readonly to: number;
  readonly name: string;
  readonly run: (db: Database) => void;
}

/** The first version there is: nothing leads to it, and no older file exists. */
const MIGRATIONS: readonly Migration[] = [{ to: SCHEMA_VERSION, name: "the first shape", run: () => {} }];

export function migrate(db: Database, file: string): void {
  const version = db.pragma("user_version", { simple: true }) as number;
  if (version === SCHEMA_VERSION) return;
  const first = MIGRATIONS[0]?.to ?? SCHEMA_VERSION;
  if (version < first)
    throw ledgerError(
      "ledger_foreign",
      `${file} has schema ${version}; ledgers begin at ${first}. It was not touched.`,
    );
  for (const migration of MIGRATIONS.filter((each) => each.to > version)) {
    db.transaction(() => {
      migration.run(db);
      db.pragma(`user_version = ${migration.to}`);
    }).immediate();
  }
}
