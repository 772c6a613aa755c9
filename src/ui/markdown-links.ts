// What a link of an answer may be: a click is only ever an address of http, https or mailto in plain characters, and
// where the text could be taken for another address than the one it opens, both are shown.
import { type Line, span } from "./styled-line.ts";
import type { Role, Theme } from "./theme.ts";

export interface Target {
  /** To be said as well, where the link has no text of its own. */
  readonly text: string;
  readonly href?: string;
  /** Behind the text. */
  readonly address?: { readonly text: string; readonly role: Role };
}

const maxAddress = 2_000;

export function linkOf(text: string, address: string): Target {
  const asked = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/.test(address) ? `mailto:${address}` : address;
  const isSafe = asked.length <= maxAddress && /^(?:https?:\/\/|mailto:)[!-~]+$/i.test(asked);
  const href = isSafe ? { href: asked } : {};
  const shown = text.trim();
  if (shown === "") return { text: address, ...href };
  if (shown === address || `mailto:${shown}` === address || address === "") return { text: "", ...href };
  // Said in any case where the text alone could mislead, or cannot be clicked.
  const role: Role = isSafe && !/:\/\/|^www\.|^[\w-]+(?:\.[\w-]+)+(?:\/|$)/i.test(shown) ? "address" : "muted";
  return { text: "", ...href, address: { text: ` (${address})`, role } };
}

/** As the theme can: a link that is clicked, or its text and its address. */
export function linkedSpans(line: Line, theme: Theme): Line {
  if (theme.links) return line.filter(({ role }) => role !== "address");
  return line.map(({ text, role }) => span(text, role));
}

const enclosed = /<((?:https?:\/\/|mailto:)[^\s<>]+|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+)>/y;
const bare = /https?:\/\/[^\s<>"`|[\]]*[^\s<>"`|[\].,;:!?'*_~]/y;

/** `<https://…>` that starts here, or an address as it is. */
export function addressAt(text: string, at: number): { readonly address: string; readonly length: number } | undefined {
  const pattern = text[at] === "<" ? enclosed : bare;
  pattern.lastIndex = at;
  if (pattern === bare && /[\p{L}\p{N}_]/u.test(text[at - 1] ?? "")) return undefined;
  const found = pattern.exec(text);
  if (!found) return undefined;
  const address = found[1] ?? withoutEnd(found[0]);
  return { address, length: found[1] === undefined ? address.length : found[0].length };
}

/** A bracket behind an address belongs to it only if it was opened within it. */
function withoutEnd(address: string): string {
  let end = address;
  for (let tries = 0; tries < maxBrackets && end.endsWith(")"); tries += 1) {
    if (end.split("(").length >= end.split(")").length) return end;
    end = end.slice(0, -1);
  }
  return end;
}

const maxBrackets = 20;
