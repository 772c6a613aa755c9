// Parts as they are hashed and exported. A summary names the first node it kept; in the ledger by its id, which means
// something in this file only, and outside by its hash: so a node is the same node on every machine.
import { canonicalJson } from "./ids.ts";
import type { Hash, Role } from "./types.ts";

type Name = string | number;

/** Stored parts with ids replaced; a name that is not known stays as it is. */
export function portableParts(role: Role, parts: string, hashOf: (id: number) => Hash | undefined): string {
  return renamed(role, parts, (name) => (typeof name === "number" ? hashOf(name) : undefined));
}

/** The way back. */
export function storedParts(role: Role, parts: string, idOf: (hash: string) => number | undefined): string {
  return renamed(role, parts, (name) => (typeof name === "string" ? idOf(name) : undefined));
}

function renamed(role: Role, parts: string, nameOf: (name: Name) => Name | undefined): string {
  if (role !== "summary" || !parts.includes('"keptFrom"')) return parts;
  const list = JSON.parse(parts) as readonly { readonly keptFrom?: Name }[];
  return canonicalJson(
    list.map((part) => {
      const name = part.keptFrom === undefined ? undefined : nameOf(part.keptFrom);
      return name === undefined ? part : { ...part, keptFrom: name };
    }),
  );
}
