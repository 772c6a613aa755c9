// Where the parts of a picker go at a size: list, preview beside or below it, title, filter and keys. Pure; keys that
// page have to know it too.

export interface PickerLayout {
  /** Rows of title, filter and keys: where rows are few the keys go first, then the title. */
  readonly frame: number;
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
  const frame = Math.max(0, Math.min(3, Math.floor(rows / 3)));
  const listRows = Math.max(1, rows - frame);
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
  return preview === "on" ? { ...bare, preview: { place: "over", width, rows: listRows } } : bare;
}
