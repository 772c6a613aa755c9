// Splits the words of a command into options and operands, after a table of the options that are understood. A word
// that is not in the table is named instead: with it the command may mean something else.

export interface OptionTable {
  /** `-a`, `--all`: stand alone. */
  readonly flags: readonly string[];
  /** `-m`, `--message`: take a value, attached or as the next word. */
  readonly values: readonly string[];
  /** `-S`, `--gpg-sign`: take a value only when it is attached. */
  readonly optional: readonly string[];
}

export interface Option {
  readonly name: string;
  readonly value?: string;
}

export type OptionWords =
  | { readonly ok: true; readonly options: readonly Option[]; readonly operands: readonly string[] }
  /** `problem` is the option that is not understood. */
  | { readonly ok: false; readonly problem: string };

export function splitOptions(words: readonly string[], table: OptionTable): OptionWords {
  const options: Option[] = [];
  const operands: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") {
      operands.push(...words.slice(at + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      operands.push(word);
      continue;
    }
    const found = word.startsWith("--") ? longOption(word, table) : shortOptions(word, table);
    if (!found) return { ok: false, problem: word };
    const last = found.at(-1);
    if (last && last.value === undefined && table.values.includes(last.name)) {
      at += 1;
      const value = words[at];
      if (value === undefined) return { ok: false, problem: word };
      options.push(...found.slice(0, -1), { name: last.name, value });
    } else options.push(...found);
  }
  return { ok: true, options, operands };
}

export function lastValue(options: readonly Option[], ...names: readonly string[]): string | undefined {
  return options.filter(({ name }) => names.includes(name)).at(-1)?.value;
}

function longOption(word: string, table: OptionTable): readonly Option[] | undefined {
  const equals = word.indexOf("=");
  const name = equals < 0 ? word : word.slice(0, equals);
  if (equals < 0) return [...table.flags, ...table.values, ...table.optional].includes(name) ? [{ name }] : undefined;
  return [...table.values, ...table.optional].includes(name) ? [{ name, value: word.slice(equals + 1) }] : undefined;
}

/** `-qam text`: flags, and at the end one that may take the rest of the word. */
function shortOptions(word: string, table: OptionTable): readonly Option[] | undefined {
  const options: Option[] = [];
  for (let at = 1; at < word.length; at++) {
    const name = `-${word.charAt(at)}`;
    const rest = word.slice(at + 1);
    if (table.flags.includes(name)) {
      options.push({ name });
      continue;
    }
    if (!table.values.includes(name) && !table.optional.includes(name)) return undefined;
    options.push(rest === "" ? { name } : { name, value: rest });
    break;
  }
  return options;
}
