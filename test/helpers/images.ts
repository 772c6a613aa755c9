// Small images whose headers are real and whose sizes are chosen; what follows the header is only long enough.
import { deflateSync } from "node:zlib";

export function pngImage(width: number, height: number, bytes = 0): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0], 8);
  const rows = deflateSync(Buffer.alloc((width + 1) * height));
  const filler = Buffer.alloc(bytes);
  const chunks = [chunk("IHDR", header), chunk("tEXt", filler), chunk("IDAT", rows), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...chunks]);
}

function chunk(kind: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(kind, "latin1"), data, Buffer.alloc(4)]);
}

/** Behind a segment of the camera's own, as photographs have it. */
export function jpegImage(width: number, height: number): Buffer {
  const camera = Buffer.alloc(2 + 2_000, 7);
  camera.writeUInt16BE(camera.length, 0);
  const frame = Buffer.from([0xff, 0xc2, 0, 17, 8, height >> 8, height & 255, width >> 8, width & 255, 3]);
  return Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe1]), camera, frame, Buffer.alloc(20)]);
}

export function gifImage(width: number, height: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  return Buffer.concat([Buffer.from("GIF89a", "latin1"), size, Buffer.alloc(20)]);
}

export function webpImage(width: number, height: number, kind: "VP8 " | "VP8L" | "VP8X" = "VP8X"): Buffer {
  const data = Buffer.alloc(40);
  data.write(`RIFF\0\0\0\0WEBP${kind}`, "latin1");
  if (kind === "VP8 ") {
    data.writeUInt16LE(width, 26);
    data.writeUInt16LE(height, 28);
  } else if (kind === "VP8L") data.writeUInt32LE(((height - 1) << 14) | (width - 1), 21);
  else {
    data.writeUIntLE(width - 1, 24, 3);
    data.writeUIntLE(height - 1, 27, 3);
  }
  return data;
}
