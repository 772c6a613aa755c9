// Where the parts of a picker go at a size: list, preview beside it, below it or in its place, title, filter and keys.
// Pure; keys that page have to know it too.

/** What has a row of its own. */
export interface PickerFrame {
  readonly title: boolean;
  readonly filter: boolean;
  readonly keys: boolean;
}

export interface PickerLayout {
  readonly frame: PickerFrame;
  readonly listRows: number;
  readonly listWidth: number;
  /** `over`: in the list's place. */
  readonly preview?: { readonly place: "beside" | "below" | "over"; readonly width: number; readonly rows: number };
}

/** `auto` shows it where there is room for both. */
export type PreviewWish = "auto" | "on" | "off";

const wide = 100;
const high = 17;

export function pickerLayout(size: {
  readonly width: number;
  readonly rows: number;
  /** Absent: there is none. */
  readonly preview?: PreviewWish;
}): PickerLayout {
  const { width, rows, preview = "off" } = size;
  const frame = frameOf(rows);
  const listRows = rowsIn(rows, frame);
  const bare = { frame, listRows, listWidth: width };
  if (preview === "off") return bare;
  if (width >= wide) {
    const own = Math.floor(width * 0.42);
    return { frame, listRows, listWidth: width - own - 3, preview: { place: "beside", width: own, rows: listRows } };
  }
  if (rows >= high) {
    const below = Math.min(8, Math.floor(rows / 3));
    return { ...bare, listRows: listRows - below, preview: { place: "below", width, rows: below } };
  }
  if (preview !== "on") return bare;
  const over = frameOver(rows);
  const own = rowsIn(rows, over);
  return { frame: over, listRows: own, listWidth: width, preview: { place: "over", width, rows: own } };
}

/** Where rows are few the keys go first, then the title: two rows of the list are worth more. */
function frameOf(rows: number): PickerFrame {
  return { title: rows >= 4, filter: rows >= 3, keys: rows >= 6 };
}

/** Nobody sees the list: how to get back to it goes last. */
function frameOver(rows: number): PickerFrame {
  return { title: rows >= 4, filter: rows >= 6, keys: rows >= 2 };
}

function rowsIn(rows: number, { title, filter, keys }: PickerFrame): number {
  return Math.max(1, rows - [title, filter, keys].filter(Boolean).length);
}
