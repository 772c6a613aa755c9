import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitCommand } from "../../../src/agent/shell-words.ts";
import { fullNumber } from "../../helpers/full-numbers.ts";

const wordsOf = (command: string) => splitCommand(command).parts.map(({ words }) => words);

describe("plain commands", () => {
  test.each([
    ["npm test", [["npm", "test"]]],
    ["a && b || c; d | e |& f & g\nh", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"], ["h"]]],
    ["a&&b", [["a"], ["b"]]],
    [`echo 'a && b' "c; d" e\\ f`, [["echo", "a && b", "c; d", "e f"]]],
    [`g"i"t 'pu'sh`, [["git", "push"]]],
    [`echo "a\\"b" '' "\\$x \\n"`, [["echo", `a"b`, "", "$x \\n"]]],
    ["npm te\\\nst", [["npm", "test"]]],
    [
      "npm test 2>&1 | tail -5 >/dev/null",
      [
        ["npm", "test"],
        ["tail", "-5"],
      ],
    ],
    ["npm test 2> /dev/null; a >&2", [["npm", "test"], ["a"]]],
    ["npm run $NAME a#b", [["npm", "run", "$NAME", "a#b"]]],
    [" ;; \n a ;", [["a"]]],
    ["", []],
  ])("%j is split without doubts", (command, words) => {
    expect(splitCommand(command).doubts).toEqual([]);
    expect(wordsOf(command)).toEqual(words);
  });

  test("a part keeps the text as it was written", () => {
    expect(splitCommand(`a 'b;c' && d  "e"`).parts.map(({ text }) => text)).toEqual(["a 'b;c'", `d  "e"`]);
  });
});

describe("what may do more than its words show", () => {
  test.each([
    ["echo $(id)", "a command substitution"],
    ['echo "$(id)"', "a command substitution"],
    ["echo `id`", "a command substitution"],
    ['echo "`id`"', "a command substitution"],
    ["echo ${x:=$(id)}", "an expansion"],
    ["echo $'a\\nb'", "an expansion"],
    ['echo $"a"', "an expansion"],
    ["echo $[1+1]", "an expansion"],
    ["echo a > file", "a redirection"],
    ["echo a >> file", "a redirection"],
    ["echo a >/dev/null2", "a redirection"],
    ["echo a >& file", "a redirection"],
    ["echo a &> file", "a redirection"],
    ["cat < file", "a redirection"],
    ["echo 12>&1", "a redirection"],
    ["echo \\2>&1", "a redirection"],
    ["echo a>/dev/null", "a redirection"],
    ["cat <<EOF\nx\nEOF", "a redirection"],
    ["cat <(id)", "a redirection"],
    ["(id)", "parentheses"],
    ["npm() { id; }; npm test", "parentheses"],
    ["{ id; }", "`{`"],
    ["PATH=. npm test", "an environment assignment"],
    ["a[0]+=1 npm test", "an environment assignment"],
    ["eval id", "`eval`"],
    ["a; if b; then c; fi", "`if`"],
    ["npm test # it's\nrm -rf x\n# '", "a comment"],
    ["echo 'a", "a quote that is not closed"],
    ['echo "a', "a quote that is not closed"],
    ["echo a\\", "a backslash at the end"],
    ["echo a\rb", "a control character"],
    ["echo 'a\0b' \x1b[0m", "a control character"],
  ])("%j has %s", (command, doubt) => {
    expect(splitCommand(command).doubts).toContain(doubt);
  });
});

describe("for any input", () => {
  const shellish = fc.string({
    unit: fc.constantFrom(
      ..."ab'\"\\ \t\n;|&<>(){}$`#=!*~0",
      "eval ",
      "$(",
      "<<",
      "2>&1",
      ">/dev/null",
      "\0",
      "é",
      "😀",
    ),
    maxLength: 40,
  });

  test("it never throws and loses no time", () => {
    fc.assert(
      fc.property(fc.oneof(shellish, fc.string({ unit: "binary" })), (command) => void splitCommand(command)),
      { numRuns: fullNumber(3_000, 750) },
    );
    splitCommand("a > ".repeat(50_000) + "'\"".repeat(50_000));
  });

  test("it never splits inside quotes", () => {
    const inner = fc.string({ unit: fc.constantFrom(..."ab ;|&\n\t<>()#=*"), maxLength: 12 });
    const word = fc
      .tuple(inner, fc.constantFrom("'", '"'))
      .map(([text, quote]) => ({ text, written: quote + text + quote }));
    fc.assert(
      fc.property(
        fc.array(fc.array(word, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(" && ", ";", "|", "\n", " & "),
        (parts, separator) => {
          const command = parts.map((words) => words.map(({ written }) => written).join(" ")).join(separator);
          expect(wordsOf(command)).toEqual(parts.map((words) => words.map(({ text }) => text)));
        },
      ),
    );
  });

  test("a command without doubts has the words that bash sees", () => {
    // Expansions of arguments are left out of the alphabet: words stand as they are written.
    const plain = fc.string({
      unit: fc.constantFrom(..."ab'\"\\ \t\n#=-1", "\\\n", ' "', "' ", " >/dev/null", "2>&1"),
      maxLength: 25,
    });
    const words = (command: string) => {
      const script = `trap 'rm -f "$log"' EXIT; log=$(mktemp); f() { printf '%s\\0' "$@" '' >> "$log"; }\n${command}\ncat "$log"`;
      return execFileSync("bash", ["-c", script], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    };
    const times = fullNumber(150, 50);
    let compared = 0;
    fc.assert(
      fc.property(plain, (tail) => {
        const command = `f x ${tail}`;
        const { parts, doubts } = splitCommand(command);
        fc.pre(doubts.length === 0 && parts.length === 1);
        compared++;
        expect(words(command)).toBe([...(parts[0]?.words.slice(1) ?? []), ""].map((word) => `${word}\0`).join(""));
      }),
      { numRuns: times },
    );
    expect(compared).toBe(times);
  });
});
