import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type KeyEvent, key } from "../../../src/ui/key-event.ts";
import { createKeyDecoder } from "../../../src/ui/keys.ts";
import { fullNumber } from "../../helpers/full-numbers.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (value: string): KeyEvent => ({ kind: "text", text: value });
const paste = (value: string): KeyEvent => ({ kind: "paste", text: value });

function decode(...reads: readonly (string | Uint8Array)[]): readonly KeyEvent[] {
  const decoder = createKeyDecoder();
  const events = reads.flatMap((read) => decoder.push(typeof read === "string" ? bytes(read) : read));
  return joinTexts([...events, ...decoder.flush()]);
}

function joinTexts(events: readonly KeyEvent[]): readonly KeyEvent[] {
  const joined: KeyEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (event.kind === "text" && last?.kind === "text") joined[joined.length - 1] = text(last.text + event.text);
    else joined.push(event);
  }
  return joined;
}

describe("one read", () => {
  const rows: readonly (readonly [string, string, readonly KeyEvent[]])[] = [
    ["text and the key behind it are two events", "abc\r", [text("abc"), key("enter")]],
    ["line feed is ctrl+j", "\n", [key("j", { ctrl: true })]],
    ["control letters", "\x01\x03\x1a", [key("a", { ctrl: true }), key("c", { ctrl: true }), key("z", { ctrl: true })]],
    ["ctrl+_ and ctrl+space", "\x1f\0", [key("_", { ctrl: true }), key("space", { ctrl: true })]],
    ["tab, backspace, ctrl+h", "\t\x7f\x08", [key("tab"), key("backspace"), key("h", { ctrl: true })]],
    ["arrows", "\x1b[A\x1b[B\x1bOC\x1bOD", [key("up"), key("down"), key("right"), key("left")]],
    [
      "arrows with modifiers",
      "\x1b[1;5C\x1b[1;2A\x1b[1;3D",
      [key("right", { ctrl: true }), key("up", { shift: true }), key("left", { alt: true })],
    ],
    [
      "home and end in all their forms",
      "\x1b[H\x1bOF\x1b[1~\x1b[4~\x1b[7~\x1b[8~",
      ["home", "end", "home", "end", "home", "end"].map((name) => key(name)),
    ],
    [
      "delete, insert and page keys",
      "\x1b[3~\x1b[2~\x1b[5~\x1b[6;5~",
      [key("delete"), key("insert"), key("pageup"), key("pagedown", { ctrl: true })],
    ],
    ["function keys", "\x1bOP\x1b[15~\x1b[24~\x1b[[A", [key("f1"), key("f5"), key("f12")]],
    ["shift+tab", "\x1b[Z", [key("tab", { shift: true })]],
    [
      "alt with letters",
      "\x1bb\x1bF\x1b1",
      [key("b", { alt: true }), key("f", { alt: true, shift: true }), key("1", { alt: true })],
    ],
    ["alt with a letter beyond ASCII", "\x1bé", [key("é", { alt: true })]],
    ["alt+enter and alt+backspace", "\x1b\r\x1b\x7f", [key("enter", { alt: true }), key("backspace", { alt: true })]],
    ["alt+arrow sent as two escapes", "\x1b\x1b[A", [key("up", { alt: true })]],
    ["escape twice", "\x1b\x1b", [key("escape"), key("escape")]],
    [
      "escape before text is alt, escape three times is three",
      "\x1b\x1b\x1b",
      [key("escape"), key("escape"), key("escape")],
    ],
    ["alt+[ and alt+O alone", "\x1b[", [key("[", { alt: true })]],
    ["rxvt's shifted delete leaves the next key alone", "\x1b[3$x", [key("delete", { shift: true }), text("x")]],
    ["emoji and CJK are text", "日本👩‍👩‍👧e\u0301", [text("日本👩‍👩‍👧e\u0301")]],
  ];
  it.each(rows)("%s", (_title, input, expected) => expect(decode(input)).toEqual(expected));
});

