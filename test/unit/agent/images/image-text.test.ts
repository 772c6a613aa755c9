// What an image is by its bytes, which text names one, and the text that stands for one.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { imageHeader } from "../../../../src/agent/images/image-header.ts";
import { mentionedPaths, pastedPaths } from "../../../../src/agent/images/image-paths.ts";
import { imageName, imagesIn, imageToken, shownImages, splitImages } from "../../../../src/ledger/image-token.ts";
import type { Hash } from "../../../../src/ledger/types.ts";
import { hostileTexts } from "../../../helpers/hostile-text.ts";
import { gifImage, jpegImage, pngImage, webpImage } from "../../../helpers/images.ts";

describe("the header of an image", () => {
  it.each([
    ["image/png", pngImage(640, 480), 640, 480],
    ["image/jpeg", jpegImage(4_000, 3_000), 4_000, 3_000],
    ["image/gif", gifImage(17, 300), 17, 300],
    ["image/webp", webpImage(1_023, 77, "VP8 "), 1_023, 77],
    ["image/webp", webpImage(16_384, 1, "VP8L"), 16_384, 1],
    ["image/webp", webpImage(70_000, 2, "VP8X"), 70_000, 2],
  ])("says %s and its size, whatever the file is called", (mediaType, bytes, width, height) => {
    expect(imageHeader(bytes)).toEqual({ mediaType, width, height });
    for (let length = 0; length < Math.min(bytes.length, 40); length += 1)
      expect(() => imageHeader(bytes.subarray(0, length))).not.toThrow();
  });

  it("is nothing in what is no image, in one of no size, and in any bytes behind a right beginning", () => {
    expect(imageHeader(Buffer.from("hello, I am a file that is called shot.png, and long enough"))).toBeUndefined();
    expect(imageHeader(pngImage(0, 5))).toBeUndefined();
    const starts = [pngImage(1, 1), jpegImage(1, 1), gifImage(1, 1), webpImage(1, 1)].map((each) =>
      each.subarray(0, 12),
    );
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 60 }), (start, rest) => {
        const header = imageHeader(Buffer.concat([start, rest]));
        if (header) expect(Math.min(header.width, header.height)).toBeGreaterThan(0);
      }),
      { numRuns: 500, seed: 1 },
    );
  });
});

describe("a paste names images", () => {
  it.each([
    ["/tmp/shot.png", ["/tmp/shot.png"]],
    ["/tmp/shot.PNG \n", ["/tmp/shot.PNG"]],
    ["'/tmp/my shot.png'", ["/tmp/my shot.png"]],
    ['"/tmp/it\'s.jpeg" ', ["/tmp/it's.jpeg"]],
    ["/tmp/my\\ shot\\(1\\).webp", ["/tmp/my shot(1).webp"]],
    ["'/tmp/it'\\''s.png'", ["/tmp/it's.png"]],
    ["/tmp/my shot.png", ["/tmp/my shot.png"]],
    ["/a/b.png '/c d/e.gif'", ["/a/b.png", "/c d/e.gif"]],
    ["/a/b.png\n/c/e.jpg\n", ["/a/b.png", "/c/e.jpg"]],
    ["file:///tmp/my%20shot.png", ["/tmp/my shot.png"]],
    ["shot.png", ["shot.png"]],
  ])("as in %j", (text, paths) => {
    const named = pastedPaths(text);
    expect(named.map(({ path }) => path)).toEqual(paths);
    for (const each of named) expect(text).toContain(each.text);
  });

  it.each(["look at /tmp/shot.png", "/tmp/shot.png please", "/tmp/a.txt", "", ".png is a format\n", "x".repeat(9_000)])(
    "not as in %j",
    (text) => expect(pastedPaths(text)).toEqual([]),
  );
});

describe("an @path names an image", () => {
  it.each([
    ["see @a/shot.png now", [["@a/shot.png", "a/shot.png"]]],
    ['(@"my shot.jpg")', [['@"my shot.jpg"', "my shot.jpg"]]],
    [
      "@a.gif, and @b.webp.",
      [
        ["@a.gif", "a.gif"],
        ["@b.webp", "b.webp"],
      ],
    ],
    ["me@shot.png @notes.md @png", []],
  ])("in %j", (text, wanted) => {
    expect(mentionedPaths(text).map((each) => [each.text, each.path])).toEqual(wanted);
  });
});

describe("the text of an image", () => {
  const hash = "0123456789abcdef".repeat(4) as Hash;

  it("is found again with all that it says, and shown without its hash", () => {
    const one = imageToken({ name: "shot.png", width: 640, height: 480, hash });
    const text = `a ${one.token}${one.token}\nb`;
    expect(splitImages(text)).toEqual(["a ", one, one, "\nb"]);
    expect(shownImages(text)).toBe("a [image shot.png 640×480][image shot.png 640×480]\nb");
    expect(shownImages(text.slice(0, 50))).toBe("a [image shot.png 640×480");
    expect(shownImages("a sha256-00 b [image x] sha256-1")).toBe("a sha256-00 b [image x] sha256-1");
  });

  it("has a name that cannot end it, from whatever the file is called", () => {
    for (const text of [...hostileTexts(500), "a]b[c.png", "…".repeat(99), "/", " "]) {
      const name = imageName(`/tmp/${text}`);
      const one = imageToken({ name, width: 1, height: 2, hash });
      expect(imagesIn(`x${one.token}y`)).toEqual([one]);
    }
  });
});
