import { describe, expect, it } from "vitest";
import { dispatch } from "../../../src/commands/dispatch.ts";

describe("one word", () => {
  it.each([
    ["sesions", "sessions"],
    ["docter", "doctor"],
    ["Recover", "recover"],
    ["serch", "search"],
    ["udno", "undo"],
    ["modle", "model"],
    ["hepl", "help"],
    ["/help", "help"],
    ["rum", "run"],
  ])("%s, which nearly is a command, is asked about and not sent", async (word, meant) => {
    expect(await dispatch([word])).toMatchObject({
      kind: "usage",
      message: `There is no command ${word}.`,
      hint: `Nearest: stele ${meant}. As a prompt: stele run ${word}`,
    });
  });

  it.each([
    "hello",
    "fix",
    "test",
    "tests",
    "explain",
    "commit",
    "review",
    "build",
    "lint",
    "hi",
    "why?",
    "plan",
    "Hilfe",
    "/tmp",
    "-",
  ])("%s is a prompt", async (word) => expect(await dispatch([word])).toMatchObject({ kind: "screen", prompt: word }));

  it("that is run waits for its prompt on stdin", async () => {
    expect(await dispatch(["run"])).toMatchObject({ kind: "run", prompt: "" });
  });

  it("is a prompt behind run and behind --, and more words are one whatever they are", async () => {
    expect(await dispatch(["run", "sesions"])).toMatchObject({ kind: "run", prompt: "sesions" });
    expect(await dispatch(["--", "sesions"])).toMatchObject({ kind: "screen", prompt: "sesions" });
    expect(await dispatch(["sesions", "please"])).toMatchObject({ kind: "screen", prompt: "sesions please" });
  });
});
