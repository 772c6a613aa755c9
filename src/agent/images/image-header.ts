// What an image is and how large, by its first bytes and not by its name: PNG, JPEG, GIF and WebP. Pure; reads only
// what is there, whatever the header claims.

export interface ImageHeader {
  readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  readonly width: number;
  readonly height: number;
}

/** Undefined: none of these, or cut short before its size. */
export function imageHeader(bytes: Uint8Array): ImageHeader | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = png(data) ?? gif(data) ?? webp(data) ?? jpeg(data);
  return header && header.width > 0 && header.height > 0 ? header : undefined;
}

function png(data: Buffer): ImageHeader | undefined {
  if (data.length < 24 || data.toString("latin1", 0, 8) !== "\x89PNG\r\n\x1a\n") return undefined;
  if (data.toString("latin1", 12, 16) !== "IHDR") return undefined;
  return { mediaType: "image/png", width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
}

function gif(data: Buffer): ImageHeader | undefined {
  if (data.length < 10 || !/^GIF8[79]a$/.test(data.toString("latin1", 0, 6))) return undefined;
  return { mediaType: "image/gif", width: data.readUInt16LE(6), height: data.readUInt16LE(8) };
}

/** One of three first chunks: lossy, lossless, extended. */
function webp(data: Buffer): ImageHeader | undefined {
  if (data.length < 30 || data.toString("latin1", 0, 4) !== "RIFF") return undefined;
  const kind = data.toString("latin1", 8, 16);
  const mediaType = "image/webp";
  if (kind === "WEBPVP8 ")
    return { mediaType, width: data.readUInt16LE(26) & 0x3fff, height: data.readUInt16LE(28) & 0x3fff };
  if (kind === "WEBPVP8L") {
    const bits = data.readUInt32LE(21);
    return { mediaType, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (kind !== "WEBPVP8X") return undefined;
  return { mediaType, width: data.readUIntLE(24, 3) + 1, height: data.readUIntLE(27, 3) + 1 };
}

/** Segments are gone through up to the frame's: what a camera writes before it can be long. */
function jpeg(data: Buffer): ImageHeader | undefined {
  if (data.length < 4 || data.readUInt16BE(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at + 9 < data.length) {
    if (data[at] !== 0xff) return undefined;
    const marker = data[at + 1] ?? 0;
    if (isFrame(marker))
      return { mediaType: "image/jpeg", width: data.readUInt16BE(at + 7), height: data.readUInt16BE(at + 5) };
    // A filler byte, or a marker that stands alone.
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else at += 2 + data.readUInt16BE(at + 2);
  }
  return undefined;
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}
