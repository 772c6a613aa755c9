// Takes out of a text what looks like a secret, and the name of the home folder. A guess: it finds the known shapes of
// keys and what is assigned to a name that sounds like one, and nothing else.
import { canonicalJson, sha256 } from "../ledger/ids.ts";
import type { Hash, Json } from "../ledger/types.ts";

const MARK = "[redacted]";

const PEM = /-----BEGIN ([A-Z0-9 ]*PRIVATE KEY[A-Z0-9 ]*|CERTIFICATE)-----[\s\S]*?(?:-----END \1-----|$)/g;
const TOKENS = [
  /\b(?:sk|rk|pk)-(?:[A-Za-z0-9]+-)*[A-Za-z0-9_-]{16,}/g,
  /\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\bhf_[A-Za-z0-9]{20,}/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*/g,
];
/** What is kept of these stands in the first group. */
const ASSIGNED = [
  /(\b[Bb]earer[ \t]+)[A-Za-z0-9._~+/-]{8,}=*/g,
  /(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]{1,64}:)[^\s/@]{1,256}(?=@)/g,
  /(\b[A-Za-z0-9_]{0,64}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)["']?[ \t]*[=:][ \t]*["']?)(?!\[redacted\])[^\s"'\\,;]{6,}/g,
  /(\b(?:password|passwd|secret|api[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret)["']?[ \t]*[=:][ \t]*["']?)(?!\[redacted\])[^\s"'\\,;]{6,}/gi,
];

export class Redactor {
  readonly #home: RegExp | undefined;
  /** Places where something was taken out. */
  count = 0;

  constructor(home: string) {
    const isUsable = home.length > 1 && home.startsWith("/");
    this.#home = isUsable ? new RegExp(`${escaped(home.replace(/\/+$/, ""))}(?![\\w.-])`, "g") : undefined;
  }

  text(text: string): string {
    let out = text.replace(PEM, () => this.#mark());
    for (const token of TOKENS) out = out.replace(token, () => this.#mark());
    for (const assigned of ASSIGNED) out = out.replace(assigned, (_, kept: string) => kept + this.#mark());
    if (this.#home) out = out.replace(this.#home, () => this.#mark("~"));
    return out.replace(/(^|[\s"'`=:(])\/(?:home|Users)\/[^\s/"'`:]+/g, (_, before: string) => before + this.#mark("~"));
  }

  #mark(mark = MARK): string {
    this.count += 1;
    return mark;
  }

  /** Every text in it, names of fields too. */
  json<T>(value: T): T {
    return this.#json(value as Json) as T;
  }

  #json(value: Json, name = ""): Json {
    if (typeof value === "string") return isSecretName(name) && value !== "" ? this.#mark() : this.text(value);
    if (value === null || typeof value !== "object") return value;
    if (Array.isArray(value)) return (value as readonly Json[]).map((each) => this.#json(each, name));
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [this.text(key), this.#json(each, key)]));
  }

  /** A content that is text; others are left as they are. */
  bytes(bytes: Uint8Array): Uint8Array {
    let text: string;
    try {
      text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      return bytes; // an image, a program: no text to look in
    }
    const clean = this.text(text);
    return clean === text ? bytes : new TextEncoder().encode(clean);
  }
}

function isSecretName(name: string): boolean {
  return /(?:^|[_-])(?:password|passwd|secret|api[_-]?key|token|credentials?)$/i.test(name);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Not the hash of what was there: that could be guessed at. */
export function otherHash(hash: Hash, salt: string): Hash {
  return sha256(canonicalJson([salt, hash]));
}
