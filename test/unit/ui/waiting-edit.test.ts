// The text of a waiting prompt in the composer: it cannot run meanwhile, and sent it stands where the old one stood.
import { describe, expect, it } from "vitest";
import type { Admission, AdmissionId } from "../../../src/ledger/types.ts";
import { composerText, isComposerEmpty } from "../../../src/ui/composer-state.ts";
import { WaitingEdit } from "../../../src/ui/waiting-edit.ts";
import { type Desk, openDesk } from "../commands/command-harness.ts";
import { testScreen } from "./test-screen.ts";

async function waiting(texts: readonly string[]) {
  const desk = await openDesk();
  const ids: AdmissionId[] = [];
  for (const text of texts) {
    const { id } = desk.runner.session;
    const target = { kind: "session", asked: id } as const;
    const payload = { prompt: [{ kind: "text", text }], approval: "auto", cwd: desk.folder } as const;
    const request = `r-${text}` as Admission["request"];
    const { admission } = await desk.db.admit({ request, kind: "prompt", payload, target, session: id });
    ids.push(admission.id);
  }
  const screen = testScreen({ columns: 80, rows: 24, write: () => true });
  desk.runner.listen((event) => screen.dispatch(event));
  const editing = new WaitingEdit({ db: desk.db, screen, runner: desk.runner });
  return { desk, ids, screen, editing };
}

async function rows({ db }: Desk): Promise<readonly string[]> {
  return (await db.openAdmissions()).map(({ summary, held }) => (held === undefined ? summary : `${summary} (held)`));
}

describe("a waiting prompt that is changed", () => {
  it("is held meanwhile, and replaced in its place when it is sent", async () => {
    const { desk, ids, screen, editing } = await waiting(["one", "two"]);
    const [first] = ids;
    if (first === undefined) throw new Error("nothing waits");
    await editing.begin(first, "one");
    expect(await rows(desk)).toEqual(["one (held)", "two"]);
    expect(composerText(screen.composer)).toBe("one");
    expect(screen.view.editing).toBe(first);
    const edited = await editing.send({ prompt: [{ kind: "text", text: "say 1" }] });
    expect(screen.view.editing).toBeUndefined();
    await desk.runner.idle();
    const { messages } = await desk.db.path(desk.runner.session.id, { limit: 9 });
    const prompts = messages.filter(({ role }) => role === "user").map(({ parts }) => parts);
    expect(prompts).toEqual([[{ kind: "text", text: "say 1" }], [{ kind: "text", text: "two" }]]);
    expect((await desk.db.admission(edited.id)).outcome).toBe("completed");
    screen.close();
  });

  it("waits on as it was when it is left, and its text can be had back", async () => {
    const { desk, ids, screen, editing } = await waiting(["one", "two"]);
    const [first, second] = ids;
    if (first === undefined || second === undefined) throw new Error("nothing waits");
    await desk.db.hold(second, "a test holds it");
    await editing.begin(second, "two");
    expect(editing.leave()).toBe(true);
    expect(editing.leave()).toBe(false);
    await expect.poll(async () => (await desk.db.admission(second)).held).toBe("a test holds it");
    expect(isComposerEmpty(screen.composer)).toBe(true);
    screen.compose({ type: "undo" });
    expect(composerText(screen.composer)).toBe("two");
    screen.compose({ type: "clear" });
    await editing.begin(first, "one");
    editing.leave();
    await desk.runner.idle();
    await expect.poll(async () => (await desk.db.admission(first)).outcome).toBe("completed");
    screen.close();
  });

  it("is none that has begun, nor one whose text would take another's place", async () => {
    const { desk, ids, screen, editing } = await waiting(["one"]);
    const [first] = ids;
    if (first === undefined) throw new Error("nothing waits");
    screen.compose({ type: "set", text: "mine" });
    await editing.begin(first, "one");
    expect(composerText(screen.composer)).toBe("mine");
    screen.compose({ type: "clear" });
    desk.runner.wake();
    await desk.runner.idle();
    await editing.begin(first, "one");
    expect(isComposerEmpty(screen.composer)).toBe(true);
    expect(editing.isOpen).toBe(false);
    screen.close();
  });
});
