// What can be wrong with a file, as data with words for the model, and the one mapping of the system's errors to it.
export type FileProblemCode =
  | "missing"
  | "ledger"
  | "folder"
  | "not-folder"
  | "special"
  | "too-large"
  | "outside"
  | "changed"
  | "unread"
  | "denied"
  | "full"
  | "aborted"
  | "io";
export interface FileProblem {
  readonly code: FileProblemCode;
  /** Names the path as it was asked for and says what can be done. */
  readonly message: string;
}
export type FileAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: FileProblem };

/** Carries a problem up to `answer`, which everything that throws it runs under. */
export class Refusal extends Error {
  readonly problem: FileProblem;
  constructor(code: FileProblemCode, message: string) {
    super(message);
    this.problem = { code, message };
  }
}

/** Refusals and the system's errors become values; a mistake of our own code stays an exception. */
export async function answer<T>(path: string, work: () => Promise<T>): Promise<FileAnswer<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, problem: error.problem };
    return { ok: false, problem: fromSystem(path, error) };
  }
}

const SYSTEM_ERRORS: Readonly<Record<string, readonly [FileProblemCode, string]>> = {
  ENOENT: ["missing", "does not exist"],
  ENOTDIR: ["not-folder", "is not a folder, or goes through a file"],
  EISDIR: ["folder", "is a folder"],
  EACCES: ["denied", "may not be accessed: permission denied"],
  EPERM: ["denied", "may not be changed: not permitted"],
  EROFS: ["denied", "is on a read-only file system"],
  ENOSPC: ["full", "was not written: the disk is full"],
  EDQUOT: ["full", "was not written: the disk quota is used up"],
  ELOOP: ["io", "is a symbolic link that leads to itself"],
  ENAMETOOLONG: ["io", "has a name that is too long"],
  ERR_INVALID_ARG_VALUE: ["io", "is not a valid path"],
};

function fromSystem(path: string, error: unknown): FileProblem {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const known = SYSTEM_ERRORS[code];
  if (known) return { code: known[0], message: `${path} ${known[1]}` };
  if (code === "" || code.startsWith("ERR_")) throw error;
  return { code: "io", message: `${path}: ${(error as Error).message}` };
}
