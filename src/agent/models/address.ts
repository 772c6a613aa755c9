// The address of a provider as a person types it, made into the one that its client needs: scheme, port and the path of
// the interface are added where they can be known, what follows that path is taken off. What is no address comes back as
// it was typed, for an error that names it. Pure.
import type { ProviderKind } from "./providers.ts";

export interface TypedAddress {
  readonly text: string;
  readonly kind: ProviderKind;
  /** Where neither a scheme nor a port was typed. */
  readonly port?: number;
  /** Its interface is known to be under the usual path, wherever it is. */
  readonly isUsual?: boolean;
}

export function serverAddress({ text, kind, port, isUsual = false }: TypedAddress): string {
  const typed = text.trim();
  const isBare = !/^[a-z][a-z0-9+.-]*:\/\//i.test(typed);
  const whole = isBare ? withScheme(typed, kind) : typed;
  if (!URL.canParse(whole)) return typed;
  const url = new URL(whole);
  if (!/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return whole;
  // An address to listen on is none to ask at.
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.hostname === "[::]") url.hostname = "[::1]";
  if (isBare && port !== undefined && !/:\d+(?=\/|$)/.test(typed)) url.port = String(port);
  const path = basePath(url.pathname, kind);
  const usual = path === "" && (isUsual || hasUsualPath(url, kind)) ? usualPath(kind) : "";
  return `${url.origin}${path}${usual}${url.search}`;
}

/** Words for an address that may lack the path of its interface; "" where it has one. */
export function pathAdvice(endpoint: string): string {
  if (!URL.canParse(endpoint)) return "";
  const { origin, pathname } = new URL(endpoint);
  if (/\/v\d/.test(pathname)) return "";
  return ` Try ${origin}${pathname.replace(/\/+$/, "")}/v1: most addresses of this kind end so.`;
}

/** Ollama reads its own so; elsewhere a key must not go out in the open because a scheme was left out. */
function withScheme(typed: string, kind: ProviderKind): string {
  const text = typed.startsWith(":") ? `127.0.0.1${typed}` : typed.replace(/^\/\//, "");
  const http = `http://${text}`;
  const isPlain = kind === "ollama" || (URL.canParse(http) && isNear(new URL(http).hostname));
  return isPlain ? http : `https://${text}`;
}

/** This machine, or a name or address of the network around it. */
function isNear(hostname: string): boolean {
  return /^(?:\[.*\]|\d+\.\d+\.\d+\.\d+|[^.]+|.*\.(?:localhost|local|lan|internal|home\.arpa))$/.test(hostname);
}

/** Some hosts have their interface at the root: there nothing is added, and an error says what is usual. */
function hasUsualPath({ hostname }: URL, kind: ProviderKind): boolean {
  return kind !== "openai-compatible" && kind !== "openai" ? true : isNear(hostname) || hostname === "api.openai.com";
}

function usualPath(kind: ProviderKind): string {
  return kind === "google" ? "/v1beta" : "/v1";
}

/** What a manual shows is often the whole address of a request; Ollama's own interface is another one than ours. */
function basePath(pathname: string, kind: ProviderKind): string {
  const path = pathname.replace(/\/+$/, "").replace(/\/(?:chat\/completions|completions|responses|messages)$/, "");
  return kind === "ollama" ? path.replace(/^\/api(?:\/.*)?$/, "") : path;
}
