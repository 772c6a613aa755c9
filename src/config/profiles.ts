// The ledgers of a home: the one without a name and one for each profile. Names only; nothing is opened.
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { type Home, PROFILE } from "./home.ts";

export interface ProfileLedger {
  /** Absent: the ledger that is there without `--profile`. */
  readonly profile?: string;
  readonly file: string;
  /** It is the one of this home, by whatever name: it must not be opened a second time. */
  readonly isOwn: boolean;
}

/** Those that there are. `profile` is the one that this home is of. */
export function profileLedgers(home: Home, profile: string | undefined): readonly ProfileLedger[] {
  const root = profile === undefined ? home.folder : path.dirname(path.dirname(home.folder));
  const named = namesIn(path.join(root, "profiles")).map((name) => ({
    profile: name,
    file: path.join(root, "profiles", name, "state.db"),
  }));
  const own = fileOf(home.ledgerFile);
  return [{ file: path.join(root, "state.db") }, ...named].flatMap((each) => {
    const found = fileOf(each.file);
    return found === undefined ? [] : [{ ...each, isOwn: found === own }];
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => PROFILE.test(name))
      .sort();
  } catch {
    return []; // no profile was ever used, or the folder is not ours to read
  }
}

/** The file itself, whatever its name; undefined where there is none. */
function fileOf(name: string): string | undefined {
  const stats = statSync(name, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}
