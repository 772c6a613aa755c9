// Places the terminal's own cursor inside a component through Ink's useCursor, which wants a position in the whole
// of Ink's output. Only the layout knows it: it is read after each commit, and a component that was moved draws
// itself once more. Undefined hides the cursor.
import { type DOMElement, useCursor } from "ink";
import { type RefObject, useLayoutEffect, useRef, useState } from "react";

export interface CursorPlace {
  /** In cells and rows from the component's own corner. */
  readonly x: number;
  readonly y: number;
}

export function useTerminalCursor(place: CursorPlace | undefined): RefObject<DOMElement | null> {
  const ref = useRef<DOMElement | null>(null);
  const [corner, setCorner] = useState<CursorPlace | undefined>(undefined);
  const { setCursorPosition } = useCursor();
  // Before the first layout there is no corner, and no cursor in that frame.
  setCursorPosition(place && corner ? { x: corner.x + place.x, y: corner.y + place.y } : undefined);
  useLayoutEffect(() => {
    const found = cornerOf(ref.current);
    if (found?.x !== corner?.x || found?.y !== corner?.y) setCorner(found);
  });
  return ref;
}

function cornerOf(element: DOMElement | null): CursorPlace | undefined {
  if (element?.yogaNode === undefined) return undefined;
  let x = 0;
  let y = 0;
  for (let each: DOMElement | undefined = element; each?.yogaNode !== undefined; each = each.parentNode) {
    x += each.yogaNode.getComputedLeft();
    y += each.yogaNode.getComputedTop();
  }
  return { x, y };
}
