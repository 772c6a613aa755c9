// What the project says to the model, as a person hears of it: named at the start, and again when it changed.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { everything, openStele, ready, type } from "../helpers/screen-program.ts";
import { workplace } from "../helpers/stele.ts";

describe("an AGENTS.md", () => {
  it("is named at the start, and before the turn that is told it anew", async () => {
    const place = workplace();
    const file = path.join(place.folder, "AGENTS.md");
    writeFileSync(file, "one");
    const stele = openStele(place);
    await stele.waitFor(/The model is told AGENTS\.md\./);
    await type(stele, "say first");
    await stele.waitFor(/● first/);
    writeFileSync(file, "another");
    await type(stele, "say second");
    await stele.waitFor(/AGENTS\.md changed: the model is told anew\.\n+› say second/);
    await ready(stele);
    await type(stele, "say third");
    await stele.waitFor(/● third/);
    expect(everything(stele).match(/told anew/g)).toHaveLength(1);
  });

  it("brings nothing of its name to the terminal but text", async () => {
    const place = workplace();
    const name = "a\x1b]0;owned\x07b";
    mkdirSync(path.join(place.folder, ".git"));
    mkdirSync(path.join(place.folder, name));
    writeFileSync(path.join(place.folder, name, "AGENTS.md"), "x");
    writeFileSync(path.join(place.folder, ".git", "HEAD"), "ref: refs/heads/main\n");
    for (const each of ["objects", "refs"]) mkdirSync(path.join(place.folder, ".git", each));
    const stele = openStele(place, ["--cwd", name]);
    await stele.waitFor(/The model is told .*AGENTS\.md\./);
    expect(stele.raw()).not.toContain("owned\x07");
  });
});
