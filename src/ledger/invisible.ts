// Which characters nobody sees, and how a text loses them: zero-width ones, direction controls and fillers go wherever
// they stand, but for those that hold an emoji sequence together. One rule for what is stored as a name and for what a
// terminal is sent. And how a name is cut: never inside of what is one character to the eye. Pure; leaves controls and
// line ends alone.

/** Characters that are visible, act on nothing, and are assigned: most text is nothing else. */
export const harmless =
  "\\x20-\\x7e\\xa1-\\xac\\xae-\\u02ff\\u03a3-\\u0482\\u2010-\\u2027\\u2190-\\u2426\\u2460-\\u259f" +
  "\\u3001-\\u3029\\u3041-\\u3096\\u30a0-\\u30ff\\u3400-\\u9fff\\uac00-\\ud7a3\\uff01-\\uff60";
const harmlessRun = new RegExp(`[${harmless}]+`, "y");
const invisible = /^(?:[\ufff9-\ufffb]|\p{Default_Ignorable_Code_Point})$/u;
export const emojiSequence =
  /^(?:\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|[\ufe0e\ufe0f])?(?:\u200d\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f)?)*|[0-9#*]\ufe0f?\u20e3|\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f})$/u;

/** Real sequences are shorter; longer ones are cut so that no text makes the checks slow. */
const maxSequence = 64;

/** Drops invisible characters unless they are needed inside an emoji sequence; keeps them back until that is known. */
export function createInvisibleFilter(): (text: string) => string {
  let sequence = "";
  let held = "";

  function character(value: string): string {
    const candidate = sequence + held + value;
    const joins = candidate.length <= maxSequence && emojiSequence.test(candidate);
    if (invisible.test(value) && !joins) {
      if (candidate.length <= maxSequence) held += value;
      return "";
    }
    const kept = joins ? held + value : value;
    sequence = joins ? candidate : value;
    held = "";
    return kept;
  }

  return (text) => {
    let out = "";
    let index = 0;
    while (index < text.length) {
      harmlessRun.lastIndex = index;
      const run = held === "" ? (harmlessRun.exec(text)?.[0] ?? "") : "";
      if (run !== "") {
        out += run;
        sequence = run.slice(-1);
        index += run.length;
        continue;
      }
      const value = String.fromCodePoint(text.codePointAt(index) ?? 0);
      out += character(value);
      index += value.length;
    }
    return out;
  };
}

export function withoutInvisible(text: string): string {
  return createInvisibleFilter()(text);
}

/** The beginning of a name, at most so many code points of it. */
export function beginning(text: string, most: number): string {
  const points = [...text.slice(0, 2 * most + 2)];
  if (points.length <= most) return points.join("");
  // Its first use is slow.
  if (latinOnly.test(text.slice(0, most + 1))) return text.slice(0, most);
  let kept = "";
  let left = most;
  for (const { segment } of new Intl.Segmenter().segment(points.join(""))) {
    left -= [...segment].length;
    if (left < 0) break;
    kept += segment;
  }
  // One character alone may be longer.
  return kept === "" ? points.slice(0, most).join("") : kept;
}

const latinOnly = /^[\x20-\x7e\xa0-\u02ff]*$/;
