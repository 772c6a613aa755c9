// Many paths and the search among them. Built for 100,000: a path that lacks a letter of the query is passed over by
// one comparison, and a query that goes on is looked for only where its beginning was found.

/** Letters, digits and a few signs as bits, all others as one. */
const OTHER = 1 << 29;
const SIGNS: Readonly<Record<string, number>> = { ".": 27, "-": 28, _: 28 };

/** Who takes letters back is answered from them. */
const keptQueries = 12;

export class PathList {
  /** As they are written; those of folders end in a slash. */
  readonly #paths: string[] = [];
  /** Without case, composed. */
  readonly #plain: string[] = [];
  /** Where each one's last name begins. */
  readonly #names: number[] = [];
  readonly #letters: number[] = [];
  readonly #folders = new Set<string>();
  #lastFolder = "";
  /** What fitted the beginnings of the last query, the shortest first, and how many paths there were then. */
  #found: readonly { readonly query: string; readonly size: number; readonly at: readonly number[] }[] = [];

  get size(): number {
    return this.#paths.length;
  }

  /** A file, and the folders on the way to it. */
  add(path: string): void {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    if (folder !== this.#lastFolder) this.#addFolders(folder);
    this.#lastFolder = folder;
    this.#push(path);
  }

  #addFolders(folder: string): void {
    for (let end = folder.indexOf("/"); end !== -1; end = folder.indexOf("/", end + 1)) {
      const each = folder.slice(0, end + 1);
      if (this.#folders.has(each)) continue;
      this.#folders.add(each);
      this.#push(each);
    }
  }

  #push(path: string): void {
    const plain = plainOf(path);
    this.#paths.push(path);
    this.#plain.push(plain);
    this.#names.push(plain.lastIndexOf("/", plain.length - 2) + 1);
    this.#letters.push(lettersOf(plain));
  }

  /** Nothing, or a folder with its slash: what is in it. Else what fits, best first; short and early ones of equals. */
  find(query: string, limit: number): readonly string[] {
    const wanted = plainOf(query);
    const isFolder = wanted === "" || wanted.endsWith("/");
    const inside = isFolder ? this.#inside(wanted, limit) : [];
    const at = inside.length > 0 || wanted === "" ? inside : this.#fitting(wanted, limit);
    return at.map((index) => this.#paths[index] ?? "");
  }

  /** Folders first, each in the order of names. */
  #inside(folder: string, limit: number): readonly number[] {
    const folders: number[] = [];
    const files: number[] = [];
    this.#plain.forEach((path, index) => {
      if (this.#names[index] !== folder.length || !path.startsWith(folder)) return;
      (path.endsWith("/") ? folders : files).push(index);
    });
    return [...folders, ...files].slice(0, limit);
  }

  #fitting(query: string, limit: number): readonly number[] {
    const letters = lettersOf(query);
    const best = new Best(limit);
    const at: number[] = [];
    const look = (index: number): void => {
      if (((this.#letters[index] ?? 0) & letters) !== letters) return;
      const rank = rankOf(this.#plain[index] ?? "", this.#names[index] ?? 0, query);
      if (rank === undefined) return;
      at.push(index);
      best.add(index, rank);
    };
    const { size } = this;
    const known = this.#found.filter((found) => query.startsWith(found.query));
    const last = known.at(-1);
    last?.at.forEach(look);
    for (let index = last?.size ?? 0; index < size; index += 1) look(index);
    this.#found = [...known.filter((found) => found.query !== query), { query, size, at }].slice(-keptQueries);
    return best.indexes;
  }
}

/** The `limit` lowest ranks, the earlier of equals first. */
class Best {
  readonly #limit: number;
  readonly #kept: { readonly index: number; readonly rank: number }[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(index: number, rank: number): void {
    const kept = this.#kept;
    const last = kept.at(-1);
    if (kept.length >= this.#limit && last !== undefined && rank >= last.rank) return;
    let at = kept.length;
    while (at > 0 && (kept[at - 1]?.rank ?? 0) > rank) at -= 1;
    kept.splice(at, 0, { index, rank });
    if (kept.length > this.#limit) kept.pop();
  }

  get indexes(): readonly number[] {
    return this.#kept.map(({ index }) => index);
  }
}

/** Classes of fitting, best first; within one, letters close together, then short paths. */
const FIT = { nameStart: 0, nameWord: 1, nameInside: 2, pathWord: 3, pathInside: 4, nameLetters: 5, pathLetters: 6 };

/** Smaller is better; undefined: it does not fit. Whatever fits a longer query fits its beginning. */
function rankOf(path: string, name: number, query: string): number | undefined {
  const inName = path.indexOf(query, name);
  if (inName === name) return ranked(FIT.nameStart, 0, path);
  if (inName !== -1) return ranked(isWordStart(path, inName) ? FIT.nameWord : FIT.nameInside, 0, path);
  const inPath = path.indexOf(query);
  if (inPath !== -1) return ranked(isWordStart(path, inPath) ? FIT.pathWord : FIT.pathInside, 0, path);
  const spread = lettersSpread(path, query);
  if (spread === undefined) return undefined;
  return ranked(spread.from >= name ? FIT.nameLetters : FIT.pathLetters, spread.others, path);
}

function ranked(fit: number, others: number, path: string): number {
  return fit * 65_536 + Math.min(others, 255) * 256 + Math.min(path.length, 255);
}

function isWordStart(path: string, at: number): boolean {
  return at === 0 || /[/._\-\s]/.test(path.charAt(at - 1));
}

/** The query's letters in order, looked for from the end, where the name is: where they begin, and what is between. */
function lettersSpread(path: string, query: string): { from: number; others: number } | undefined {
  let at = path.length;
  let end = -1;
  for (let index = query.length - 1; index >= 0; index -= 1) {
    if (at === 0) return undefined;
    at = path.lastIndexOf(query.charAt(index), at - 1);
    if (at === -1) return undefined;
    if (end === -1) end = at + 1;
  }
  return { from: at, others: end - at - query.length };
}

function plainOf(path: string): string {
  return (/^[\x20-\x7e]*$/.test(path) ? path : path.normalize("NFC")).toLowerCase();
}

function lettersOf(plain: string): number {
  let bits = 0;
  for (let index = 0; index < plain.length; index += 1) {
    const code = plain.charCodeAt(index);
    if (code >= 97 && code <= 122) bits |= 1 << (code - 97);
    else if (code >= 48 && code <= 57) bits |= 1 << 26;
    else {
      const sign = SIGNS[plain.charAt(index)];
      bits |= sign === undefined ? OTHER : 1 << sign;
    }
  }
  return bits;
}
