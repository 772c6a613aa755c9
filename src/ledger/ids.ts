// Ids and hashes: how they are made, and the one canonical JSON they are made over.
import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { Hash, HolderId, MessageId, RequestId, Role, SessionId } from "./types.ts";

export function sha256(data: string | Uint8Array): Hash {
  return createHash("sha256").update(data).digest("hex") as Hash;
}

/** Keys sorted, nothing that JSON cannot say: equal values have equal text. Throws on NaN and infinities. */
export function canonicalJson(value: unknown): string {
  if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError("not a JSON number");
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`);
  return `{${fields.join(",")}}`;
}

/** `parts` is the stored, canonical JSON; it stands last, and nothing before it can hold a line feed. */
export function messageHash(node: {
  parentHash: Hash | undefined;
  session: SessionId;
  role: Role;
  at: number;
  parts: string;
}): Hash {
  return sha256(`${node.parentHash ?? ""}\n${node.session}\n${node.role}\n${node.at}\n${node.parts}`);
}

/** `YYYYMMDD-HHMMSS-xxxxxx`, in UTC. */
export function newSessionId(at: number, random: (bytes: number) => Uint8Array = randomBytes): SessionId {
  const iso = new Date(at).toISOString();
  const stamp = `${iso.slice(0, 10).replaceAll("-", "")}-${iso.slice(11, 19).replaceAll(":", "")}`;
  return `${stamp}-${Buffer.from(random(3)).toString("hex")}` as SessionId;
}

export function newRequestId(): RequestId {
  return randomUUID() as RequestId;
}

export function newHolderId(pid: number): HolderId {
  return `${pid}:${randomBytes(6).toString("hex")}` as HolderId;
}

/** Stable over every repetition of the call, so that the outside world can recognise the effect. */
export function effectKey(admission: number, message: MessageId, call: string, ledger: string): string {
  return `stele-${sha256(`${ledger}\n${admission}\n${message}\n${call}`).slice(0, 32)}`;
}
