// Searching as a person does: what each flag finds, what is refused and how, and where a hit leads.
import { describe, expect, it } from "vitest";
import type { CommandResult, PickItem } from "../../../src/commands/command.ts";
import { type Desk, openDesk, words } from "./command-harness.ts";

type Pick = Extract<CommandResult, { kind: "pick" }>;

async function pick(desk: Desk, command: string): Promise<Pick> {
  const result = await desk.type(command);
  if (result.kind !== "pick") throw new Error(`${command} answers ${result.kind}`);
  return result;
}

/** Two conversations about herons; the first one is open. */
async function herons(surface: "screen" | "argv" = "argv"): Promise<Desk> {
  const desk = await openDesk({ surface });
  await desk.say("say a grey heron");
  const own = desk.runner.session;
  await desk.runner.open(await desk.newSession({ title: "ponds", cwd: "/ponds" }), false);
  await desk.say("say the pond of a heron");
  await desk.runner.open(own, true);
  return desk;
}

function snippets(result: CommandResult): readonly string[] {
  if (result.kind !== "rows") throw new Error(`answers ${result.kind}: ${words(result)}`);
  return (result.json as readonly { snippet: string }[]).map(({ snippet }) => snippet).sort();
}

describe("/search without a screen", () => {
  it("prints each hit with where it is, and as JSON with marks around what was found", async () => {
    const desk = await herons();
    const result = await desk.type("/search grey");
    expect(result).toMatchObject({ kind: "rows", columns: ["id", "message", "role", "said", "title", "text"] });
    const { id } = desk.runner.session;
    if (result.kind !== "rows") return;
    expect(result.rows).toContainEqual([id, "2", "assistant", "just now", "say a grey heron", "a >>>grey<<< heron"]);
    expect(result.json).toContainEqual({
      ...{ session: id, message: 2, role: "assistant", snippet: "a >>>grey<<< heron" },
      at: expect.any(Number),
    });
  });

  it.each([
    ["/search heron --role assistant", ["a grey >>>heron<<<", "the pond of a >>>heron<<<"]],
    ["/sessions search heron --role user --folder /ponds", ["say the pond of a >>>heron<<<"]],
    ["/search heron --session ponds --role user", ["say the pond of a >>>heron<<<"]],
    ['/search "pond of" --role user', ["say the >>>pond of<<< a heron"]],
    ['/search "her* NOT pond" --role user', ["say a grey >>>heron<<<"]],
    ["/search pond heron --role user", ["say the >>>pond<<< of a >>>heron<<<"]],
    ["/search heron --since 1d --sort newest --limit 1", ["the pond of a >>>heron<<<"]],
    ["/search heron --since 2020-01-01 --sort oldest --limit 1", ["say a grey >>>heron<<<"]],
    ["/search heron --since 2999-01-01", []],
  ])("%s", async (command, found) => {
    expect(snippets(await (await herons()).type(command))).toEqual(found);
  });

  it.each([
    ["/search", "<words> is missing"],
    ["/search NOT heron", "NOT needs a word before it"],
    ["/search 'grey AND NOT heron'", "NOT needs a word before it"],
    ["/search heron --role bird", "--role takes one of user, assistant, tool, summary, note"],
    ["/search heron --sort best", "--sort takes one of relevance, newest, oldest"],
    ["/search heron --since once", "--since takes a time such as 7d or 12h"],
    ["/search heron --limit 0", "--limit takes a whole number above 0"],
    ["/search heron --session nobody", "There is no session “nobody”"],
  ])("%s is refused: %s", async (command, why) => {
    const result = await (await herons()).type(command);
    expect(result.kind).toBe("usage");
    expect(words(result)).toContain(why);
  });

  it.each([
    ["/search purgeme", "purgeme* finds what begins so"],
    ["/search purgeme*", "A shorter beginning finds more"],
    ["/search 'grey purgeme*'", "Fewer words find more"],
    ["/search !!!", "There is no word in “!!!”."],
    ["/search '*'", "There is no word in “*”."],
  ])("%s finds nothing and says: %s", async (command, why) => {
    const result = await (await herons()).type(command);
    expect(result).toMatchObject({ kind: "rows", rows: [], json: [], empty: expect.stringContaining(why) });
    expect(JSON.stringify(result)).not.toContain("**");
  });

  it("says what would find more where nothing is found, and finds it there", async () => {
    const desk = await herons();
    await desk.type("/undo");
    const none = await desk.type("/search grey heron");
    expect(none).toMatchObject({ kind: "rows", rows: [], empty: expect.stringContaining("grey heron --all") });
    expect(snippets(await desk.type("/search grey heron --all --role user"))).toHaveLength(1);
  });
});

