// Keeps a command's output in bounded memory: its head and its tail, with what was dropped between them said.

export interface OutputCapture {
  add(chunk: Uint8Array): void;
  /** UTF-8, damaged bytes replaced. */
  text(): string;
}

const MAX_KEPT_BYTES = 8 * 1024 * 1024;

export function createOutputCapture(maxBytes = MAX_KEPT_BYTES): OutputCapture {
  const half = Math.floor(maxBytes / 2);
  const head: Uint8Array[] = [];
  const tail: Uint8Array[] = [];
  let headBytes = 0;
  let tailBytes = 0;
  let dropped = 0;
  /** Whole chunks leave the tail first, then the front of the one that is cut. */
  function trimTail(): void {
    while (tailBytes > half && tail[0]) {
      const cut = Math.min(tail[0].length, tailBytes - half);
      if (cut === tail[0].length) tail.shift();
      else tail[0] = tail[0].subarray(cut);
      tailBytes -= cut;
      dropped += cut;
    }
  }
  return {
    add(chunk) {
      const forHead = chunk.subarray(0, half - headBytes);
      if (forHead.length > 0) head.push(forHead);
      headBytes += forHead.length;
      const forTail = chunk.subarray(forHead.length);
      if (forTail.length === 0) return;
      tail.push(forTail);
      tailBytes += forTail.length;
      trimTail();
    },
    text() {
      const start = Buffer.concat(head);
      const end = Buffer.concat(tail);
      if (dropped === 0) return Buffer.concat([start, end]).toString("utf8");
      return `${start.toString("utf8")}\n[${dropped} bytes of output dropped here]\n${end.toString("utf8")}`;
    },
  };
}