describe("kitty and modifyOtherKeys", () => {
  const rows: readonly (readonly [string, string, readonly KeyEvent[]])[] = [
    ["ctrl+c", "\x1b[99;5u\x1b[27;5;99~", [key("c", { ctrl: true }), key("c", { ctrl: true })]],
    [
      "escape, enter, tab and backspace",
      "\x1b[27u\x1b[13;2u\x1b[9;2u\x1b[127;5u",
      [key("escape"), key("enter", { shift: true }), key("tab", { shift: true }), key("backspace", { ctrl: true })],
    ],
    ["a plain letter and a shifted one are text", "\x1b[97u\x1b[97:65;2u\x1b[228;2u", [text("aAÄ")]],
    ["the text of a key wins over its code", "\x1b[97;;228u", [text("ä")]],
    ["a released key says nothing", "\x1b[97;5:3u\x1b[1;1:3A", []],
    ["caps lock and num lock do not change a key", "\x1b[99;69u\x1b[1;129A", [key("c", { ctrl: true }), key("up")]],
    ["super is not for us", "\x1b[99;9u", []],
    ["ctrl on another layout is the US key", "\x1b[1089::99;5u", [key("c", { ctrl: true })]],
    ["keypad digits are text, keypad enter is enter", "\x1b[57400u\x1b[57414u", [text("1"), key("enter")]],
    ["modifier keys alone say nothing", "\x1b[57441;2u", []],
    ["codes that are no characters say nothing", "\x1b[55296u\x1b[9999999u\x1b[7;5u", []],
  ];
  it.each(rows)("%s", (_title, input, expected) => expect(decode(input)).toEqual(expected));
});

describe("what is not understood", () => {
  it.each([
    ["mouse reports", "\x1b[<0;10;10M\x1b[M !!"],
    ["focus reports", "\x1b[I\x1b[O"],
    ["answers about modes, cursor and keyboard", "\x1b[?2026;2$y\x1b[12;40R\x1b[?1u\x1b[?62;4c"],
    ["colour answers", "\x1b]11;rgb:ffff/ffff/ffff\x07\x1b]11;rgb:ff/ff/ff\x1b\\"],
    ["version answers", "\x1bP>|term 1.0\x1b\\"],
    ["unknown finals and intermediates", "\x1b[5!p\x1b[999~\x1b[1;2;3z"],
    ["a stray end of paste", "\x1b[201~"],
  ])("%s vanish whole", (_title, input) => expect(decode(`${input}x`)).toEqual([text("x")]));

  it("a sequence broken by another key is dropped and the key survives", () => {
    expect(decode("\x1b[1;\r")).toEqual([key("enter")]);
    expect(decode("\x1b]11;rgb\x03")).toEqual([key("c", { ctrl: true })]);
  });
});

describe("read boundaries", () => {
  it("a character cut in two reads is one character", () => {
    const [first, second, third] = bytes("あ");
    expect(decode(Uint8Array.of(first ?? 0), Uint8Array.of(second ?? 0, third ?? 0))).toEqual([text("あ")]);
  });

  it("a lone escape waits for flush, a completed sequence does not", () => {
    const decoder = createKeyDecoder();
    expect(decoder.push(bytes("\x1b"))).toEqual([]);
    expect(decoder.pendingEscape).toBe(true);
    expect(decoder.flush()).toEqual([key("escape")]);
    expect(decoder.pendingEscape).toBe(false);
    expect(decoder.push(bytes("[A"))).toEqual([text("[A")]);
  });

  it("flush leaves a sequence that no one types, so that late bytes still complete it", () => {
    const decoder = createKeyDecoder();
    decoder.push(bytes("\x1b[1;5"));
    expect(decoder.flush()).toEqual([]);
    expect(decoder.push(bytes("C"))).toEqual([key("right", { ctrl: true })]);
  });

  it("a console's function key cut behind its second bracket is still one key", () => {
    expect(decode("\x1b[[", "Ax")).toEqual([text("x")]);
  });

  it("any cut of any bytes gives the same events, and nothing throws", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "\x1b",
        "[",
        "\x1b[",
        "200~",
        "\x1b[200~",
        "\x1b[201~",
        "O",
        "]",
        "\\",
        ";",
        "5",
        "u",
        "~",
        "M",
        "$",
      ),
      fc.constantFrom("\r", "\n", "\x03", "a", "é", "👩‍👩‍👧", "\x1b[99;5u", "\x1b]0;x\x07", "\x1bOA", "\x9c", "\x9b"),
    );
    const input = fc.oneof(
      fc.array(piece, { maxLength: 14 }).map((pieces) => bytes(pieces.join(""))),
      fc.uint8Array({ maxLength: 30 }),
      fc.array(fc.oneof(piece.map(bytes), fc.uint8Array({ maxLength: 3 })), { maxLength: 10 }).map(concat),
    );
    fc.assert(
      fc.property(input, fc.array(fc.nat(40), { maxLength: 12 }), (all, cuts) => {
        const bounds = [0, ...cuts.map((cut) => Math.min(cut, all.length)).sort((a, b) => a - b), all.length];
        const reads = bounds.slice(1).map((end, index) => all.subarray(bounds[index], end));
        expect(decode(...reads)).toEqual(decode(all));
      }),
      { numRuns: fullNumber(3_000, 750) },
    );
  });
});

