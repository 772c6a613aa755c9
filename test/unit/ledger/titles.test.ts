// What a title keeps of the text it is made of, given by a person or derived from a prompt; and that what is stored is
// what a screen shows.
import { describe, expect, it } from "vitest";
import { titleOf } from "../../../src/agent/title-request.ts";
import { imageName } from "../../../src/ledger/image-token.ts";
import { sanitize } from "../../../src/ui/sanitize.ts";
import { hostileTexts } from "../../helpers/hostile-text.ts";
import { MEMORY, newSession, openLedger, runTurn, temporaryFolder } from "../../helpers/ledger.ts";

/** Joined, with a colour or a sex, with the sign for an emoji, of a keycap, of tags, of letters. */
const emoji = ["👨‍👩‍👧", "🧑🏽‍💻", "🏳️‍🌈", "❤️", "❤️‍🔥", "1️⃣", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "🇩🇪", "👍🏿"];

function openInMemory() {
  return openLedger({ path: `${temporaryFolder(MEMORY)}/state.db` });
}

describe("a title", () => {
  it.each(emoji)("keeps %s whole, set or derived, and in the name of a branch", (sign) => {
    const db = openInMemory();
    const session = newSession(db);
    runTurn(db, session, `${sign} the ${sign}${sign} family`);
    expect(db.session(session.id).title).toBe(`${sign} the ${sign}${sign} family`);
    db.setTitle(session.id, `x${sign}`, "person");
    expect(db.session(session.id).title).toBe(`x${sign}`);
    expect(imageName(`/tmp/${sign}.png`)).toBe(`${sign}.png`);
  });

  it("loses what nobody sees anywhere else: joiners, direction controls, fillers, variation signs", () => {
    const db = openInMemory();
    const session = newSession(db);
    const hidden = ["\u200d", "\u200b", "\u200c", "\u2066", "\u202e", "\u061c", "\ufeff", "\u00ad", "\u3164", "\ufe0f"];
    for (const each of hidden) {
      db.setTitle(session.id, `a${each}b${each} 👨${each === "\ufe0f" ? "" : each}`, "person");
      expect(db.session(session.id).title).toBe("ab 👨");
      expect(() => db.setTitle(session.id, each, "person")).toThrow("at least one visible character");
    }
  });

  it.each([
    ["Evil \x1b[31mtitle\x1b[0m", "Evil title"],
    ["Evil \x9b1;31mtitle", "Evil title"],
    ["a\x1b]0;owned\x07 title", "a title"],
    ["a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ title", "alink title"],
    ["a\x1bP1$r\x1b\\ title", "a title"],
    ["a\x90q\x9c title", "a title"],
    ["a\x1b(B title\x1bc", "a title"],
    ["a title \x1b]52;c;no end", "a title"],
    ["a title \x1b[", "a title"],
    ["a [31m title", "a [31m title"],
  ])("of %j is %j, given and derived", (text, title) => {
    const db = openInMemory();
    const session = newSession(db);
    runTurn(db, session, text);
    expect(db.session(session.id).title).toBe(title);
    db.setTitle(session.id, text, "person");
    expect(db.session(session.id).title).toBe(title);
    expect(titleOf(text)).toBe(title);
  });

  it("is never cut inside of a character", () => {
    const db = openInMemory();
    for (let before = 50; before < 62; before += 1) {
      const session = newSession(db);
      runTurn(db, session, `${"x".repeat(before)}👨‍👩‍👧 and more`);
      const title = db.session(session.id).title ?? "";
      const kept = before <= 55 ? `👨‍👩‍👧${" and more".slice(0, 55 - before)}`.trimEnd() : "";
      expect(title).toBe("x".repeat(Math.min(60, before)) + kept);
    }
  });

  it.each([
    { taken: ["fix"], next: "fix #2" },
    { taken: ["fix", "fix #7", "fix #x", "fixed", "fix #12 b"], next: "fix #8" },
    { taken: ["fix #3"], next: "fix #4" },
    { taken: ["fix", `fix #${"9".repeat(30)}`], next: "fix #2" },
  ])("of a branch beside $taken is $next", ({ taken, next }) => {
    const db = openInMemory();
    const [first] = taken.map((title) => newSession(db, { title }));
    expect(first && db.branch(first.id)).toMatchObject({ session: { title: next, titleSource: "derived" } });
  });

  it("that a person gave belongs to one conversation; the refusal says to which, where, and how to free it", () => {
    const db = openInMemory();
    const [holder, other] = [newSession(db, { title: "mine", cwd: "/far" }), newSession(db)];
    db.setFlags(holder.id, { hidden: true });
    expect(() => db.setTitle(other.id, "mine", "person")).toThrow(
      expect.objectContaining({
        message: `The title “mine” belongs to session ${holder.id}, which is hidden, in /far.`,
        hint: expect.stringContaining(`stele title NEW -r ${holder.id}`),
      }),
    );
    expect(() => db.setTitle(other.id, "x".repeat(101), "person")).toThrow("at most 100 characters, this one 101");
    expect(db.setTitle(other.id, "mine", "model")).toBe(true);
  });

  it("reads on the screen as it is stored, whatever it was made of", () => {
    const db = openInMemory();
    const session = newSession(db);
    for (const text of hostileTexts(300)) {
      try {
        db.setTitle(session.id, [...text].slice(0, 90).join(""), "model");
      } catch {
        continue; // nothing visible in it
      }
      const { title = "" } = db.session(session.id);
      expect(sanitize(title).replace(/\s+/g, " ").trim()).toBe(title.replace(/\s+/g, " ").trim());
    }
  });
});