describe("/search on the screen", () => {
  const byText = ({ items }: Pick, text: string): PickItem => {
    const found = items.find(({ label }) => label.includes(text));
    if (!found) throw new Error(`${text} is not in ${items.map(({ label }) => label).join(" | ")}`);
    return found;
  };

  it("without words has an empty list, and finds what is typed into its filter", async () => {
    const desk = await herons("screen");
    const list = await pick(desk, "/search --role user");
    expect(list).toMatchObject({ items: [], isBlank: true, empty: expect.stringContaining("Type words") });
    expect((await list.find?.("grey her"))?.map(({ label }) => label)).toEqual(["say a “grey” “heron”"]);
  });

  it("lists hits, looks at one, searches on as one types, and opens the conversation at it", async () => {
    const desk = await herons("screen");
    const list = await pick(desk, "/search heron");
    const hit = byText(list, "the pond of a “heron”");
    expect(hit.facts).toEqual(["ponds", "just now", expect.stringMatching(/user|assistant/)]);
    expect((await list.preview?.(byText(list, "say the pond"))) ?? []).toContain("› say the pond of a heron");
    expect(((await list.find?.("pon")) ?? []).map(({ label }) => label)).toContain("say the “pond” of a “heron”");
    const opened = await desk.type(hit.command);
    expect(opened).toMatchObject({ kind: "open-session", session: { title: "ponds" } });
    expect(opened).toMatchObject({ at: { lines: expect.arrayContaining([expect.stringContaining("of a heron")]) } });
  });

  it("leads to a message of the conversation that is open also while its turn runs, and to no other one then", async () => {
    const desk = await herons("screen");
    const list = await pick(desk, "/search heron");
    const { session } = desk.runner;
    const started = new Promise<void>((resolve) => {
      desk.runner.listen((event) => event.type === "call-changed" && event.call.state === "running" && resolve());
    });
    await desk.runner.submit([{ kind: "text", text: "run sleep 30" }]);
    await started;
    expect(await desk.type(byText(list, "grey").command)).toMatchObject({ session: { id: session.id } });
    expect(await desk.type(byText(list, "pond").command)).toMatchObject({ kind: "refused", code: "busy" });
    expect(await desk.type("/resume")).toMatchObject({ kind: "refused", code: "busy" });
    desk.runner.stop();
    await desk.runner.idle();
  });

  it("refuses a place that is none", async () => {
    const desk = await herons("screen");
    expect(words(await desk.type("/resume ponds --at 999"))).toContain("There is no message 999");
    expect(words(await desk.type("/resume ponds --at 0"))).toContain("above 0");
  });
});

describe("the list of conversations", () => {
  it("has those in which it was said behind those that are called so", async () => {
    const desk = await herons("screen");
    await desk.say("say a blue kingfisher");
    await desk.type("/title nothing of the kind");
    const list = await pick(desk, "/sessions");
    const found = (await list.find?.("kingf")) ?? [];
    expect(found.map(({ label, detail }) => [label.trim(), detail])).toEqual([
      ["nothing of the kind", expect.stringContaining("a blue “kingfisher”")],
    ]);
    expect(found[0]?.search).toContain("kingf");
    expect(found[0] && (await list.preview?.(found[0]))).toContain("› say a blue kingfisher");
    expect(((await list.find?.("ponds")) ?? []).map(({ command }) => command)).toEqual([
      expect.not.stringContaining("--at"),
    ]);
  });
});
