import { describe, expect, it } from "vitest";
import type { ProviderConfig } from "../../../src/agent/models/providers.ts";
import { modelRegistry } from "../../../src/agent/models/registry.ts";
import type { CommandResult } from "../../../src/commands/command.ts";
import type { AdmissionId } from "../../../src/ledger/types.ts";
import { type Desk, jsonLines, NO_SERVERS, openDesk, printed, words } from "./command-harness.ts";

const AT = "http://127.0.0.1:9/v1";
const LOCAL = { kind: "openai-compatible", baseURL: AT, models: ["a", "b"] } as const;

/** `keys` can be emptied: then their models cannot be asked. */
function registryWith(keys: Record<string, string>, more: Record<string, ProviderConfig> = {}) {
  return modelRegistry({
    env: Object.assign(keys, NO_SERVERS),
    providers: { local: LOCAL, ...more },
    aliases: { fast: "local/b", smart: "anthropic/claude-opus-5-5" },
  });
}

async function notesOf({ db, runner }: Desk): Promise<readonly string[]> {
  const { messages } = await db.path(runner.session.id, { limit: 20 });
  return messages.flatMap(({ role, parts }) =>
    role === "note" ? parts.flatMap((part) => (part.kind === "note" ? [part.text] : [])) : [],
  );
}

describe("/model", () => {
  it("offers what can be used, its own model too, and says of the rest what they lack", async () => {
    const desk = await openDesk();
    expect(await desk.type("/model")).toMatchObject({
      kind: "pick",
      items: [
        { command: "/model local/a", label: "local/a", detail: "local" },
        { command: "/model local/b" },
        { command: "/model guide/guide", detail: "current" },
        { command: "/models locked", label: "locked/…", detail: "LOCKED_KEY is not set" },
        ...["openai", "anthropic", "google", "openrouter", "ollama", "lmstudio"].map((name) => ({
          label: `${name}/…`,
        })),
      ],
    });
  });

  it("offers the effort of each model that has levels, and begins at the one that is set", async () => {
    const desk = await openDesk({ models: registryWith({ ANTHROPIC_API_KEY: "k-1" }) });
    await desk.type("/model smart --effort xhigh");
    const picked = await desk.type("/model");
    if (picked.kind !== "pick") throw new Error(picked.kind);
    const of = (label: string) => picked.items.find((item) => item.label === label);
    const labels = (label: string) =>
      of(label)
        ?.turns?.map((turn) => turn.label.split(" ")[0])
        .join(" ");
    expect(labels("anthropic/claude-opus-5-5")).toBe("default low medium high xhigh max");
    expect(of("anthropic/claude-opus-5-5")?.turns?.find(({ isSet }) => isSet)?.label).toBe("xhigh");
    expect(of("anthropic/claude-opus-5-5")?.facts).toEqual(["xhigh", "1M", "$4 / $20", "current"]);
    expect(labels("local/a")).toBe("default low medium high");
    expect(of("local/a")?.turns?.find(({ isSet }) => isSet)?.label).toBe("default");
    expect(of("guide/guide")?.turns).toBeUndefined();
    await desk.type(of("local/a")?.turns?.[3]?.command ?? "");
    expect(desk.runner.session.route.options).toMatchObject({ effort: "high" });
  });

  it("switches the session as one unit, with a note that says so and is nobody's message", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    const { id } = desk.runner.session;
    expect(words(await desk.type("/model local/a"))).toBe("model: guide/guide → local/a");
    expect(desk.runner.session.route).toEqual({ provider: "local", model: "a", options: { baseURL: AT } });
    const { messages } = await desk.db.path(id, { limit: 10 });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "note"]);
    expect(await notesOf(desk)).toEqual(["model: guide/guide → local/a"]);
    expect(words(await desk.type("/model local/a"))).toBe("The model is local/a already.");
    await desk.type("/model guide/guide");
    expect(desk.runner.session.route).toEqual({ provider: "guide", model: "guide" });
  });

  it("takes an alias of the config, and what begins like a name leads to it", async () => {
    const desk = await openDesk({ models: registryWith({}) });
    expect(words(await desk.type("/model fast"))).toBe("model: guide/guide → local/b");
    expect(words(await desk.type("/model fats"))).toContain("Nearest: fast");
  });

  it("changes nothing for a model that does not exist or cannot be used, and says what is missing", async () => {
    const desk = await openDesk();
    await desk.type("/model local/a --effort high");
    const before = desk.runner.session.route;
    expect(words(await desk.type("/model lcal/a"))).toContain("Nearest: local/a");
    expect(await desk.type("/model locked/c")).toEqual({
      kind: "refused",
      why: expect.stringMatching(/LOCKED_KEY is not set.*Nothing was changed\.$/),
      code: "failed",
    });
    expect(await desk.type("/model locked/c --once")).toMatchObject({ kind: "refused" });
    expect(desk.runner.session.route).toEqual(before);
    await desk.type("/model guide/guide");
    await desk.say("say one");
    const [admission] = await desk.db.admissionsOf(desk.runner.session.id);
    expect(admission?.payload.route).toBeUndefined();
  });

  it("keeps the options of a session when its own model is chosen again, and none of them for another", async () => {
    const options = { temperature: 0.5, effort: "low", baseURL: AT };
    const desk = await openDesk({ route: { provider: "local", model: "a", options } });
    expect(words(await desk.type("/model local/a"))).toBe("The model is local/a, low effort already.");
    expect(words(await desk.type("/model local/a --effort high"))).toContain("low effort → local/a, high effort");
    expect(desk.runner.session.route.options).toEqual({ ...options, effort: "high" });
    await desk.type("/model local/b");
    expect(desk.runner.session.route.options).toEqual({ effort: "high", baseURL: AT });
  });

  it("can be chosen for one prompt only, which stores nothing in the session", async () => {
    const desk = await openDesk();
    await desk.type("/model local/a --once");
    await desk.say("say one");
    await desk.say("say two");
    const [second, first] = [...(await desk.db.admissionsOf(desk.runner.session.id))].sort((a, b) => b.id - a.id);
    expect(first?.payload.route).toEqual({ provider: "local", model: "a", options: { baseURL: AT } });
    expect(second?.payload.route).toBeUndefined();
    expect(second?.outcome).toBe("completed");
    expect(desk.runner.session.route).toEqual({ provider: "guide", model: "guide" });
    expect((await desk.db.session(desk.runner.session.id)).route).toEqual({ provider: "guide", model: "guide" });
  });

  it("is named, and --once refused, where there is no screen", async () => {
    const desk = await openDesk({ surface: "argv" });
    expect(words(await desk.type("/model"))).toBe("guide/guide");
    expect(await desk.type("/model local/a --once")).toMatchObject({ kind: "usage" });
  });
});

