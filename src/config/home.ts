// Where everything of a person lives: the ledger, its spool and backups, the config, the trusted folders.
// Only names are made here; nothing is looked up or created on disk.
import { homedir } from "node:os";
import path from "node:path";

export interface Home {
  readonly folder: string;
  readonly ledgerFile: string;
  readonly configFile: string;
  readonly trustFile: string;
  readonly spoolFolder: string;
  readonly backupsFolder: string;
  /** Images of prompts that are not sent yet. */
  readonly imagesFolder: string;
}

export interface HomeRequest {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Relative paths start here. */
  readonly cwd: string;
  readonly flags: { readonly home?: string; readonly profile?: string; readonly ledger?: string };
}

export type HomeResult =
  | { readonly ok: true; readonly home: Home }
  | { readonly ok: false; readonly problem: string; readonly hint: string };

export const PROFILE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** `--home`, STELE_HOME, the platform's folders; `--profile` goes below them, `--ledger` names that one file only. */
export function resolveHome(request: HomeRequest): HomeResult {
  const { home, profile, ledger } = request.flags;
  for (const [flag, value] of Object.entries({ home, ledger })) {
    if (value?.trim() === "") {
      return { ok: false, problem: `--${flag} is empty`, hint: `Give a path, or leave --${flag} out.` };
    }
  }
  if (profile !== undefined && !PROFILE.test(profile)) {
    return {
      ok: false,
      problem: `--profile is ${JSON.stringify(profile)}, which is not a name`,
      hint: "Allowed: up to 64 letters, digits, dots, dashes and underscores, beginning with a letter or a digit.",
    };
  }
  const { data, config } = baseFolders(request);
  const folder = profile === undefined ? data : path.join(data, "profiles", profile);
  const configFolder = profile === undefined ? config : path.join(config, "profiles", profile);
  return {
    ok: true,
    home: {
      folder,
      ledgerFile: ledger === undefined ? path.join(folder, "state.db") : absolute(ledger, request),
      configFile: path.join(configFolder, "config.json"),
      trustFile: path.join(folder, "trusted.json"),
      spoolFolder: path.join(folder, "spool"),
      backupsFolder: path.join(folder, "backups"),
      imagesFolder: path.join(folder, "images"),
    },
  };
}

function baseFolders(request: HomeRequest): { readonly data: string; readonly config: string } {
  const chosen = request.flags.home ?? request.env.STELE_HOME;
  if (chosen !== undefined && chosen.trim() !== "") {
    const folder = absolute(chosen, request);
    return { data: folder, config: folder };
  }
  const person = personFolder(request);
  if (request.platform === "darwin") {
    const folder = path.join(person, "Library", "Application Support", "stele");
    return { data: folder, config: folder };
  }
  const { XDG_DATA_HOME, XDG_CONFIG_HOME } = request.env;
  return {
    data: path.join(xdgFolder(XDG_DATA_HOME) ?? path.join(person, ".local", "share"), "stele"),
    config: path.join(xdgFolder(XDG_CONFIG_HOME) ?? path.join(person, ".config"), "stele"),
  };
}

/** A relative one is to be ignored: https://specifications.freedesktop.org/basedir-spec/latest/ */
function xdgFolder(value: string | undefined): string | undefined {
  return value !== undefined && path.isAbsolute(value) ? value : undefined;
}

/** A quoted `~/` reaches us as it was typed; a folder called `~` is never what was meant. */
function absolute(file: string, request: HomeRequest): string {
  if (file === "~" || file.startsWith("~/")) return path.join(personFolder(request), file.slice(1));
  return path.resolve(request.cwd, file);
}

function personFolder({ env }: HomeRequest): string {
  return env.HOME === undefined || env.HOME === "" ? homedir() : env.HOME;
}