describe("pastes", () => {
  it("one paste over many reads is one event with its keys as text", () => {
    expect(decode("\x1b[20", "0~a\r", "\nb\rc\t\x03\x1b[A", "\x1b[2", "01~d")).toEqual([
      paste("a\r\nb\rc\t\x03\x1b[A"),
      text("d"),
    ]);
  });

  it.each([
    ["with LF alone, as it came", "a\nb\n", "a\nb\n"],
    ["with CR LF, as it came", "a\r\nb\r\n", "a\r\nb\r\n"],
    ["with both, as it came", "10%\r20%\rdone\n", "10%\r20%\rdone\n"],
    ["with CR alone, which the terminal has made of LF, with LF", "a\rb\r\rc", "a\nb\n\nc"],
  ])("a paste %s", (_title, pasted, expected) => {
    expect(decode(`\x1b[200~${pasted}\x1b[201~`)).toEqual([paste(expected)]);
  });

  it("bytes that are no UTF-8 are a replacement character each, wherever the reads are cut", () => {
    const start = bytes("\x1b[200~a");
    const end = bytes("b\x1b[201~");
    const broken = Uint8Array.of(0xff, 0xc3, 0xe2, 0x82);
    expect(decode(start, broken, end)).toEqual([paste("a\ufffd\ufffd\ufffdb")]);
    expect(decode(start, ...Array.from(broken, (byte) => Uint8Array.of(byte)), end)).toEqual([
      paste("a\ufffd\ufffd\ufffdb"),
    ]);
  });

  it("a paste without an end is pending until flush closes it, and its late end marker is swallowed", () => {
    const decoder = createKeyDecoder();
    expect(decoder.push(bytes("\x1b[200~abc\x1b[20"))).toEqual([]);
    expect(decoder.pendingPaste).toBe(true);
    expect(decoder.pendingEscape).toBe(false);
    expect(decoder.flush()).toEqual([paste("abc")]);
    expect(decoder.pendingPaste).toBe(false);
    expect(decoder.pendingEnd).toBe(true);
    expect(decoder.push(bytes("1~x"))).toEqual([text("x")]);
    expect(decoder.pendingEnd).toBe(false);
  });

  it("what comes with a late end marker is paste too, and never keys", () => {
    const decoder = createKeyDecoder();
    decoder.push(bytes("\x1b[200~one"));
    expect(decoder.flush()).toEqual([paste("one")]);
    expect(decoder.push(bytes("two\rthree\x03\x1b[201~x\r"))).toEqual([
      paste("two\nthree\x03"),
      text("x"),
      key("enter"),
    ]);
  });

  it("after a paste without an end keys are keys, and half a marker was text", () => {
    const decoder = createKeyDecoder();
    decoder.push(bytes("\x1b[200~one\x1b[20"));
    expect(decoder.flush()).toEqual([paste("one")]);
    expect(decoder.push(bytes("x\r"))).toEqual([paste("\x1b[20"), text("x"), key("enter")]);
    expect(decoder.push(bytes("\x1b[A"))).toEqual([key("up")]);
    expect(decoder.push(bytes("\x1b[200~two\x1b[201~y"))).toEqual([paste("two"), text("y")]);
  });

  it("a megabyte in small reads costs time in proportion", () => {
    const decoder = createKeyDecoder();
    decoder.push(bytes("\x1b[200~"));
    const chunk = bytes("x".repeat(4_095));
    for (let index = 0; index < 256; index++) decoder.push(chunk);
    expect(decoder.push(bytes("\x1b[201~"))).toEqual([paste("x".repeat(4_095 * 256))]);
  });
});

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
