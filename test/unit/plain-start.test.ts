import { describe, expect, it } from "vitest";
import { dispatch } from "../../src/commands/dispatch.ts";
import { plainStart } from "../../src/plain-start.ts";

describe("a start that needs no parser", () => {
  it.each([[[]], [["-c"]], [["--continue"]], [["-r"]], [["--resume"]]])(
    "asks for what the parser reads: %j",
    async (argv) => {
      expect({ kind: "screen", prompt: "", globals: plainStart(argv) }).toStrictEqual(await dispatch(argv));
    },
  );

  it.each([[["-c", "-r"]], [["-r", "title"]], [["--nonsense"]], [[""]], [["constructor"]], [["--"]], [["hello"]]])(
    "leaves to the parser whatever else there is: %j",
    (argv) => {
      expect(plainStart(argv)).toBeUndefined();
    },
  );
});