describe("an effort", () => {
  it("stays with the session until it is unset", async () => {
    const desk = await openDesk({ models: registryWith({}) });
    await desk.type("/model local/a");
    expect(words(await desk.type("/model --effort high"))).toBe("model: local/a → local/a, high effort");
    await desk.type("/model local/b");
    expect(desk.runner.session.route.options).toMatchObject({ effort: "high" });
    await desk.type("/model --effort default");
    expect(desk.runner.session.route.options).toEqual({ baseURL: AT });
  });

  it("that a model does not know is refused with those that it knows, and changes nothing", async () => {
    const desk = await openDesk({ models: registryWith({ ANTHROPIC_API_KEY: "k-1" }) });
    const refused = await desk.type("/model anthropic/claude-sonnet-4-6 --effort xhigh");
    expect(refused).toMatchObject({
      kind: "usage",
      message: 'Anthropic/claude-sonnet-4-6 has no effort "xhigh".',
      hint: "Its levels: low, medium, high, max, default",
    });
    expect(await desk.type("/model --effort high")).toMatchObject({ hint: "Its effort cannot be chosen." });
    expect(desk.runner.session.route).toEqual({ provider: "guide", model: "guide" });
  });

  it("that the next model does not know ends with the switch, and the note says so", async () => {
    const desk = await openDesk({ models: registryWith({ ANTHROPIC_API_KEY: "k-1" }) });
    await desk.say("say one");
    await desk.type("/model smart --effort max");
    const switched = words(await desk.type("/model local/a"));
    expect(switched).toBe(
      'model: anthropic/claude-opus-5-5, max effort → local/a; it has no effort "max", so it has its default',
    );
    expect(await notesOf(desk)).toContain(switched);
    expect(desk.runner.session.route.options).toEqual({ baseURL: AT });
  });
});

