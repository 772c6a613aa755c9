// Images that are written into a prompt and not sent yet. Their bytes are on disk before the prompt shows them, in a
// file named by its hash, so that a crash, an undo of the editing or the loss of the original takes none of them; once
// a prompt is stored with them the ledger has them, and the file goes.
import { mkdir, readdir, readFile, unlink } from "node:fs/promises";
import path from "node:path";
import type { AsyncSessionDB } from "../../ledger/async-session-db.ts";
import { type ImageToken, imageName, imagesIn, imageToken } from "../../ledger/image-token.ts";
import type { FilePart, Hash, Payload } from "../../ledger/types.ts";
import { replaceFile, sweepTemporaries } from "../tools/atomic-write.ts";
import { type FileGate, hashBytes } from "../tools/files.ts";
import { imageHeader } from "./image-header.ts";

export type Attached =
  | { readonly kind: "attached"; readonly image: ImageToken }
  /** There is no such file, or it is no image: the text is meant as it stands. */
  | { readonly kind: "none"; readonly why: string }
  /** An image that cannot be sent. */
  | { readonly kind: "refused"; readonly why: string };

export type PromptMade =
  | { readonly ok: true; readonly prompt: Payload["prompt"]; readonly blobs: readonly Uint8Array[] }
  | { readonly ok: false; readonly why: string };

/** The most that any provider takes of one image, in bytes. */
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_IMAGES = 20;

export interface ImageShelfOptions {
  readonly db: Pick<AsyncSessionDB, "blob">;
  readonly files: FileGate;
  /** Made when the first image is put there. */
  readonly folder: string;
}

export class ImageShelf {
  readonly #options: ImageShelfOptions;

  constructor(options: ImageShelfOptions) {
    this.#options = options;
  }

  /** Reads the file and keeps its bytes; relative to `cwd`, `~` is the home folder. */
  async attach(cwd: string, asked: string): Promise<Attached> {
    const { files } = this.#options;
    const file = files.resolve(cwd, asked);
    const stat = await files.stat(file);
    if (!stat.ok || stat.value.kind !== "file") return { kind: "none", why: `there is no file ${asked}` };
    const name = imageName(file);
    if (stat.value.bytes > MAX_BYTES) return refused(name, `it has ${megabytes(stat.value.bytes)}`);
    const read = await files.read(file, { maxBytes: MAX_BYTES });
    if (!read.ok) return { kind: "refused", why: `${name} is not attached: ${read.problem.message}` };
    const { bytes } = read.value;
    if (bytes.length > MAX_BYTES) return refused(name, `it has ${megabytes(bytes.length)}`);
    const header = imageHeader(bytes);
    if (!header) return { kind: "none", why: `${asked} is no PNG, JPEG, GIF or WebP image` };
    const hash = hashBytes(bytes);
    try {
      await this.#keep(hash, bytes);
    } catch (error) {
      return { kind: "refused", why: `${name} is not attached: it could not be kept: ${String(error)}` };
    }
    return { kind: "attached", image: imageToken({ name, ...header, hash }) };
  }

  /** The text with the images that it names; nothing is sent that would lack one. */
  async prompt(text: string): Promise<PromptMade> {
    const named = new Map(imagesIn(text).map((image) => [image.hash, image]));
    if (named.size > MAX_IMAGES)
      return { ok: false, why: `${named.size} images are too many for one prompt: at most ${MAX_IMAGES}.` };
    const parts: FilePart[] = [];
    const blobs: Uint8Array[] = [];
    for (const { hash, name, label } of named.values()) {
      const bytes = await this.#bytes(hash);
      const header = bytes && imageHeader(bytes);
      if (!header) return { ok: false, why: `${label} is gone: neither the ledger nor the disk has it any more.` };
      parts.push({ kind: "file", blob: hash, mediaType: header.mediaType, name, bytes: bytes.length });
      blobs.push(bytes);
    }
    return { ok: true, prompt: [{ kind: "text", text }, ...parts], blobs };
  }

  /** A prompt was stored: what the ledger has goes, also what a kill left of earlier ones. */
  async stored(): Promise<void> {
    const { folder, db } = this.#options;
    const names = await readdir(folder).catch((): string[] => []); // never made: nothing was kept
    await sweepTemporaries(folder).catch(() => undefined); // the next one tries again
    for (const name of names.filter((each) => /^[0-9a-f]{64}$/.test(each))) {
      const isStored = await db.blob(name as Hash).then(
        () => true,
        () => false,
      );
      // Another window may have been first.
      if (isStored) await unlink(path.join(folder, name)).catch(() => undefined);
    }
  }

  async #keep(hash: Hash, bytes: Uint8Array): Promise<void> {
    await mkdir(this.#options.folder, { recursive: true, mode: 0o700 });
    await replaceFile({ path: this.#file(hash), bytes, mode: 0o600, isStillExpected: () => Promise.resolve(true) });
  }

  async #bytes(hash: Hash): Promise<Uint8Array | undefined> {
    const kept = await readFile(this.#file(hash)).catch(() => undefined); // not there: the ledger may have it
    if (kept && hashBytes(kept) === hash) return kept;
    return this.#options.db.blob(hash).catch(() => undefined); // not stored: the caller says so
  }

  #file(hash: Hash): string {
    return path.join(this.#options.folder, hash);
  }
}

function refused(name: string, what: string): Attached {
  const why = `${name} is not attached: ${what}, and an image may have 5 MB. Make it smaller, or crop it.`;
  return { kind: "refused", why };
}

function megabytes(bytes: number): string {
  return `${(Math.ceil((bytes / 1024 / 1024) * 10) / 10).toFixed(1)} MB`;
}
