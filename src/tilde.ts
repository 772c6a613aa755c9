// File names as people write them.
import { homedir } from "node:os";

export function tildify(file: string): string {
  const person = homedir();
  return file === person || file.startsWith(`${person}/`) ? `~${file.slice(person.length)}` : file;
}

/** In words that begin with a file. */
export function tildifyStart(words: string): string {
  return words.startsWith(`${homedir()}/`) ? tildify(words) : words;
}
