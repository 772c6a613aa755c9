// Ids and hashes: how they are made, and the one canonical JSON they are made over.
import { hash, randomBytes, randomUUID } from "node:crypto";
import { ledgerError } from "./errors.ts";
import type { Hash, HolderId, MessageId, RequestId, Role, SessionId } from "./types.ts";

export function sha256(data: string | Uint8Array): Hash {
  return hash("sha256", data) as Hash;
}

/** SQLite reads JSON up to 1000 levels; what is deeper could be stored but never checked again. */
const MAX_DEPTH = 900;

/** Keys sorted, nothing that JSON cannot say: equal values have equal text. Throws `bad_input` on NaN, infinities and depth. */
export function canonicalJson(value: unknown, depth = 0): string {
  if (typeof value === "number" && !Number.isFinite(value))
    throw ledgerError("bad_input", `${value} is no JSON number.`);
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  if (depth > MAX_DEPTH) throw ledgerError("bad_input", `A value is nested deeper than ${MAX_DEPTH} levels.`);
  if (Array.isArray(value)) return `[${value.map((each) => canonicalJson(each, depth + 1)).join(",")}]`;
  const fields = value as { readonly [key: string]: unknown };
  let text = "";
  for (const key of Object.keys(fields).sort()) {
    if (fields[key] === undefined) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(fields[key], depth + 1)}`;
  }
  return `{${text}}`;
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

/** By its form: whether there is such a session is another question. */
export function isSessionId(text: string): boolean {
  return /^\d{8}-\d{6}-[0-9a-f]{6}$/.test(text);
}

export function newRequestId(): RequestId {
  return randomUUID() as RequestId;
}

export function newHolderId(pid: number): HolderId {
  return `${pid}:${randomBytes(6).toString("hex")}` as HolderId;
}

/** Stable over every repetition of the call, so that the outside world can recognise the effect. */
export function effectKey(of: { ledger: string; admission: number; message: MessageId; call: string }): string {
  const { ledger, admission, message, call } = of;
  return `stele-${sha256(`${ledger}\n${admission}\n${message}\n${call}`).slice(0, 32)}`;
}
