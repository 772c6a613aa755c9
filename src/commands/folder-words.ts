// Where a conversation works, told when it is opened: another folder than this one, or one that is gone.
import type { Session } from "../ledger/types.ts";

export async function folderWords(
  { cwd }: Pick<Session, "cwd">,
  here: string,
  hasFolder: (path: string) => Promise<boolean>,
): Promise<readonly string[]> {
  if (!(await hasFolder(cwd))) return [`Its folder is gone: ${cwd}`];
  return cwd === here ? [] : [`It works in its own folder: ${cwd}`];
}
