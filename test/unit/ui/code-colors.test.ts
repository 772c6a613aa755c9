import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CodeState, colorLine, openCode } from "../../../src/ui/code-colors.ts";
import { type Line, lineText } from "../../../src/ui/styled-line.ts";
import { cpuTime } from "../../helpers/cpu-time.ts";
import { fullNumber } from "../../helpers/full-numbers.ts";
import { roles } from "./markdown-samples.ts";

function colored(language: string, source: string): readonly Line[] {
  let state = openCode(language);
  return source.split("\n").map((line) => {
    if (!state) return [];
    const step = colorLine(state, line);
    state = step.state;
    return step.spans;
  });
}

/** Without the prefix that all roles share. */
function shown(language: string, source: string): readonly string[] {
  return colored(language, source).map((line) => roles(line).join(" ").replaceAll("code-", ""));
}

describe("colours of code", () => {
  it.each<[string, string, readonly string[]]>([
    ["ts", 'const a = f("b\\"c", 12n); // d "e"', ['keyword:const string:"b\\"c" number:12n comment:// d "e"']],
    ["js", "a = /[/\"]'/g; b = c / 2 / d;", ["string:/[/\"]'/g number:2"]],
    ["tsx", "@memo class A {}", ["name:@memo keyword:class"]],
    [
      "python",
      '@a.b\ndef f(x): # "y"\n  return None',
      ["name:@a.b", 'keyword:def comment:# "y"', "keyword:return number:None"],
    ],
    ["go", "x := 'a'\nfunc", ["string:'a'", "keyword:func"]],
    [
      "rust",
      "fn f<'a>(c: &'a str) { '\"'; r#\"a\"b\"#; x!() }",
      ["keyword:fn name:'a name:'a keyword:str string:'\"' string:r#\"a\"b\"# name:x!"],
    ],
    ["c", '#include "a.h"\nint', ['keyword:#include string:"a.h"', "keyword:int"]],
    ["sql", "SELECT 'it''s' -- x\nfrom", ["keyword:SELECT string:'it''s' comment:-- x", "keyword:from"]],
    ["json", '{"a": "b", "c": [1, null]}', ['name:"a" string:"b" name:"c" number:1 number:null']],
    ["yaml", "a-b: 'c' # d\n- e: it's", ["name:a-b string:'c' comment:# d", "name:- e"]],
    ["html", '<a href="b">it\'s</a>', ['keyword:<a name:href string:"b" keyword:> keyword:</a>']],
    ["css", ".a { color: #fff; width: 10px }", ["name:color number:#fff name:width number:10px"]],
    ["diff", "@@ -1 +1 @@\n-a\n+b\n c", ["comment:@@ -1 +1 @@", "removed:-a", "added:+b", ""]],
    [
      "sh",
      "if [ $a ]; then echo 'b' --c # d\nfi",
      ["keyword:if name:$a keyword:then keyword:echo string:'b' name:--c comment:# d", "keyword:fi"],
    ],
  ])("%s: %s", (language, source, expected) => expect(shown(language, source)).toEqual(expected));

  it("go on over lines where the language says so", () => {
    expect(shown("ts", "a /* b\nc */ let")).toEqual(["comment:/* b", "comment:c */ keyword:let"]);
    expect(shown("rust", "/* a /* b */\nc */ let")).toEqual(["comment:/* a /* b */", "comment:c */ keyword:let"]);
    expect(shown("py", 'x = """a\n"b" if\n""" if')).toEqual(['string:"""a', 'string:"b" if', 'string:""" keyword:if']);
    expect(shown("html", "<!-- <a>\n--> <b>")).toEqual(["comment:<!-- <a>", "comment:--> keyword:<b>"]);
  });

  it("end with the line where it says so", () =>
    expect(shown("ts", "a = 'b\nlet")).toEqual(["string:'b", "keyword:let"]));

  it("know code within strings within code", () => {
    expect(shown("ts", "`a ${f({ b: `c ${1}` })\n} if` if")).toEqual([
      "string:`a  name:${ string:`c  name:${ number:1 name:} string:`",
      "name:} string: if` keyword:if",
    ]);
  });

  it("know text up to a word in shell", () => {
    expect(shown("bash", "cat <<'EOF' > x\nif \"\nEOF\nif <<< EOF\nif")).toEqual([
      "string:<<'EOF'",
      'string:if "',
      "string:EOF",
      "keyword:if",
      "keyword:if",
    ]);
  });

  it.each(["", "nothing", "constructor", "__proto__", "{}"])("there are none for %j", (info) => {
    expect(openCode(info)).toBeUndefined();
  });

  it.each(["ts", "TypeScript", "{.ts}", "ts title=a.ts", "c++", "c#"])("%s is known", (info) => {
    expect(openCode(info)).toBeDefined();
  });
});

const languages = "js java c go rust swift php python ruby sh sql json yaml toml html css lua make diff md".split(" ");
const piece = fc.constantFrom(
  ..."\" ' ` \\ / * # - < > { } $ ( ) [ ] : = ! @ . , r# ''' \"\"\" ${ <!-- --> /* */ -- [[ ]] <<EOF EOF if 12 a é 日 👩".split(
    " ",
  ),
  " ",
);

describe("any code", () => {
  it("is its own text, to the character, in every language", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...languages),
        fc.array(fc.array(piece, { maxLength: 20 }), { maxLength: 5 }),
        (language, lines) => {
          const texts = lines.map((line) => line.join(""));
          expect(colored(language, texts.join("\n")).map(lineText)).toEqual(texts.length === 0 ? [""] : texts);
        },
      ),
      { numRuns: fullNumber(3_000, 750) },
    );
  });

  it.each(languages)("is coloured in bounded time and depth: %s", (language) => {
    const state = openCode(language) as CodeState;
    for (const sign of ["-", "`${", "'", '"', "/", "a ", "${", " ", "=", "<a ", "a:", "\\", "[", '"a'] as const) {
      const text = sign.repeat(4_000).slice(0, 4_000);
      const time = cpuTime(() => expect(colorLine(state, text).state.open.length).toBeLessThanOrEqual(8));
      // A few ms each.
      expect(time, sign).toBeLessThan(1_000);
    }
  });
});
