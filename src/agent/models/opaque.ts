// What a client tells beside a part and wants back with it, as the text that the ledger keeps: JSON of a few
// named strings. It comes back byte for byte, or, when it is not of this form, not at all.
import type { Metadata } from "./dialect.ts";

/** The named strings of the client's metadata; undefined when it has none of them. */
export function keepFields(metadata: Metadata, client: string, names: readonly string[]): string | undefined {
  const fields = metadata[client] ?? {};
  const kept = names.flatMap((name) => {
    const value = fields[name];
    return typeof value === "string" && value !== "" ? [[name, value] as const] : [];
  });
  return kept.length === 0 ? undefined : JSON.stringify(Object.fromEntries(kept));
}

/** What `keepFields` kept; empty for a text that another kind of provider left. */
export function keptFields(data: string): Readonly<Record<string, string>> {
  try {
    const fields: unknown = JSON.parse(data);
    if (typeof fields !== "object" || fields === null) return {};
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === "string"));
  } catch {
    return {}; // left by a provider of the same name and another kind
  }
}
