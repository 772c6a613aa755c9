// /loop as it is typed: what starts, what is refused, and what is said of it.
import { describe, expect, it, test } from "vitest";
import { openDesk, words } from "./command-harness.ts";

describe("/loop", () => {
  it("starts at once, says its terms, and lists its ticks with what was new", async () => {
    const { type, context, db } = await openDesk();
    expect(words(await type("/loop status"))).toBe("There is no loop here. /loop help says how to start one.");
    const started = await type("/loop every 5m say all quiet --times 2 --budget 1 --until it rains");
    expect(words(started)).toContain("Loop: every 5m, 2 times, until: it rains, for at most $1.");
    const id = context.loop?.loop?.id;
    if (!id) throw new Error("no loop was started");
    await expect.poll(async () => (await db.loopTicks(id, 1))[0]?.outcome).toBe("completed");
    const said = words(await type("/loop"));
    expect(said).toMatch(/^“say all quiet”\n {2}every 5m, 2 times, .* · active, next in (5m|4m\d+s) · 1 tick\n/);
    expect(said).toMatch(/\n {4}1 {2}just now +completed in 1s, something new$/);
    expect(words(await type("/loop pause"))).toContain("paused: you paused it");
    expect(words(await type("/loop resume"))).toContain("active, next in 5s");
    expect(words(await type("/loop stop"))).toContain("stopped: by you");
    expect(words(await type("/loop resume"))).toBe("There is no loop in this conversation.");
  });

  it("says that a tick runs instead of when the next one is due", async () => {
    const { type } = await openDesk();
    await type("/loop every 5m run exec sleep 60");
    await expect.poll(async () => words(await type("/loop"))).toMatch(/runs$/);
    expect(words(await type("/loop"))).toMatch(/ · active, a tick runs · 1 tick\n.* runs$/);
    await type("/stop");
  });

  it("repeats a command that may be, with what it says as the answer", async () => {
    const { type, runner, db } = await openDesk();
    await type("/loop 5m /status --times 1");
    await expect.poll(async () => (await db.loopOf(runner.session.conversation))?.state).toBe("done");
    const { messages } = await db.path(runner.session.id, { limit: 10 });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(JSON.stringify(messages[1]?.parts)).toContain("lease");
    expect(messages[1]).toMatchObject({ provider: "stele", model: "command" });
  });

  test.each([
    ["/loop 5m /delete", "/delete cannot be repeated by a loop. These can: /sessions"],
    ["/loop 5m /nonsense", "There is no command /nonsense."],
    ["/loop 1s look", "Every 1s is too often: at least 30s"],
    ["/loop 5m", "A prompt is missing"],
  ])("%s is refused: %s", async (typed, why) => {
    const { type, runner, db } = await openDesk();
    expect(words(await type(typed))).toContain(why);
    expect(await db.loopOf(runner.session.conversation)).toBeUndefined();
  });

  it("takes no budget where prices are not known", async () => {
    const { type, runner, db } = await openDesk({ route: { provider: "local", model: "a" } });
    expect(words(await type("/loop 5m look --budget 1"))).toContain("What local/a costs is not known");
    expect(await db.loopOf(runner.session.conversation)).toBeUndefined();
  });

  it("without a screen is run only by who stays for it", async () => {
    const { type } = await openDesk({ surface: "argv" });
    expect(words(await type("/loop 5m look"))).toContain("--foreground");
    expect(words(await type("/loop resume"))).toContain("Add --foreground");
    expect((await type("/loop 5m say x --foreground")).kind).toBe("loop");
    await type("/loop pause");
    expect(await type("/loop resume --foreground")).toMatchObject({ kind: "loop", loop: { state: "active" } });
  });
});