describe("a conversation whose model cannot be asked any more", () => {
  const ROUTE = { provider: "locked", model: "c", options: { baseURL: AT } } as const;
  const locked = { locked: { ...LOCAL, apiKeyEnv: "LOCKED_KEY", models: ["c"] } } as const;
  const openLocked = () => openDesk({ models: registryWith({}, locked), route: ROUTE, isWatched: true });

  it("keeps a prompt, says what to do, and asks nobody else", async () => {
    const desk = await openLocked();
    await desk.say("say one");
    const [waiting] = await desk.db.openAdmissions(desk.runner.session.conversation);
    expect(waiting).toMatchObject({ status: "queued", held: "locked: LOCKED_KEY is not set" });
    expect(desk.events).toContainEqual({
      type: "prompts-kept",
      admissions: [waiting?.id],
      why: expect.stringMatching(/Set LOCKED_KEY.*\/queue run/),
    });
    expect(desk.runner.session.messages).toBe(0);
    expect(words(await printed(await desk.type("/queue")))).toContain("say one");
  });

  it("can be read, branched and given another model, which what waits goes to when a person says so", async () => {
    const desk = await openLocked();
    await desk.say("say one");
    expect(await desk.type("/branch aside")).toMatchObject({ kind: "open-session" });
    expect(desk.runner.session.route).toEqual(ROUTE);
    await desk.say("say two");
    expect(words(await desk.type("/model guide/guide"))).toBe(
      "model: locked/c → guide/guide\n1 prompt waits: /queue run sends what waits.",
    );
    expect(desk.runner.session.messages).toBe(0);
    await desk.type("/queue run");
    const { messages } = await desk.db.path(desk.runner.session.id, { limit: 5 });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  it("runs a command of the person, which no model is asked for", async () => {
    const desk = await openLocked();
    const typed = { kind: "shell", command: "echo done", timeout: 5_000, told: false } as const;
    await desk.runner.submit([{ kind: "text", text: "!!echo done" }, typed], { kind: "shell" });
    await desk.runner.idle();
    expect(desk.events.some((event) => event.type === "turn-settled" && event.outcome === "completed")).toBe(true);
  });

  it("says so when it is opened, and where its provider was when that is gone from the config", async () => {
    const desk = await openDesk({ models: registryWith({}, locked) });
    const session = await desk.db.createSession({ cwd: desk.folder, route: ROUTE, source: "test" });
    const opened = await desk.type(`/resume ${session.id}`);
    expect(words(opened)).toMatch(/cannot be asked: locked: LOCKED_KEY is not set\..*Set LOCKED_KEY/);
    expect(words(opened)).toContain("/model");
    const gone = { ...ROUTE, provider: "gone" };
    const other = await desk.db.createSession({ cwd: desk.folder, route: gone, source: "test" });
    expect(words(await desk.type(`/resume ${other.id}`))).toContain(`it was at ${AT}`);
  });

  it("does not spend an interrupted turn on the missing key", async () => {
    const desk = await openLocked();
    expect(await desk.runner.resume(await interrupted(desk))).toMatchObject({
      kind: "conflict",
      why: expect.stringContaining("LOCKED_KEY is not set"),
    });
    const [open] = await desk.db.openAdmissions(desk.runner.session.conversation);
    expect(open?.status).toBe("unknown");
  });
});

describe("the runner's own lease", () => {
  it("while a turn of this window runs names this window and what to do, not a stranger", async () => {
    const desk = await openDesk();
    await desk.runner.submit([{ kind: "text", text: "say 300 lines" }]);
    expect(words(await desk.type("/model local/b"))).toBe(
      `A turn is running here, in stele, pid ${process.pid}. Stop it first: esc, or /stop.`,
    );
    desk.runner.stop();
  });

  it.each(["/model local/b", "/undo --chat"])("between turns is in the way of no %s", async (command) => {
    const desk = await openDesk();
    await desk.say("say one");
    const typed: Promise<CommandResult>[] = [];
    desk.runner.listen(({ type }) => {
      if (type === "session-changed" && typed.length === 0) typed.push(desk.type(command));
    });
    await desk.say("say two");
    expect(await Promise.all(typed)).toMatchObject([{ kind: command.startsWith("/model") ? "lines" : "prefill" }]);
  });
});

/** A turn that was begun and whose program is gone. */
async function interrupted({ db, runner }: Desk): Promise<AdmissionId> {
  const { conversation, id, cwd, route } = runner.session;
  const { admission } = await db.admit({
    request: "r-1" as never,
    kind: "prompt",
    payload: { prompt: [{ kind: "text", text: "go" }], approval: "auto", cwd },
    target: { kind: "session", asked: id },
    session: id,
  });
  const taken = await db.acquireLease({ conversation, holder: runner.holder });
  if (taken.kind !== "acquired") throw new Error(taken.kind);
  const envelope = { systemPrompt: "", tools: [], route, projection: 1, program: "test" } as never;
  const claimed = await db.claim(taken.lease, { at: Date.now(), envelope });
  if (claimed.kind !== "claimed") throw new Error(claimed.kind);
  await db.markUnknown(claimed.turn);
  await db.releaseLease(taken.lease);
  return admission.id;
}

describe("an address that changed", () => {
  it("is taken from the config at every resume, never without a note", async () => {
    const desk = await openDesk();
    await desk.say("say one");
    const { id } = desk.runner.session;
    const old = { provider: "local", model: "a", options: { effort: "low", baseURL: "http://127.0.0.1:8/v1" } };
    await desk.db.setModel(id, old, { text: "as it was", at: Date.now() });
    await desk.type("/new");
    await desk.type(`/resume ${id}`);
    expect(desk.runner.session.route).toEqual({ ...old, options: { effort: "low", baseURL: AT } });
    const said = `model: local/a, low effort is at ${AT} now, no more at http://127.0.0.1:8/v1`;
    expect(await notesOf(desk)).toEqual(["as it was", said]);
    await desk.type("/new");
    await desk.type(`/resume ${id}`);
    expect(await notesOf(desk)).toEqual(["as it was", said]);
  });

  it("with something secret in it is kept without", () => {
    const providers = { local: { kind: "openai-compatible", baseURL: "http://me:pw@h/v1?key=s3" } } as const;
    const located = modelRegistry({ env: {}, providers }).located({ provider: "local", model: "a" });
    expect(located.options).toEqual({ baseURL: "http://h/v1" });
  });

  it("is not named where a provider is at home", () => {
    const at = (env: Record<string, string>, provider: string) =>
      modelRegistry({ env, providers: {} }).located({ provider, model: "m" }).options;
    for (const name of ["openai", "anthropic", "google", "openrouter", "ollama", "lmstudio"])
      expect(at({}, name)).toBeUndefined();
    expect(at({ OPENAI_BASE_URL: "http://h/v1/" }, "openai")).toEqual({ baseURL: "http://h/v1" });
    expect(at({ OLLAMA_HOST: "box" }, "ollama")).toEqual({ baseURL: "http://box:11434/v1" });
  });
});

describe("/models", () => {
  const SILENT = "local: nothing answers at http://127.0.0.1:9/v1";

  it("says of each whether it can be used, why not, and what is known of it", async () => {
    const desk = await openDesk();
    const own = jsonLines(await desk.type("/models")).filter((each) =>
      /^(local|locked|guide)\//.test(String(each["id"])),
    );
    const efforts = ["low", "medium", "high"];
    expect(own).toEqual([
      { id: "local/a", provider: "local", available: true, why: SILENT, efforts },
      { id: "local/b", provider: "local", available: true, why: SILENT, efforts },
      { id: "locked/c", provider: "locked", available: false, why: expect.stringContaining("LOCKED_KEY"), efforts },
      { id: "guide/guide", provider: "guide", available: true, inputPrice: 0, outputPrice: 0 },
    ]);
    expect(words(await desk.type("/models local"))).toMatch(
      /^local\/a +nothing answers at http:\S+\nlocal\/b +nothing/,
    );
    const opus = jsonLines(await desk.type("/models anthropic")).find(({ id }) => id === "anthropic/claude-opus-5-5");
    expect(opus).toMatchObject({ contextWindow: 1_000_000, maxOutput: 128_000, inputPrice: 4, outputPrice: 20 });
    expect(await desk.type("/models nobody")).toMatchObject({ kind: "usage", hint: expect.stringContaining("ollama") });
  });
});
