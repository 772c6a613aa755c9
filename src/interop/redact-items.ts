// The records of an export without what looks like a secret. Contents change, so nodes and blobs get hashes of their own,
// each over the new hash of its parent: what comes out is a sound export of another conversation.
import { canonicalJson, messageHash, sha256 } from "../ledger/ids.ts";
import type { CallRecord, ChangeRecord, NodeRecord, SessionRecord, SideRecord } from "../ledger/transfer.ts";
import type { Hash, Part } from "../ledger/types.ts";
import type { Blob, Item } from "./export-format.ts";
import { newToken } from "./export-format.ts";
import { otherHash, type Redactor } from "./redact.ts";

export async function* redactItems(items: AsyncIterable<Item>, redactor: Redactor): AsyncGenerator<Item> {
  const names = new NewNames(redactor);
  const written = new Set<Hash>();
  for await (const item of items) {
    const clean = names.item(item);
    // Two contents may have become one.
    if (clean.type === "blob" && written.has(clean.hash)) continue;
    if (clean.type === "blob") written.add(clean.hash);
    yield clean;
  }
}

class NewNames {
  readonly #redactor: Redactor;
  readonly #hashes = new Map<Hash, Hash>();
  readonly #salt = newToken();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  item(item: Item): Item {
    switch (item.type) {
      case "blob":
        return this.#blob(item);
      case "session":
        return this.#session(item);
      case "message":
        return this.#node(item);
      case "turn":
        return {
          ...this.#refs(item, ["user", "last"]),
          payload: this.#refsInside(this.#redactor.json(item.payload)),
          summary: this.#redactor.text(item.summary),
          ...(item.error && { error: this.#redactor.json(item.error) }),
        };
      case "call":
        return this.#call(item);
      case "move":
        return this.#refs(item, ["from", "to"]);
      case "head":
        return this.#refs(item, ["head", "fork"]);
      case "usage":
        return item;
    }
  }

  #name(hash: Hash): Hash {
    return this.#hashes.get(hash) ?? hash;
  }

  #refs<T extends object>(item: T, keys: readonly (keyof T)[]): T {
    const renamed = keys.flatMap((key) => {
      const hash = item[key] as Hash | undefined;
      return hash === undefined ? [] : [[key, this.#name(hash)]];
    });
    return { ...item, ...(Object.fromEntries(renamed) as Partial<T>) };
  }

  #blob({ hash, bytes }: Blob): Blob {
    const clean = this.#redactor.bytes(bytes);
    const name = clean === bytes ? hash : sha256(clean);
    this.#hashes.set(hash, name);
    return { type: "blob", hash: name, bytes: clean };
  }

  #session(session: SessionRecord): SessionRecord {
    const text = (value: string) => this.#redactor.text(value);
    const { title, gitRoot, options } = session;
    return {
      ...session,
      cwd: text(session.cwd),
      ...(title !== undefined && { title: [...text(title)].slice(0, 100).join("") }),
      ...(gitRoot !== undefined && { gitRoot: text(gitRoot) }),
      ...(options !== undefined && { options: this.#redactor.json(options) }),
    };
  }

  #node(node: NodeRecord): NodeRecord {
    const list = this.#refsInside(JSON.parse(node.parts) as readonly Part[]);
    const parts = canonicalJson(list.map((part) => this.#part(part)));
    const moved = this.#refs(node, ["parent"]);
    const hash = messageHash({ parentHash: moved.parent, session: node.session, role: node.role, at: node.at, parts });
    this.#hashes.set(node.hash, hash);
    return { ...moved, hash, parts };
  }

  /** What a provider signed does not fit a changed text, and may hold it. */
  #part(part: Part): Part {
    if ("opaque" in part) {
      const { opaque: _, ...rest } = part;
      return this.#redactor.json(rest as Part);
    }
    return this.#redactor.json(part);
  }

  #call(call: CallRecord): CallRecord {
    const { evidence, approval } = call;
    return {
      ...this.#refs(call, ["message", "result"]),
      input: this.#redactor.json(call.input),
      ...(approval !== undefined && { approval: this.#redactor.text(approval) }),
      ...(evidence !== undefined && { evidence: this.#redactor.text(evidence) }),
      changes: call.changes.map((change) => this.#change(change)),
    };
  }

  /** A content that lost something is not one to write back. */
  #change(change: ChangeRecord): ChangeRecord {
    const sides = [change.before, change.after].filter((side) => side !== undefined);
    const isWhole = sides.every(({ hash, kept }) => kept && this.#name(hash) === hash);
    const side = ({ hash, mode, kept }: SideRecord): SideRecord => ({
      ...{ mode, kept },
      hash: kept ? this.#name(hash) : otherHash(hash, this.#salt),
    });
    return {
      ...change,
      path: this.#redactor.text(change.path),
      ...(change.before && { before: side(change.before) }),
      ...(change.after && { after: side(change.after) }),
      restorable: change.restorable && isWhole,
    };
  }

  /** Blobs that parts name, and the node that a summary kept. */
  #refsInside<T>(value: T): T {
    if (Array.isArray(value)) return value.map((each: unknown) => this.#refsInside(each)) as T;
    if (value === null || typeof value !== "object") return value;
    const part = value as { readonly kind?: string; readonly outcome?: { blob?: Hash }; readonly prompt?: unknown };
    if (part.kind === "file") return this.#refs(part as { blob: Hash }, ["blob"]) as T;
    if (part.kind === "summary") return this.#refs(part as { keptFrom?: Hash }, ["keptFrom"]) as T;
    if (part.kind === "tool-result" && part.outcome)
      return { ...part, outcome: this.#refs(part.outcome, ["blob"]) } as T;
    if (part.prompt !== undefined) return { ...part, prompt: this.#refsInside(part.prompt) } as T;
    return value;
  }
}
