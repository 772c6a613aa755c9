// The two forms of an export that can be read back: lines, and one JSON object of the same records for programs that
// want it whole.
import { type Header, type Item, linesOf } from "./export-format.ts";

export async function* jsonLines(header: Header, items: AsyncIterable<Item>): AsyncGenerator<string> {
  yield `${JSON.stringify(header)}\n`;
  let records = 0;
  for await (const item of items) {
    if (item.type !== "blob") records += 1;
    for (const line of linesOf(item)) yield `${line}\n`;
  }
  yield `${JSON.stringify({ type: "end", records })}\n`;
}

export async function* jsonObject(header: Header, items: AsyncIterable<Item>): AsyncGenerator<string> {
  yield `${JSON.stringify(header).slice(0, -1)},"records":[\n`;
  let records = 0;
  for await (const item of items) {
    if (item.type !== "blob") records += 1;
    for (const line of linesOf(item)) yield `${line},\n`;
  }
  yield `${JSON.stringify({ type: "end", records })}\n]}\n`;
}
